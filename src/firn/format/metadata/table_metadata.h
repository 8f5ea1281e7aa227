#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/layout/partition_spec.h"
#include "firn/format/layout/sort_order.h"
#include "firn/format/metadata/snapshot.h"
#include "firn/format/schema/schema.h"
#include "firn/io/io.h"

namespace firn {

using Properties = std::map<std::string, std::string, std::less<>>;

/// The content of one metadata file, v1 to v3. Plain data; `ParseTableMetadata` and
/// `MetadataBuilder` are the only makers of valid ones.
struct TableMetadata {
  int format_version = 2;
  std::string table_uuid;  ///< Empty in v1 tables that never had one.
  std::string location;    ///< Without trailing slash.
  int64_t last_sequence_number = 0;
  Timestamp last_updated{};
  int32_t last_column_id = 0;
  std::vector<SchemaPtr> schemas;
  int32_t current_schema_id = 0;
  std::vector<PartitionSpecPtr> partition_specs;
  int32_t default_spec_id = 0;
  int32_t last_partition_id = 999;
  std::vector<SortOrder> sort_orders;
  int32_t default_sort_order_id = 0;
  Properties properties;
  std::optional<SnapshotId> current_snapshot_id;
  std::vector<Snapshot> snapshots;
  std::vector<SnapshotLogEntry> snapshot_log;
  std::vector<MetadataLogEntry> metadata_log;
  std::map<std::string, SnapshotRef, std::less<>> refs;
  std::vector<StatisticsFile> statistics;
  std::vector<PartitionStatisticsFile> partition_statistics;
  int64_t next_row_id = 0;
  std::vector<EncryptionKey> encryption_keys;
  ExtraFields extra;

  SchemaPtr current_schema() const;
  /// Null if unknown.
  SchemaPtr FindSchema(int32_t schema_id) const;
  PartitionSpecPtr FindSpec(int32_t spec_id) const;
  PartitionSpecPtr default_spec() const;
  const SortOrder* FindSortOrder(int32_t order_id) const;
  /// Linear in the number of snapshots (use `IndexSnapshots` for many); null if unknown.
  const Snapshot* FindSnapshot(SnapshotId snapshot_id) const;
  const Snapshot* current_snapshot() const;
  /// The snapshot that the branch or tag names; empty (null) if there is no such ref.
  std::optional<SnapshotId> RefSnapshotId(std::string_view ref) const;
  const Snapshot* RefSnapshot(std::string_view ref) const;
  /// Current schema first, then the others, newest first: for old specs (`PartitionType`).
  std::vector<SchemaPtr> SchemasNewestFirst() const;
  /// The property as a number, or `fallback` if missing. Errors: kInvalidInput if not a number.
  Result<int64_t> IntProperty(std::string_view key, int64_t fallback) const;
  std::string Property(std::string_view key, std::string_view fallback) const;
  /// "<location>/metadata" or `write.metadata.path`.
  std::string MetadataLocation() const;
};

using TableMetadataPtr = std::shared_ptr<const TableMetadata>;

/// The rules that hold for any table metadata, whoever made it: ids resolve, lists agree with each
/// other, times ascend, parents make no cycle, all is legal for the version (reference 1.3).
/// Errors: kCorrupt naming the JSON field.
Status ValidateTableMetadata(const TableMetadata& metadata);

/// Parse and validate. `where` names the file in messages. Gzip is recognised by
/// its magic bytes. Errors: kCorrupt naming the JSON field; kUnsupported for version 4 and above.
Result<TableMetadata> ParseTableMetadata(std::span<const std::byte> bytes, std::string_view where);

/// JSON text, compact, with the fields that Java writes for the version, and `extra`.
std::string FormatTableMetadata(const TableMetadata& metadata);

/// Read, decompress and parse a metadata file of any name.
Result<TableMetadataPtr> LoadTableMetadata(FileIO& io, std::string_view uri);

/// Write a metadata file; gzip if `uri` ends ".gz.metadata.json". Errors: kAlreadyExists if
/// `options.exclusive`.
Status WriteTableMetadata(FileIO& io, std::string_view uri, const TableMetadata& metadata,
                          const CreateOptions& options = {});

/// Schema JSON as in metadata files and manifest headers.
std::string FormatSchemaJson(const Schema& schema);
Result<SchemaPtr> ParseSchemaJson(std::string_view json, std::string_view where);

/// Fields array only, as in manifest headers.
std::string FormatPartitionFieldsJson(const PartitionSpec& spec);
Result<PartitionSpec> ParsePartitionFieldsJson(std::string_view json, int32_t spec_id,
                                               std::string_view where);

/// Snapshots by id; valid as long as `metadata` is not changed.
std::unordered_map<SnapshotId, const Snapshot*> IndexSnapshots(const TableMetadata& metadata);

/// `snapshot_id` and its parents, newest first, as far as they are listed. Empty if unknown.
std::vector<const Snapshot*> AncestorsOf(const TableMetadata& metadata, SnapshotId snapshot_id);

/// The snapshot that was current at `time` by the snapshot log. Errors: kNotFound.
Result<const Snapshot*> FindSnapshotAsOf(const TableMetadata& metadata, Timestamp time);

}  // namespace firn
