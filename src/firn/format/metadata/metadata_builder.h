#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// Makes the next metadata of a table: one function for each update of the REST spec, in any order,
/// then `Build`. An update that fails leaves the builder as it was.
///
/// Errors  kInvalidInput: the spec forbids the update; the message says why.
///         kCommitConflict: a snapshot was made for an older state of the table; rebase it.
class MetadataBuilder {
 public:
  /// A new table; its format version is 2 unless `UpgradeFormatVersion` says otherwise.
  MetadataBuilder() = default;
  /// The table of `base`, whose file is `base_location` (empty: it was never written).
  MetadataBuilder(const TableMetadata& base, std::string base_location);

  /// False as long as every update only said what was so before.
  bool has_changes() const { return has_changes_; }

  /// Of a table without a UUID; the same UUID again is no change.
  Status AssignUuid(std::string_view uuid);
  Status UpgradeFormatVersion(int format_version);

  /// The id is chosen here: that of an equal schema, else the next.
  Status AddSchema(const SchemaPtr& schema);
  /// -1: the one added last.
  Status SetCurrentSchema(int32_t schema_id);
  /// Errors: also if it is the current one. `Build` fails if a snapshot names it.
  Status RemoveSchemas(const std::vector<int32_t>& schema_ids);

  /// For the current schema. The id is chosen here, as are field ids of 0: those of equal fields of
  /// any spec, else the next.
  Status AddSpec(PartitionSpec spec);
  /// -1: the one added last.
  Status SetDefaultSpec(int32_t spec_id);
  /// The caller makes sure that no manifest is of such a spec.
  Status RemoveSpecs(const std::vector<int32_t>& spec_ids);

  /// For the current schema. The id is chosen here; 0 if `order` has no fields.
  Status AddSortOrder(SortOrder order);
  /// -1: the one added last.
  Status SetDefaultSortOrder(int32_t order_id);

  /// The snapshot becomes current only by `SetSnapshotRef`.
  Status AddSnapshot(Snapshot snapshot);
  Status SetSnapshotRef(std::string_view name, SnapshotRef ref);
  /// No such ref is no error. Without `main` the table is empty; its history stays.
  Status RemoveSnapshotRef(std::string_view name);
  /// Statistics of the snapshots go with them. `Build` fails if `main` names one at the end, and
  /// with kCommitConflict if another ref does: the same change must remove or move these. Unknown
  /// ids are no error.
  Status RemoveSnapshots(const std::vector<SnapshotId>& snapshot_ids);

  Status SetLocation(std::string_view location);
  /// Errors: also for reserved names ("uuid", "format-version", ...), which are not stored.
  Status SetProperties(const Properties& updates);
  Status RemoveProperties(const std::vector<std::string>& keys);

  /// Replaces those of the same snapshot.
  Status SetStatistics(StatisticsFile file);
  Status RemoveStatistics(SnapshotId snapshot_id);
  Status SetPartitionStatistics(PartitionStatisticsFile file);
  Status RemovePartitionStatistics(SnapshotId snapshot_id);

  Status AddEncryptionKey(EncryptionKey key);
  Status RemoveEncryptionKey(std::string_view key_id);

  /// The metadata with its logs brought up to date: the previous file is logged and the log cut to
  /// `write.metadata.previous-versions-max`, a move of `main` is logged, history before a removed
  /// snapshot is forgotten. `now` dates it, but time never runs backwards. The builder is used up.
  Result<TableMetadata> Build(Timestamp now) &&;

 private:
  bool is_added(SnapshotId snapshot_id) const { return added_snapshots_.contains(snapshot_id); }
  void ReplaceSchema(const SchemaPtr& schema);
  Result<PartitionSpec> AssignPartitionFieldIds(PartitionSpec spec) const;
  Status CheckPartitionFieldIds(const PartitionSpec& spec) const;
  Status CheckRowIds(const Snapshot& snapshot) const;
  Status CheckRef(std::string_view name, const SnapshotRef& ref) const;

  TableMetadata metadata_;
  bool has_changes_ = false;
  bool is_version_open_ = true;  // Of a new table, until it is chosen.

  std::string base_location_;
  std::optional<Timestamp> base_last_updated_;
  std::optional<SnapshotId> base_current_snapshot_id_;

  std::optional<int32_t> last_added_schema_id_;
  std::optional<int32_t> last_added_spec_id_;
  std::optional<int32_t> last_added_order_id_;
  std::unordered_set<int32_t> added_schemas_;
  std::unordered_set<int32_t> removed_schemas_;
  std::unordered_set<SnapshotId> added_snapshots_;
  std::optional<Timestamp> last_added_time_;
  bool has_removed_snapshots_ = false;
};

}  // namespace firn
