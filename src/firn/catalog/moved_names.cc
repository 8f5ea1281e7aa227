#include <string>
#include <string_view>

#include <fmt/format.h>

#include "firn/base/log.h"
#include "firn/catalog/moved_names_internal.h"
#include "firn/format/schema/name_mapping_change.h"

namespace firn {
namespace {

constexpr std::string_view kNameMapping = "schema.name-mapping.default";

std::string NameColumn(const Schema& schema, int32_t id) {
  const std::string name = schema.FullName(id);
  return name.empty() ? fmt::format("a column that is gone (field id {})", id)
                      : fmt::format("column '{}' (field id {})", name, id);
}

}  // namespace

void WarnOfMovedNames(const TableMetadata& metadata, const PropertyChange& change,
                      const Schema& after) {
  const auto updated = change.updates.find(std::string(kNameMapping));
  const auto old = metadata.properties.find(std::string(kNameMapping));
  const bool may_move = !metadata.snapshots.empty() && updated != change.updates.end() &&
                        old != metadata.properties.end();
  if (!may_move) return;
  const auto before = ParseNameMapping(old->second);
  const auto now = ParseNameMapping(updated->second);
  if (!before.ok() || !now.ok()) return;  // Then it could not have been updated.
  for (const MovedName& moved : FindMovedNames(*before, *now)) {
    Log(LogLevel::kWarning,
        "data files without field ids, if the table has any, give what they call '{}' to {} from "
        "now on and not to {}, by the property '{}'; to keep the values where they are, take "
        "another name or rewrite those files before (rewrite-data-files with rewrite-all=true)",
        moved.name, NameColumn(after, moved.to_id), NameColumn(after, moved.from_id), kNameMapping);
  }
}

}  // namespace firn
