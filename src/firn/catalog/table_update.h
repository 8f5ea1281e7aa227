#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firn/format/metadata/table_metadata.h"

/// Changes to a table and the conditions under which they may be made: the model of the REST spec,
/// shared by all catalogs.

namespace firn {

/// Each is one `action` of the REST spec. An id of -1 in a Set… means "the one added last".
struct AssignUuid {
  std::string uuid;
};
struct UpgradeFormatVersion {
  int format_version = 0;
};
struct AddSchema {
  SchemaPtr schema;
};
struct SetCurrentSchema {
  int32_t schema_id = -1;
};
struct AddPartitionSpec {
  PartitionSpec spec;
};
struct SetDefaultSpec {
  int32_t spec_id = -1;
};
struct AddSortOrder {
  SortOrder sort_order;
};
struct SetDefaultSortOrder {
  int32_t sort_order_id = -1;
};
struct AddSnapshot {
  Snapshot snapshot;
};
struct SetSnapshotRef {
  std::string name;
  SnapshotRef ref;
};
struct RemoveSnapshots {
  std::vector<SnapshotId> snapshot_ids;
};
struct RemoveSnapshotRef {
  std::string name;
};
struct SetLocation {
  std::string location;
};
struct SetProperties {
  Properties updates;
};
struct RemoveProperties {
  std::vector<std::string> removals;
};
struct SetStatistics {
  StatisticsFile statistics;
};
struct RemoveStatistics {
  SnapshotId snapshot_id = 0;
};
struct SetPartitionStatistics {
  PartitionStatisticsFile statistics;
};
struct RemovePartitionStatistics {
  SnapshotId snapshot_id = 0;
};
struct RemovePartitionSpecs {
  std::vector<int32_t> spec_ids;
};
struct RemoveSchemas {
  std::vector<int32_t> schema_ids;
};
struct AddEncryptionKey {
  EncryptionKey key;
};
struct RemoveEncryptionKey {
  std::string key_id;
};

using TableUpdate =
    std::variant<AssignUuid, UpgradeFormatVersion, AddSchema, SetCurrentSchema, AddPartitionSpec,
                 SetDefaultSpec, AddSortOrder, SetDefaultSortOrder, AddSnapshot, SetSnapshotRef,
                 RemoveSnapshots, RemoveSnapshotRef, SetLocation, SetProperties, RemoveProperties,
                 SetStatistics, RemoveStatistics, SetPartitionStatistics, RemovePartitionStatistics,
                 RemovePartitionSpecs, RemoveSchemas, AddEncryptionKey, RemoveEncryptionKey>;

/// Each is one `type` of requirement of the REST spec.
struct AssertCreate {};
struct AssertTableUuid {
  std::string uuid;  ///< Compared ignoring case.
};
struct AssertRefSnapshotId {
  std::string ref;
  std::optional<SnapshotId> snapshot_id;  ///< Empty: the ref must not exist.
};
struct AssertLastAssignedFieldId {
  int32_t last_assigned_field_id = 0;
};
struct AssertCurrentSchemaId {
  int32_t current_schema_id = 0;
};
struct AssertLastAssignedPartitionId {
  int32_t last_assigned_partition_id = 0;
};
struct AssertDefaultSpecId {
  int32_t default_spec_id = 0;
};
struct AssertDefaultSortOrderId {
  int32_t default_sort_order_id = 0;
};

using TableRequirement =
    std::variant<AssertCreate, AssertTableUuid, AssertRefSnapshotId, AssertLastAssignedFieldId,
                 AssertCurrentSchemaId, AssertLastAssignedPartitionId, AssertDefaultSpecId,
                 AssertDefaultSortOrderId>;

/// Errors: kCommitConflict: which requirement, what was found. `base` is null if there is no
/// table.
Status CheckRequirements(const TableMetadata* base, std::span<const TableRequirement> requirements);

/// Apply updates in order to `base` (null: a new table) and close the change: snapshot log,
/// metadata log (`base_location` is the file that holds `base`, empty for a new table),
/// last-updated time. Errors: kInvalidInput for an update that the spec forbids; kCommitConflict
/// for a snapshot whose sequence number or first row id is behind (the writer must rebase).
Result<TableMetadata> ApplyUpdates(const TableMetadata* base, const std::string& base_location,
                                   std::span<const TableUpdate> updates, Timestamp now);

/// "add-snapshot", "assert-create": the names of the REST spec.
std::string_view UpdateAction(const TableUpdate& update);
std::string_view RequirementType(const TableRequirement& requirement);

/// JSON objects of the REST spec. Errors: kCorrupt naming the field; kUnsupported for an action or
/// a type that firn does not know.
std::string FormatTableUpdate(const TableUpdate& update);
Result<TableUpdate> ParseTableUpdate(std::string_view json, std::string_view where);
std::string FormatTableRequirement(const TableRequirement& requirement);
Result<TableRequirement> ParseTableRequirement(std::string_view json, std::string_view where);

}  // namespace firn
