#include "firn/format/metadata/column_properties.h"

#include <array>
#include <string_view>
#include <utility>

#include "firn/format/schema/column_lookup.h"
#include "firn/format/schema/name_mapping_change.h"

namespace firn {
namespace {

constexpr std::string_view kNameMapping = "schema.name-mapping.default";
constexpr std::string_view kMetricsPrefix = "write.metadata.metrics.column.";
constexpr std::array<std::string_view, 5> kColumnPrefixes = {
    kMetricsPrefix,
    "write.parquet.bloom-filter-enabled.column.",
    "write.parquet.bloom-filter-fpp.column.",
    "write.parquet.bloom-filter-ndv.column.",
    "write.parquet.stats-enabled.column.",
};

void FollowColumn(const std::string& key, const std::string& value, std::string_view prefix,
                  const Schema& before, const Schema& after, PropertyChange& change) {
  const NestedField* column = before.FindField(std::string_view(key).substr(prefix.size()));
  if (column == nullptr) return;
  const std::string name = after.FullName(column->id);
  if (name == before.FullName(column->id)) return;
  change.removals.push_back(key);
  if (!name.empty()) change.updates[std::string(prefix) + name] = value;
}

}  // namespace

Status CheckColumnProperties(const Properties& properties, const Schema& schema) {
  for (const auto& [key, value] : properties) {
    if (!key.starts_with(kMetricsPrefix)) continue;
    FIRN_RETURN_IF_ERROR(
        FindColumnExactly(schema, std::string_view(key).substr(kMetricsPrefix.size())),
        "property '{}'", key);
  }
  return {};
}

Result<PropertyChange> FollowSchemaChange(const Properties& properties, const Schema& before,
                                          const Schema& after) {
  PropertyChange change;
  for (const auto& [key, value] : properties) {
    for (const std::string_view prefix : kColumnPrefixes) {
      if (key.starts_with(prefix)) FollowColumn(key, value, prefix, before, after, change);
    }
  }
  // Columns may have swapped their names.
  std::erase_if(change.removals,
                [&](const std::string& key) { return change.updates.contains(key); });
  const auto mapping = properties.find(kNameMapping);
  if (mapping == properties.end()) return change;
  auto parsed = ParseNameMapping(mapping->second);
  if (!parsed.ok()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "property '{}' cannot follow the schema: {}; correct or unset it before",
                     kNameMapping, parsed.error().message());
  }
  std::string updated = FormatNameMapping(UpdateNameMapping(*std::move(parsed), before, after));
  if (updated != mapping->second) change.updates[std::string(kNameMapping)] = std::move(updated);
  return change;
}

}  // namespace firn
