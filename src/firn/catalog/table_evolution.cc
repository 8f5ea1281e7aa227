#include "firn/catalog/table_evolution.h"

#include <memory>
#include <utility>

#include "firn/base/number.h"
#include "firn/catalog/moved_names_internal.h"
#include "firn/format/metadata/column_properties.h"
#include "firn/format/metadata/table_properties.h"

namespace firn {
namespace {

constexpr int kFormatVersionMax = 3;
constexpr int kUuidVersion = 2;

// The spec and the order that the table has, ids of the spec and the order aside.
bool IsDefaultSpec(const TableMetadata& metadata, const PartitionSpec& spec) {
  return metadata.default_spec()->fields == spec.fields;
}
bool IsDefaultOrder(const TableMetadata& metadata, const SortOrder& order) {
  const SortOrder* current = metadata.FindSortOrder(metadata.default_sort_order_id);
  return current != nullptr && current->fields == order.fields;
}

}  // namespace

Result<std::vector<TableUpdate>> PlanSchemaChange(const TableMetadata& metadata,
                                                  std::span<const SchemaChange> changes) {
  const SchemaPtr before = metadata.current_schema();
  FIRN_ASSIGN(Schema after, EvolveSchema(metadata, changes));
  std::vector<TableUpdate> updates;
  if (after.IsSameAs(*before)) return updates;
  FIRN_ASSIGN(PropertyChange properties, FollowSchemaChange(metadata.properties, *before, after));
  WarnOfMovedNames(metadata, properties, after);
  updates.emplace_back(AddSchema{std::make_shared<const Schema>(std::move(after))});
  updates.emplace_back(SetCurrentSchema{});
  if (!properties.removals.empty()) {
    updates.emplace_back(RemoveProperties{std::move(properties.removals)});
  }
  if (!properties.updates.empty()) {
    updates.emplace_back(SetProperties{std::move(properties.updates)});
  }
  return updates;
}

Result<std::vector<TableUpdate>> PlanPartitionChange(const TableMetadata& metadata,
                                                     std::span<const PartitionChange> changes) {
  FIRN_ASSIGN(PartitionSpec spec, EvolvePartitionSpec(metadata, changes));
  std::vector<TableUpdate> updates;
  if (IsDefaultSpec(metadata, spec)) return updates;
  updates.emplace_back(AddPartitionSpec{std::move(spec)});
  updates.emplace_back(SetDefaultSpec{});
  return updates;
}

Result<std::vector<TableUpdate>> PlanSortOrder(const TableMetadata& metadata,
                                               const std::vector<SortTerm>& terms) {
  FIRN_ASSIGN(SortOrder order, MakeSortOrder(terms, *metadata.current_schema()));
  std::vector<TableUpdate> updates;
  if (IsDefaultOrder(metadata, order)) return updates;
  updates.emplace_back(AddSortOrder{std::move(order)});
  updates.emplace_back(SetDefaultSortOrder{});
  return updates;
}

Result<std::vector<TableUpdate>> PlanUpgrade(const TableMetadata& metadata, int format_version,
                                             Random& random) {
  if (format_version < metadata.format_version) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the table has format version {}, which cannot be lowered to {}",
                     metadata.format_version, format_version);
  }
  if (format_version > kFormatVersionMax) {
    return MakeError(ErrorCode::kUnsupported, "format version {}, firn writes 1 to {}",
                     format_version, kFormatVersionMax);
  }
  std::vector<TableUpdate> updates;
  if (format_version == metadata.format_version) return updates;
  if (metadata.table_uuid.empty() && format_version >= kUuidVersion) {
    updates.emplace_back(AssignUuid{FormatUuid(MakeUuid(random))});
  }
  updates.emplace_back(UpgradeFormatVersion{format_version});
  return updates;
}

Result<std::vector<TableUpdate>> PlanSetProperties(const TableMetadata& metadata,
                                                   Properties properties, Random& random) {
  std::vector<TableUpdate> updates;
  const auto version = properties.find("format-version");
  if (version != properties.end()) {
    const auto number = ParseInt32(version->second);
    if (!number) {
      return MakeError(ErrorCode::kInvalidInput, "format-version is '{}', expected a number",
                       version->second);
    }
    FIRN_ASSIGN(updates, PlanUpgrade(metadata, *number, random));
    properties.erase(version);
  }
  FIRN_RETURN_IF_ERROR(CheckTableProperties(properties));
  FIRN_RETURN_IF_ERROR(CheckColumnProperties(properties, *metadata.current_schema()));
  if (!properties.empty()) updates.emplace_back(SetProperties{std::move(properties)});
  return updates;
}

}  // namespace firn
