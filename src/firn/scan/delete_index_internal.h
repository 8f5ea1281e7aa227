#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "firn/scan/partition_table_internal.h"
#include "firn/scan/path_key.h"
#include "firn/scan/scan.h"

/// Which deletes apply to which data file. For this module only.
///
/// There may be millions of delete files, so each is kept as a small record, partitions are kept
/// once, and a `DeleteFile` is made when a data file needs it.

namespace firn {

/// What is known of one equality column in a file.
struct EqualityColumn {
  int32_t field_id = 0;
  bool may_have_null = true;
  bool is_all_null = false;
  Value lower;  ///< Null: not known.
  Value upper;
};

/// Rarely needed parts of a record.
struct DeleteExtra {
  std::vector<int32_t> equality_ids;
  std::vector<EqualityColumn> columns;
  std::optional<std::string> key_metadata;
  std::optional<int32_t> sort_order_id;
};

/// A delete file as it is kept.
struct DeleteRecord {
  uint64_t text_offset = 0;  ///< Of the path, and behind it the referenced path, in `texts`.
  uint32_t path_length = 0;
  uint32_t referenced_length = 0;  ///< 0: none.
  PathKey target;                  ///< The one data file it applies to; zero: any.
  int64_t sequence_number = 0;
  int64_t record_count = 0;
  int64_t file_size_in_bytes = 0;
  std::optional<int64_t> content_offset;
  std::optional<int64_t> content_size_in_bytes;
  uint32_t partition = 0;
  int32_t extra = -1;  ///< Position in `extras`; negative: none.
  FileContent content = FileContent::kPositionDeletes;
  FileFormat format = FileFormat::kParquet;

  bool is_deletion_vector() const {
    return content == FileContent::kPositionDeletes && format == FileFormat::kPuffin;
  }
  bool has_target() const { return target != PathKey{}; }
  /// Data files up to this data sequence number are affected.
  int64_t applies_up_to() const {
    return content == FileContent::kEqualityDeletes ? sequence_number - 1 : sequence_number;
  }
};

/// The delete files of one manifest; `partition` of the records counts in `partitions`.
struct DeleteBatch {
  std::string texts;
  std::vector<DeleteRecord> records;
  std::vector<DeleteExtra> extras;
  PartitionTable partitions;

  std::string_view Path(const DeleteRecord& record) const {
    return std::string_view(texts).substr(record.text_offset, record.path_length);
  }
  std::string_view ReferencedPath(const DeleteRecord& record) const {
    return std::string_view(texts).substr(record.text_offset + record.path_length,
                                          record.referenced_length);
  }
};

/// A data file as the index sees it.
struct DeleteQuery {
  const DataFile* file = nullptr;
  int64_t sequence_number = 0;
  std::optional<uint32_t> partition;  ///< As `FindPartition` answered for the file.
};

/// Immutable after `Make`; `Find` is thread-safe.
class DeleteIndex {
 public:
  DeleteIndex();
  ~DeleteIndex();
  DeleteIndex(DeleteIndex&&) noexcept;
  DeleteIndex& operator=(DeleteIndex&&) noexcept;

  /// `is_unpartitioned` tells of a spec id whether equality deletes of it are global; `schemas` are
  /// searched for the types of equality columns. Errors: kCorrupt: two deletion vectors for a file.
  static Result<DeleteIndex> Make(std::vector<DeleteBatch> batches,
                                  const std::function<bool(int32_t)>& is_unpartitioned,
                                  std::vector<SchemaPtr> schemas);

  bool empty() const;
  std::optional<uint32_t> FindPartition(int32_t spec_id, const StructValue& partition) const;

  /// Columns whose metrics `Find` wants of data files; ascending.
  const std::vector<int32_t>& equality_field_ids() const;

  /// The deletes that apply: a deletion vector or position deletes, then equality deletes, each by
  /// sequence number. Errors: kCorrupt: a deletion vector is older than its data file; a delete of
  /// one file is of another partition.
  Result<std::vector<DeleteFilePtr>> Find(const DeleteQuery& query) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What the metrics of a file say of the equality columns `field_ids`.
std::vector<EqualityColumn> DescribeEqualityColumns(const FileMetrics& metrics,
                                                    const std::vector<int32_t>& field_ids,
                                                    const std::vector<SchemaPtr>& schemas);

/// False if for certain no row of the data file equals a deleted row.
bool MayShareRows(const std::vector<EqualityColumn>& deletes,
                  const std::vector<EqualityColumn>& data);

}  // namespace firn
