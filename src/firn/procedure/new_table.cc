#include <fmt/ranges.h>

#include "firn/base/log.h"
#include "firn/base/suggest.h"
#include "firn/io/uri.h"
#include "firn/procedure/new_table_internal.h"

namespace firn {
namespace {

// The first part was perhaps meant as a catalog: name those that there are.
std::string ExplainCatalogs(const Session& session, Catalog& catalog, const Namespace& levels) {
  // A table in a catalog always has a namespace.
  if (levels.size() < 2 || catalog.LoadNamespace({levels.front()}).ok()) return "";
  std::vector<std::string> names;
  for (const CatalogConfig& config : session.catalogs())
    names.push_back(config.name);
  const auto near = SuggestName(levels.front(), names);
  return fmt::format(", and '{}' is no catalog{} (catalogs: {})", levels.front(),
                     near ? ", did you mean '" + *near + "'?" : std::string(),
                     fmt::join(names, ", "));
}

}  // namespace

Result<bool> PrepareNamespace(ProcedureContext& context, const TableReference& reference) {
  const Namespace& levels = reference.name.levels;
  const auto known = reference.catalog->LoadNamespace(levels);
  if (known.ok() || known.error().code() != ErrorCode::kNotFound) {
    if (!known.ok()) return known.error();
    return false;
  }
  const std::string name = FormatNamespace(levels);
  const std::string catalogs = ExplainCatalogs(*context.session, *reference.catalog, levels);
  const bool is_near = catalogs.find("did you mean") != std::string::npos;
  // Of several levels the first is as likely a catalog that is not configured.
  if (reference.catalog_name != "local" || is_near || levels.size() > 1) {
    return MakeError(ErrorCode::kNotFound,
                     "namespace '{}' does not exist in catalog '{}'{}; make it first: firn "
                     "namespace create {}.{}",
                     name, reference.catalog_name, catalogs, reference.catalog_name, name);
  }
  const Status created = reference.catalog->CreateNamespace(levels, {});
  if (!created.ok() && created.error().code() == ErrorCode::kAlreadyExists) return false;
  if (!created.ok()) return created.error();
  if (context.notice) {
    context.notice(fmt::format("{} namespace '{}'",
                               context.is_dry_run ? "dry run: would create" : "created", name));
  }
  return true;
}

void TakeBackNamespace(ProcedureContext& context, const TableReference& reference) {
  const Namespace& levels = reference.name.levels;
  // Another run may use it by now: then it stays.
  if (!reference.catalog->DropNamespace(levels).ok()) return;
  if (context.notice)
    context.notice(fmt::format("dropped namespace '{}'", FormatNamespace(levels)));
  for (const CatalogConfig& config : context.session->catalogs()) {
    const auto warehouse = config.properties.find("warehouse");
    if (config.name != reference.catalog_name || warehouse == config.properties.end()) continue;
    std::string folder = warehouse->second;
    for (const std::string& level : levels)
      folder = JoinUri(folder, level);
    const Status deleted = context.session->io()->DeleteFolder(folder);
    if (!deleted.ok()) Log(LogLevel::kInfo, "'{}' stays: {}", folder, deleted.error().Format());
  }
}

Result<int> CheckFormatVersion(int64_t version) {
  if (version >= 1 && version <= 3) return static_cast<int>(version);
  return MakeError(ErrorCode::kInvalidInput, "format_version is {}, expected 1 to 3", version);
}

}  // namespace firn
