#include <mutex>

#include "firn/base/text.h"
#include "firn/procedure/same_table_internal.h"

namespace firn {

std::optional<TableName> FindSameTable(Session& session, const TableReference& reference,
                                       const Table& table) {
  constexpr size_t kTablesMax = 200;
  const auto names = reference.catalog->ListTables(reference.name.levels);
  if (!names.ok() || names->size() > kTablesMax) return std::nullopt;
  std::mutex mutex;
  std::optional<TableName> found;
  const auto compare = [&](size_t index) -> Status {
    const TableName& name = (*names)[index];
    if (name == reference.name) return {};
    const auto other = reference.catalog->Load(name);
    if (!other.ok()) return {};
    const std::string& uuid = table.metadata->table_uuid;
    const bool is_same = other->metadata_location == table.metadata_location ||
                         (!uuid.empty() && EqualsIgnoreCase(other->metadata->table_uuid, uuid));
    if (!is_same) return {};
    const std::lock_guard lock(mutex);
    if (!found || name < *found) found = name;
    return {};
  };
  const Status compared = ParallelFor(session.executor(), names->size(), compare, session.cancel());
  return compared.ok() ? found : std::nullopt;
}

}  // namespace firn
