#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firn/catalog/fresh_ids_internal.h"
#include "firn/catalog/moved_names_internal.h"
#include "firn/catalog/table_evolution.h"
#include "firn/format/metadata/column_properties.h"

namespace firn {
namespace {

bool IsSameMeaning(const PartitionField& a, const PartitionField& b) {
  return a.source_ids == b.source_ids && a.transform == b.transform;
}

// In version 1 a partition field is known by its place: those of the spec before stay where they
// are, as void if the new spec lacks them.
PartitionSpec KeepPlaces(const PartitionSpec& before, PartitionSpec wanted) {
  PartitionSpec spec;
  for (const PartitionField& old : before.fields) {
    const auto kept =
        std::find_if(wanted.fields.begin(), wanted.fields.end(),
                     [&](const PartitionField& field) { return IsSameMeaning(old, field); });
    if (kept != wanted.fields.end()) {
      spec.fields.push_back(std::move(*kept));
      spec.fields.back().field_id = old.field_id;
      wanted.fields.erase(kept);
      continue;
    }
    PartitionField gone = old;
    gone.transform = {.kind = TransformKind::kVoid};
    spec.fields.push_back(std::move(gone));
  }
  for (PartitionField& field : wanted.fields) {
    for (PartitionField& old : spec.fields) {
      if (old.name == field.name) old.name += fmt::format("_{}", old.field_id);
    }
    spec.fields.push_back(std::move(field));
  }
  return spec;
}

}  // namespace

Result<std::vector<TableUpdate>> PlanReplaceTable(const TableMetadata& metadata,
                                                  const CreateTableRequest& request) {
  if (request.format_version < metadata.format_version) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the table has format version {}, which cannot be lowered to {}",
                     metadata.format_version, request.format_version);
  }
  FIRN_ASSIGN(CreateTableRequest fresh, AssignReplacementIds(request, metadata));
  if (metadata.format_version == 1 && request.format_version < 2) {
    fresh.spec = KeepPlaces(*metadata.default_spec(), std::move(fresh.spec));
  }
  FIRN_RETURN_IF_ERROR(CheckColumnProperties(fresh.properties, fresh.schema));
  const SchemaPtr before = metadata.current_schema();
  FIRN_ASSIGN(PropertyChange properties,
              FollowSchemaChange(metadata.properties, *before, fresh.schema));
  WarnOfMovedNames(metadata, properties, fresh.schema);
  for (auto& [key, value] : fresh.properties)
    properties.updates[key] = value;
  std::erase_if(properties.removals,
                [&](const std::string& key) { return properties.updates.contains(key); });
  std::vector<TableUpdate> updates;
  if (request.format_version > metadata.format_version) {
    updates.emplace_back(UpgradeFormatVersion{request.format_version});
  }
  updates.emplace_back(RemoveSnapshotRef{std::string(kMainBranch)});
  updates.emplace_back(AddSchema{std::make_shared<const Schema>(std::move(fresh.schema))});
  updates.emplace_back(SetCurrentSchema{});
  updates.emplace_back(AddPartitionSpec{std::move(fresh.spec)});
  updates.emplace_back(SetDefaultSpec{});
  updates.emplace_back(AddSortOrder{std::move(fresh.sort_order)});
  updates.emplace_back(SetDefaultSortOrder{});
  if (!fresh.location.empty()) updates.emplace_back(SetLocation{std::move(fresh.location)});
  if (!properties.removals.empty()) {
    updates.emplace_back(RemoveProperties{std::move(properties.removals)});
  }
  if (!properties.updates.empty()) {
    updates.emplace_back(SetProperties{std::move(properties.updates)});
  }
  return updates;
}

}  // namespace firn
