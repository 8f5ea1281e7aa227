#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/layout/partition_spec.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/io/io.h"

/// Manifest lists and manifests, v1 to v3: read with every inheritance rule of the spec applied,
/// written as Java writes them.

namespace firn {

enum class FileContent { kData = 0, kPositionDeletes = 1, kEqualityDeletes = 2 };
enum class FileFormat { kAvro, kOrc, kParquet, kPuffin };
enum class ManifestContent { kData = 0, kDeletes = 1 };
enum class EntryStatus { kExisting = 0, kAdded = 1, kDeleted = 2 };

/// "PARQUET", as manifests store it.
std::string_view FormatFileFormat(FileFormat format);
/// Case-insensitive. Errors: kCorrupt.
Result<FileFormat> ParseFileFormat(std::string_view text);

/// Small map from field id, sorted by id: metrics of a few columns.
template <typename T>
using FieldMap = std::vector<std::pair<int32_t, T>>;

/// The value for `field_id`, or null.
template <typename T>
const T* FindInFieldMap(const FieldMap<T>& map, int32_t field_id) {
  size_t low = 0;
  size_t high = map.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (map[middle].first < field_id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < map.size() && map[low].first == field_id ? &map[low].second : nullptr;
}

/// Column statistics of a file. Bounds are single-value binary. An empty map: not known.
struct FileMetrics {
  /// Each map as a bit.
  enum MapBit : uint32_t {
    kColumnSizes = 1,
    kValueCounts = 2,
    kNullValueCounts = 4,
    kNanValueCounts = 8,
    kLowerBounds = 16,
    kUpperBounds = 32,
    kAllMaps = 63
  };

  FieldMap<int64_t> column_sizes;
  FieldMap<int64_t> value_counts;
  FieldMap<int64_t> null_value_counts;
  FieldMap<int64_t> nan_value_counts;
  FieldMap<std::string> lower_bounds;
  FieldMap<std::string> upper_bounds;

  /// The maps that are stored although they are empty, rather than left out. To plan with, both are
  /// the same; metadata tables show which it is, and a manifest that is written again keeps it.
  uint32_t stored_empty = 0;
};

/// `data_file` of the spec: a data file, a delete file or a deletion vector.
struct DataFile {
  FileContent content = FileContent::kData;
  std::string file_path;
  FileFormat file_format = FileFormat::kParquet;
  int32_t partition_spec_id = 0;  ///< From the manifest.
  StructValue partition;          ///< In the order of the spec's fields.
  int64_t record_count = 0;
  int64_t file_size_in_bytes = 0;
  FileMetrics metrics;
  /// Columns of which the manifest tells a size or values besides nulls, ascending; only if it was
  /// read with `with_counted_columns`. Files with the same columns share one list.
  std::shared_ptr<const std::vector<int32_t>> counted_columns;
  std::optional<std::string> key_metadata;
  std::vector<int64_t> split_offsets;
  std::vector<int32_t> equality_ids;
  std::optional<int32_t> sort_order_id;
  std::optional<int64_t> first_row_id;  ///< Inheritance applied.
  std::optional<std::string> referenced_data_file;
  std::optional<int64_t> content_offset;
  std::optional<int64_t> content_size_in_bytes;

  bool is_deletion_vector() const {
    return content == FileContent::kPositionDeletes && file_format == FileFormat::kPuffin;
  }
};

struct ManifestEntry {
  EntryStatus status = EntryStatus::kAdded;
  std::optional<SnapshotId> snapshot_id;
  std::optional<int64_t> sequence_number;       ///< Data sequence number.
  std::optional<int64_t> file_sequence_number;  ///< Of the commit that added the file.
  DataFile file;

  bool is_live() const { return status != EntryStatus::kDeleted; }
};

struct FieldSummary {
  bool contains_null = false;
  std::optional<bool> contains_nan;
  std::optional<std::string> lower_bound;
  std::optional<std::string> upper_bound;
};

/// An entry of a manifest list.
struct ManifestFile {
  std::string manifest_path;
  int64_t manifest_length = 0;
  int32_t partition_spec_id = 0;
  ManifestContent content = ManifestContent::kData;
  int64_t sequence_number = 0;
  int64_t min_sequence_number = 0;
  SnapshotId added_snapshot_id = 0;
  std::optional<int64_t> added_files_count;  ///< Unknown counts must be assumed > 0.
  std::optional<int64_t> existing_files_count;
  std::optional<int64_t> deleted_files_count;
  std::optional<int64_t> added_rows_count;
  std::optional<int64_t> existing_rows_count;
  std::optional<int64_t> deleted_rows_count;
  std::optional<std::vector<FieldSummary>> partitions;
  std::optional<std::string> key_metadata;
  std::optional<int64_t> first_row_id;

  bool has_live_files() const {
    return !added_files_count || !existing_files_count || *added_files_count > 0 ||
           *existing_files_count > 0;
  }
};

/// Sequence number of an entry or manifest that its commit has not numbered yet.
inline constexpr int64_t kUnassignedSequenceNumber = -1;

/// Read the manifests of a snapshot: its manifest list, or the v1 `manifests` (whose entries are
/// built from the manifests' own headers). Errors: kNotFound, kCorrupt naming file and entry.
Result<std::vector<ManifestFile>> ReadManifests(FileIO& io, const Snapshot& snapshot);
Result<std::vector<ManifestFile>> ReadManifestList(FileIO& io, std::string_view uri);

/// Which parts of the entries to decode; the rest is skipped without being built.
struct ManifestReadOptions {
  bool with_metrics = true;       ///< Counts, sizes and bounds.
  bool with_column_sizes = true;  ///< Within metrics.
  /// If set, only metrics of these field ids are kept.
  const std::vector<int32_t>* metrics_field_ids = nullptr;
  bool with_deleted = true;  ///< False: DELETED entries are skipped.
  bool with_counted_columns =
      false;  ///< Tell what files must have columns for, without metrics too.
};

/// Call `visit` for each entry in file order, inheritance applied (snapshot id, sequence numbers,
/// first row id). `visit` may move from the entry. An error of `visit` ends the reading and is
/// returned. `partition_type` is the type of the manifest's spec (`PartitionType`).
/// Errors: kNotFound, kCorrupt naming manifest and entry.
Status ReadManifest(FileIO& io, const ManifestFile& manifest, const Type& partition_type,
                    const ManifestReadOptions& options,
                    const std::function<Status(ManifestEntry&)>& visit);

/// What a manifest says about itself in its header.
struct ManifestHeader {
  int format_version = 2;
  ManifestContent content = ManifestContent::kData;
  int32_t partition_spec_id = 0;
  SchemaPtr schema;  ///< Null if the header has none.
};
Result<ManifestHeader> ReadManifestHeader(FileIO& io, std::string_view uri,
                                          std::optional<int64_t> known_size = {});

struct ManifestWriterOptions {
  int format_version = 2;
  ManifestContent content = ManifestContent::kData;
  SchemaPtr schema;
  PartitionSpecPtr spec;
  TypePtr partition_type;
  SnapshotId snapshot_id = 0;
  std::string compression = "gzip";  ///< `write.manifest.compression-codec`.
};

/// Writes one manifest. Entries keep their snapshot id and sequence numbers as given: null means
/// inherit, which only ADDED entries may do (in version 1 there are no numbers, and a missing
/// snapshot id becomes that of the options). `first_row_id` is written for EXISTING and DELETED
/// data files only; an ADDED file gets its row ids from the commit that succeeds.
class ManifestWriter {
 public:
  virtual ~ManifestWriter() = default;
  /// Errors: kInvalidInput, naming the file: content of the other kind, partition values that do
  /// not fit the spec, a missing number, a deletion vector below version 3 or without its place.
  virtual Status Add(const ManifestEntry& entry) = 0;
  virtual int64_t bytes_written() const = 0;  ///< So far, approximately: for rolling.
  /// Publish the file; its entry for the manifest list, with counts and summaries, its sequence
  /// number unassigned. Errors: also kInvalidInput without entries.
  virtual Result<ManifestFile> Finish() = 0;
};
Result<std::unique_ptr<ManifestWriter>> MakeManifestWriter(FileIO& io, std::string_view uri,
                                                           ManifestWriterOptions options);

struct ManifestListOptions {
  int format_version = 2;
  SnapshotId snapshot_id = 0;
  std::optional<SnapshotId> parent_snapshot_id;
  int64_t sequence_number = 0;
  std::optional<int64_t> first_row_id;  ///< v3: the table's next row id.
  std::string compression = "gzip";
};

/// Write the manifest list of a snapshot. `manifests` are completed in place: unassigned ones (they
/// must be of this snapshot) get its sequence number, in version 3 data manifests without first row
/// id get the running one, counts that are unknown are counted. So an attempt after a conflict must
/// start from the manifests as they were. Returns the next row id after it (v3; otherwise 0).
/// Errors: kInvalidInput.
Result<int64_t> WriteManifestList(FileIO& io, std::string_view uri,
                                  const ManifestListOptions& options,
                                  std::vector<ManifestFile>& manifests);

}  // namespace firn
