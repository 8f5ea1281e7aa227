#include "firn/catalog/table_update.h"

#include <type_traits>
#include <utility>

#include "firn/base/text.h"
#include "firn/format/metadata/metadata_builder.h"

namespace firn {
namespace {

template <typename... Args>
Error Conflict(std::string_view requirement, fmt::format_string<Args...> text, Args&&... args) {
  return MakeError(ErrorCode::kCommitConflict, "requirement {} does not hold: {}", requirement,
                   fmt::format(text, std::forward<Args>(args)...));
}

Status CheckEqual(std::string_view requirement, std::string_view what, int32_t found,
                  int32_t expected) {
  if (found == expected) return {};
  return Conflict(requirement, "{} is {}, expected {}", what, found, expected);
}

// One overload for each requirement; the table exists.

Status Check(const TableMetadata& base, const AssertCreate&) {
  return Conflict("assert-create", "the table exists, at '{}'", base.location);
}

Status Check(const TableMetadata& base, const AssertTableUuid& requirement) {
  if (EqualsIgnoreCase(base.table_uuid, requirement.uuid)) return {};
  return Conflict("assert-table-uuid", "the table has the UUID '{}', expected '{}'",
                  base.table_uuid, requirement.uuid);
}

Status Check(const TableMetadata& base, const AssertRefSnapshotId& requirement) {
  constexpr std::string_view kName = "assert-ref-snapshot-id";
  const auto ref = base.refs.find(requirement.ref);
  const bool exists = ref != base.refs.end();
  if (!requirement.snapshot_id) {
    if (!exists) return {};
    return Conflict(kName, "'{}' is at snapshot {}, expected no such branch or tag",
                    requirement.ref, ref->second.snapshot_id);
  }
  if (!exists) {
    return Conflict(kName, "there is no branch or tag '{}', expected one at snapshot {}",
                    requirement.ref, *requirement.snapshot_id);
  }
  if (ref->second.snapshot_id == *requirement.snapshot_id) return {};
  return Conflict(kName, "'{}' is at snapshot {}, expected {}", requirement.ref,
                  ref->second.snapshot_id, *requirement.snapshot_id);
}

Status Check(const TableMetadata& base, const AssertLastAssignedFieldId& requirement) {
  return CheckEqual("assert-last-assigned-field-id", "the last column id", base.last_column_id,
                    requirement.last_assigned_field_id);
}

Status Check(const TableMetadata& base, const AssertCurrentSchemaId& requirement) {
  return CheckEqual("assert-current-schema-id", "the current schema", base.current_schema_id,
                    requirement.current_schema_id);
}

Status Check(const TableMetadata& base, const AssertLastAssignedPartitionId& requirement) {
  return CheckEqual("assert-last-assigned-partition-id", "the last partition field id",
                    base.last_partition_id, requirement.last_assigned_partition_id);
}

Status Check(const TableMetadata& base, const AssertDefaultSpecId& requirement) {
  return CheckEqual("assert-default-spec-id", "the default partition spec", base.default_spec_id,
                    requirement.default_spec_id);
}

Status Check(const TableMetadata& base, const AssertDefaultSortOrderId& requirement) {
  return CheckEqual("assert-default-sort-order-id", "the default sort order",
                    base.default_sort_order_id, requirement.default_sort_order_id);
}

// One overload for each update.

Status Apply(MetadataBuilder& builder, const AssignUuid& update) {
  return builder.AssignUuid(update.uuid);
}
Status Apply(MetadataBuilder& builder, const UpgradeFormatVersion& update) {
  return builder.UpgradeFormatVersion(update.format_version);
}
Status Apply(MetadataBuilder& builder, const AddSchema& update) {
  return builder.AddSchema(update.schema);
}
Status Apply(MetadataBuilder& builder, const SetCurrentSchema& update) {
  return builder.SetCurrentSchema(update.schema_id);
}
Status Apply(MetadataBuilder& builder, const AddPartitionSpec& update) {
  return builder.AddSpec(update.spec);
}
Status Apply(MetadataBuilder& builder, const SetDefaultSpec& update) {
  return builder.SetDefaultSpec(update.spec_id);
}
Status Apply(MetadataBuilder& builder, const AddSortOrder& update) {
  return builder.AddSortOrder(update.sort_order);
}
Status Apply(MetadataBuilder& builder, const SetDefaultSortOrder& update) {
  return builder.SetDefaultSortOrder(update.sort_order_id);
}
Status Apply(MetadataBuilder& builder, const AddSnapshot& update) {
  return builder.AddSnapshot(update.snapshot);
}
Status Apply(MetadataBuilder& builder, const SetSnapshotRef& update) {
  return builder.SetSnapshotRef(update.name, update.ref);
}
Status Apply(MetadataBuilder& builder, const RemoveSnapshots& update) {
  return builder.RemoveSnapshots(update.snapshot_ids);
}
Status Apply(MetadataBuilder& builder, const RemoveSnapshotRef& update) {
  return builder.RemoveSnapshotRef(update.name);
}
Status Apply(MetadataBuilder& builder, const SetLocation& update) {
  return builder.SetLocation(update.location);
}
Status Apply(MetadataBuilder& builder, const SetProperties& update) {
  return builder.SetProperties(update.updates);
}
Status Apply(MetadataBuilder& builder, const RemoveProperties& update) {
  return builder.RemoveProperties(update.removals);
}
Status Apply(MetadataBuilder& builder, const SetStatistics& update) {
  return builder.SetStatistics(update.statistics);
}
Status Apply(MetadataBuilder& builder, const RemoveStatistics& update) {
  return builder.RemoveStatistics(update.snapshot_id);
}
Status Apply(MetadataBuilder& builder, const SetPartitionStatistics& update) {
  return builder.SetPartitionStatistics(update.statistics);
}
Status Apply(MetadataBuilder& builder, const RemovePartitionStatistics& update) {
  return builder.RemovePartitionStatistics(update.snapshot_id);
}
Status Apply(MetadataBuilder& builder, const RemovePartitionSpecs& update) {
  return builder.RemoveSpecs(update.spec_ids);
}
Status Apply(MetadataBuilder& builder, const RemoveSchemas& update) {
  return builder.RemoveSchemas(update.schema_ids);
}
Status Apply(MetadataBuilder& builder, const AddEncryptionKey& update) {
  return builder.AddEncryptionKey(update.key);
}
Status Apply(MetadataBuilder& builder, const RemoveEncryptionKey& update) {
  return builder.RemoveEncryptionKey(update.key_id);
}

}  // namespace

Status CheckRequirements(const TableMetadata* base,
                         std::span<const TableRequirement> requirements) {
  for (const TableRequirement& requirement : requirements) {
    if (base == nullptr) {
      if (std::holds_alternative<AssertCreate>(requirement)) continue;
      return Conflict(RequirementType(requirement), "there is no such table");
    }
    FIRN_RETURN_IF_ERROR(
        std::visit([&](const auto& one) { return Check(*base, one); }, requirement));
  }
  return {};
}

Result<TableMetadata> ApplyUpdates(const TableMetadata* base, const std::string& base_location,
                                   std::span<const TableUpdate> updates, Timestamp now) {
  MetadataBuilder builder =
      base == nullptr ? MetadataBuilder() : MetadataBuilder(*base, base_location);
  for (const TableUpdate& update : updates) {
    FIRN_RETURN_IF_ERROR(std::visit([&](const auto& one) { return Apply(builder, one); }, update),
                         "update {}", UpdateAction(update));
  }
  return std::move(builder).Build(now);
}

}  // namespace firn
