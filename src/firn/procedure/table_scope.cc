#include <algorithm>
#include <optional>
#include <utility>

#include "firn/procedure/table_scope_internal.h"

namespace firn {
namespace {

Status AddTables(Catalog& catalog, const std::string& catalog_name, const Namespace& levels,
                 const CancelToken& cancel, std::vector<std::string>& names) {
  FIRN_RETURN_IF_ERROR(cancel.Check());
  FIRN_ASSIGN(const auto tables, catalog.ListTables(levels));
  for (const TableName& table : tables)
    names.push_back(FormatNamespace({catalog_name}) + "." + FormatTableName(table));
  FIRN_ASSIGN(const auto children, catalog.ListNamespaces(levels));
  for (const Namespace& child : children) {
    FIRN_RETURN_IF_ERROR(AddTables(catalog, catalog_name, child, cancel, names));
  }
  return {};
}

// The catalog or namespace that `text` names; nullopt if there is none.
Result<std::optional<Session::NamespaceReference>> FindNamespace(Session& session,
                                                                 const std::string& text) {
  auto reference = session.ResolveNamespace(text);
  if (!reference.ok()) return std::optional<Session::NamespaceReference>();
  if (!reference->levels.empty()) {
    const auto found = reference->catalog->LoadNamespace(reference->levels);
    if (!found.ok()) {
      // What cannot name a namespace may name a table: only those may have dots in an SQL catalog.
      const ErrorCode code = found.error().code();
      const bool is_none = code == ErrorCode::kNotFound || code == ErrorCode::kInvalidInput;
      if (!is_none) return found.error();
      return std::optional<Session::NamespaceReference>();
    }
  }
  return std::optional(*std::move(reference));
}

bool IsLocation(const std::string& text) {
  return text.find('/') != std::string::npos || text.find("://") != std::string::npos;
}

}  // namespace

Result<std::vector<std::string>> FindTablesOf(Session& session, const std::string& text) {
  if (IsLocation(text)) return std::vector<std::string>{text};
  FIRN_ASSIGN(const auto scope, FindNamespace(session, text));
  const auto table = session.ResolveTable(text);
  // A table that is there but cannot be read is to be told about, not passed over.
  const bool is_table = table.ok() || (table.error().code() != ErrorCode::kNotFound &&
                                       table.error().code() != ErrorCode::kInvalidInput);
  if (scope && is_table) {
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' names both a {} and a table; give the full name of the one that is "
                     "meant",
                     text, scope->levels.empty() ? "catalog" : "namespace");
  }
  if (is_table) return std::vector<std::string>{text};
  if (!scope) return table.error();
  std::vector<std::string> names;
  FIRN_RETURN_IF_ERROR(
      AddTables(*scope->catalog, scope->catalog_name, scope->levels, session.cancel(), names));
  std::sort(names.begin(), names.end());
  return names;
}

Argument TableScopeArgument() {
  return {.name = "scope",
          .type = ArgumentType::kText,
          .is_required = true,
          .is_positional = true,
          .help = "A catalog, a namespace or a table."};
}

std::string NameOf(const TableReference& reference, const std::string& text) {
  if (!reference.location.empty()) return text;
  return FormatNamespace({reference.catalog_name}) + "." + FormatTableName(reference.name);
}

}  // namespace firn
