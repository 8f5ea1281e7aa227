#include "firn/catalog/other_tables.h"

#include <utility>

#include "firn/base/log.h"

namespace firn {
namespace {

constexpr size_t kTablesMax = 1000;

Status AddTables(Catalog& catalog, const Namespace& levels, std::vector<TableName>& names) {
  const auto tables = catalog.ListTables(levels);
  if (!tables.ok() && IsSilent(tables.error())) return tables.error();
  if (tables.ok()) names.insert(names.end(), tables->begin(), tables->end());
  const auto inner = catalog.ListNamespaces(levels);
  if (!inner.ok()) return IsSilent(inner.error()) ? Status(inner.error()) : Status();
  for (const Namespace& one : *inner) {
    if (names.size() > kTablesMax) return {};
    FIRN_RETURN_IF_ERROR(AddTables(catalog, one, names));
  }
  return {};
}

Result<std::vector<TableName>> FindTables(Catalog& catalog, const TableName& own) {
  std::vector<TableName> names;
  FIRN_RETURN_IF_ERROR(AddTables(catalog, {}, names), "finding the tables of the catalog");
  if (names.size() <= kTablesMax) return names;
  Log(LogLevel::kWarning,
      "the catalog has more than {} tables: only those of namespace '{}' are compared with the "
      "folders of the table",
      kTablesMax, FormatNamespace(own.levels));
  auto near = catalog.ListTables(own.levels);
  if (!near.ok() && IsSilent(near.error())) return near.error();
  return near.ok() ? *std::move(near) : std::vector<TableName>();
}

}  // namespace

bool IsSilent(const Error& error) {
  return error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kCancelled ||
         error.code() == ErrorCode::kResourceExhausted;
}

Status VisitOtherTables(Catalog& catalog, const TableName& own, Executor& executor,
                        const CancelToken& cancel,
                        const std::function<Status(const Table&)>& visit) {
  FIRN_ASSIGN(const auto names, FindTables(catalog, own));
  const auto look = [&](size_t index) -> Status {
    if (names[index] == own) return {};
    const auto other = catalog.Load(names[index]);
    if (other.ok()) return visit(*other);
    if (IsSilent(other.error())) return other.error();
    Log(LogLevel::kWarning, "table '{}' cannot be loaded, so its folders are not known: {}",
        FormatTableName(names[index]), other.error().Format());
    return {};
  };
  return ParallelFor(executor, names.size(), look, cancel);
}

Result<std::optional<FolderOverlap>> FindOverlap(const RealNames& names,
                                                 const std::vector<std::string>& mine,
                                                 const std::vector<std::string>& others) {
  for (const std::string& one : mine) {
    for (const std::string& other : others) {
      FIRN_ASSIGN(bool is_shared, names.IsWithin(one, other));
      if (!is_shared) {
        FIRN_ASSIGN(is_shared, names.IsWithin(other, one));
      }
      if (is_shared) return std::optional(FolderOverlap{one, other});
    }
  }
  return std::optional<FolderOverlap>();
}

}  // namespace firn
