#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "firn/base/suggest.h"
#include "firn/io/uri.h"
#include "firn/session/name_resolution_internal.h"

namespace firn {
namespace {

constexpr std::string_view kBranchPrefix = "branch_";
constexpr std::string_view kTagPrefix = "tag_";

struct QualifiedName {
  std::string catalog;
  std::vector<std::string> parts;  ///< Without the catalog.
};

bool IsCatalog(const Session& session, std::string_view name) {
  const auto catalogs = session.catalogs();
  return std::any_of(catalogs.begin(), catalogs.end(),
                     [&](const CatalogConfig& config) { return config.name == name; });
}

// A first part that names a catalog is the catalog if something follows it, or if
// `is_alone_catalog`.
Result<QualifiedName> Qualify(const Session& session, std::string_view text,
                              bool is_alone_catalog) {
  FIRN_ASSIGN(std::vector<std::string> parts, SplitName(text));
  const bool may_be_catalog = parts.size() > 1 || is_alone_catalog;
  if (!may_be_catalog || !IsCatalog(session, parts.front())) {
    return QualifiedName{session.default_catalog(), std::move(parts)};
  }
  std::string catalog = std::move(parts.front());
  parts.erase(parts.begin());
  return QualifiedName{std::move(catalog), std::move(parts)};
}

TableName ToTableName(std::vector<std::string> parts) {
  TableName name;
  name.name = std::move(parts.back());
  parts.pop_back();
  name.levels = std::move(parts);
  return name;
}

// The first part was perhaps meant as a catalog: name those that there are.
std::string ExplainFirstPart(const Session& session, Catalog& catalog, const Namespace& levels) {
  if (levels.size() < 2) return "";  // A table in a catalog always has a namespace.
  const auto first = catalog.LoadNamespace({levels.front()});
  if (first.ok() || first.error().code() != ErrorCode::kNotFound) return "";
  std::vector<std::string> names;
  for (const CatalogConfig& config : session.catalogs())
    names.push_back(config.name);
  const auto near = SuggestName(levels.front(), names);
  return fmt::format("; '{}' is neither a namespace nor a catalog{} (catalogs: {})", levels.front(),
                     near ? ", did you mean '" + *near + "'?" : std::string(),
                     fmt::join(names, ", "));
}

// Name the table that was probably meant. Costs a listing, and only after a failure.
Error ExplainMissing(const Session& session, Catalog& catalog, const std::string& catalog_name,
                     const TableName& name, const Error& error) {
  if (error.code() != ErrorCode::kNotFound) return error;
  std::vector<std::string> candidates;
  const auto tables = catalog.ListTables(name.levels);
  if (tables.ok()) {
    for (const TableName& table : *tables)
      candidates.push_back(FormatTableName(table));
  } else if (!name.levels.empty()) {
    const auto namespaces =
        catalog.ListNamespaces({name.levels.begin(), std::prev(name.levels.end())});
    if (namespaces.ok()) {
      for (const Namespace& levels : *namespaces) {
        candidates.push_back(FormatTableName({levels, name.name}));
      }
    }
  }
  const auto near = SuggestName(FormatTableName(name), candidates);
  if (!near) {
    return Error(error.code(), error.message() + ExplainFirstPart(session, catalog, name.levels));
  }
  return Error(error.code(),
               error.message() + "; did you mean '" + catalog_name + "." + *near + "'?");
}

// The suffix of a branch or tag in the last of `parts`; empty text if it has none.
struct RefSuffix {
  std::optional<std::string> branch;
  std::optional<std::string> tag;
  bool has_value() const { return branch || tag; }
};
RefSuffix ParseRefSuffix(const std::vector<std::string>& parts) {
  RefSuffix suffix;
  if (parts.size() < 2) return suffix;
  const std::string& last = parts.back();
  if (last.size() > kBranchPrefix.size() && last.starts_with(kBranchPrefix)) {
    suffix.branch = last.substr(kBranchPrefix.size());
  } else if (last.size() > kTagPrefix.size() && last.starts_with(kTagPrefix)) {
    suffix.tag = last.substr(kTagPrefix.size());
  }
  return suffix;
}

Status CheckRef(const TableReference& reference) {
  const bool is_branch = reference.branch.has_value();
  const std::string& wanted = is_branch ? *reference.branch : *reference.tag;
  const RefType type = is_branch ? RefType::kBranch : RefType::kTag;
  const auto& refs = reference.table.metadata->refs;
  const auto found = refs.find(wanted);
  if (found != refs.end() && found->second.type == type) return {};
  if (is_branch && wanted == kMainBranch) return {};  // Of a table without snapshots.
  std::string known;
  for (const auto& [name, ref] : refs) {
    if (ref.type == type) known += (known.empty() ? "'" : ", '") + name + "'";
  }
  return MakeError(ErrorCode::kNotFound, "table '{}' has no {} '{}'{}{}",
                   FormatTableName(reference.name), is_branch ? "branch" : "tag", wanted,
                   known.empty() ? "" : ", expected one of ", known);
}

}  // namespace

bool IsLocation(std::string_view text) {
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '`') is_quoted = !is_quoted;
    if (c == '/' && !is_quoted) return true;
  }
  return !text.starts_with('`') && !UriScheme(text).empty();
}

Result<TableReference> ResolveNewTableName(Session& session, std::string_view text) {
  FIRN_ASSIGN(QualifiedName qualified, Qualify(session, text, /*is_alone_catalog=*/false));
  TableReference reference;
  FIRN_ASSIGN(reference.catalog, session.OpenCatalogNamed(qualified.catalog));
  reference.catalog_name = std::move(qualified.catalog);
  reference.name = ToTableName(std::move(qualified.parts));
  return reference;
}

Result<TableReference> ResolveTableName(Session& session, std::string_view text) {
  FIRN_ASSIGN(TableReference reference, ResolveNewTableName(session, text));
  auto table = reference.catalog->Load(reference.name);
  if (table.ok()) {
    reference.table = *std::move(table);
    return reference;
  }
  std::vector<std::string> parts = reference.name.levels;
  parts.push_back(reference.name.name);
  const RefSuffix suffix = ParseRefSuffix(parts);
  const bool may_be_ref = suffix.has_value() && table.error().code() == ErrorCode::kNotFound;
  if (!may_be_ref) {
    return ExplainMissing(session, *reference.catalog, reference.catalog_name, reference.name,
                          table.error());
  }
  parts.pop_back();
  reference.name = ToTableName(std::move(parts));
  table = reference.catalog->Load(reference.name);
  if (!table.ok()) {
    return ExplainMissing(session, *reference.catalog, reference.catalog_name, reference.name,
                          table.error());
  }
  reference.table = *std::move(table);
  reference.branch = suffix.branch;
  reference.tag = suffix.tag;
  FIRN_RETURN_IF_ERROR(CheckRef(reference));
  return reference;
}

Result<Session::NamespaceReference> ResolveNamespaceName(Session& session, std::string_view text) {
  QualifiedName qualified{session.default_catalog(), {}};
  if (!text.empty()) {
    FIRN_ASSIGN(qualified, Qualify(session, text, /*is_alone_catalog=*/true));
  }
  Session::NamespaceReference reference;
  FIRN_ASSIGN(reference.catalog, session.OpenCatalogNamed(qualified.catalog));
  reference.catalog_name = std::move(qualified.catalog);
  reference.levels = std::move(qualified.parts);
  return reference;
}

}  // namespace firn
