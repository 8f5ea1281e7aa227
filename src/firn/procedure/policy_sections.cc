#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "firn/base/suggest.h"
#include "firn/base/text.h"
#include "firn/io/io.h"
#include "firn/maintain/cycle/maintenance_policy.h"
#include "firn/procedure/policy_sections_internal.h"

namespace firn {
namespace {

using Names = std::vector<std::string>;

// As policies write it: "catalog.ns.t".
std::string Join(const std::string& catalog, const Namespace& levels) {
  std::string path = catalog;
  for (const std::string& level : levels)
    path += "." + level;
  return path;
}

class SectionCheck {
 public:
  SectionCheck(Session& session, const Names& tables) : session_(session) {
    for (const CatalogConfig& config : session.catalogs())
      catalogs_.push_back(config.name);
    for (const std::string& text : tables) {
      const auto reference = session.ResolveNewTable(text);
      if (!reference.ok() || reference->catalog_name.empty()) continue;
      looked_at_.insert(reference->catalog_name);
      std::string path = Join(reference->catalog_name, reference->name.levels);
      known_.insert(path + "." + reference->name.name);
      while (known_.insert(path).second && path.find('.') != std::string::npos)
        path.resize(path.rfind('.'));
    }
  }

  // What `path` may have meant, if there is no such thing; empty without a guess. Nullopt: there
  // is, or who knows.
  std::optional<std::string> Misses(const std::string& kind, const std::string& path) {
    if (kind == "catalog") {
      if (std::count(catalogs_.begin(), catalogs_.end(), path) > 0) return std::nullopt;
      return SuggestName(path, catalogs_).value_or("");
    }
    if (const auto catalog = CatalogOf(path)) return MissesIn(kind, *catalog, path);
    // Without a catalog, as commands may name what is in the default one.
    const std::string& catalog = session_.default_catalog();
    const auto meant = MissesIn(kind, catalog, catalog + "." + path);
    const std::string guess = GuessCatalog(path);
    if (!meant)
      return looked_at_.contains(catalog) || guess.empty() ? std::nullopt : std::optional(guess);
    return guess.empty() ? *meant : guess;
  }

 private:
  // The configured catalog that the path begins with; of several, the longest.
  std::optional<std::string> CatalogOf(const std::string& path) const {
    std::optional<std::string> found;
    for (const std::string& name : catalogs_) {
      if (path.starts_with(name + ".") && (!found || name.size() > found->size())) found = name;
    }
    return found;
  }

  // `path` begins with the catalog.
  std::optional<std::string> MissesIn(const std::string& kind, const std::string& catalog,
                                      const std::string& path) {
    if (looked_at_.count(catalog) == 0 || known_.count(path) > 0) return std::nullopt;
    Namespace levels;
    for (const std::string_view level :
         SplitText(std::string_view(path).substr(catalog.size() + 1), '.'))
      levels.emplace_back(level);
    return kind == "table" ? MissesTable(catalog, std::move(levels), path)
                           : MissesNamespace(catalog, levels, path);
  }

  std::string GuessCatalog(const std::string& path) const {
    const size_t dot = std::min(path.find('.'), path.size());
    const auto near = SuggestName(path.substr(0, dot), catalogs_);
    return near ? *near + path.substr(dot) : "";
  }

  // Null: nobody knows.
  Catalog* Open(const std::string& name) {
    auto [entry, is_new] = open_.emplace(name, nullptr);
    if (is_new) {
      auto catalog = session_.OpenCatalogNamed(name);
      if (catalog.ok()) entry->second = *std::move(catalog);
    }
    return entry->second.get();
  }

  // Full names in a namespace; nullopt: it cannot be listed. One that is missing has none.
  const std::optional<Names>& TablesIn(const std::string& catalog, const Namespace& levels) {
    auto [entry, is_new] = tables_.emplace(Join(catalog, levels), std::nullopt);
    Catalog* source = is_new ? Open(catalog) : nullptr;
    if (source == nullptr) return entry->second;
    const auto tables = source->ListTables(levels);
    if (tables.ok()) {
      entry->second.emplace();
      for (const TableName& table : *tables)
        entry->second->push_back(entry->first + "." + table.name);
    } else if (tables.error().code() == ErrorCode::kNotFound) {
      entry->second.emplace();
    }
    return entry->second;
  }

  std::optional<std::string> MissesTable(const std::string& catalog, Namespace levels,
                                         const std::string& path) {
    if (levels.size() < 2) return Guess(path, {});
    levels.pop_back();
    const std::optional<Names>& tables = TablesIn(catalog, levels);
    if (!tables || std::count(tables->begin(), tables->end(), path) > 0) return std::nullopt;
    return Guess(path, *tables);
  }

  std::optional<std::string> MissesNamespace(const std::string& catalog, Namespace levels,
                                             const std::string& path) {
    Catalog* source = Open(catalog);
    if (source == nullptr) return std::nullopt;
    const auto loaded = source->LoadNamespace(levels);
    const bool is_missing = !loaded.ok() && (loaded.error().code() == ErrorCode::kNotFound ||
                                             loaded.error().code() == ErrorCode::kInvalidInput);
    if (!is_missing) return std::nullopt;
    levels.pop_back();
    Names siblings;
    if (const auto namespaces = source->ListNamespaces(levels); namespaces.ok()) {
      for (const Namespace& sibling : *namespaces)
        siblings.push_back(Join(catalog, sibling));
    }
    return Guess(path, std::move(siblings));
  }

  std::string Guess(const std::string& path, Names candidates) const {
    candidates.insert(candidates.end(), known_.begin(), known_.end());
    return SuggestName(path, candidates).value_or("");
  }

  Session& session_;
  Names catalogs_;
  std::set<std::string> looked_at_;  // Catalogs.
  std::set<std::string> known_;      // Tables and the namespaces that they are in.
  std::map<std::string, std::shared_ptr<Catalog>> open_;
  std::map<std::string, std::optional<Names>> tables_;
};

}  // namespace

Argument PolicyArgument() {
  return {.name = "policy",
          .type = ArgumentType::kText,
          .help =
              "A TOML file of sections [default], [catalog.C], [namespace.'C.ns'] and "
              "[table.'C.ns.t']; later ones win, and table properties firn.maintain.KEY win "
              "over all."};
}

Result<PolicySections> ReadPolicy(ProcedureContext& context, const Arguments& arguments) {
  const auto file = arguments.OptionalText("policy");
  if (!file) return PolicySections();
  constexpr int64_t kBytesMax = 16 << 20;
  FIRN_ASSIGN(const auto text, ReadFile(*context.session->io(),
                                        context.session->AbsoluteLocation(*file), kBytesMax));
  return ParsePolicyFile(text.view(), *file,
                         {.known = MaintenancePolicyKeys(), .check = CheckMaintenanceSetting});
}

void WarnOfSections(const ProcedureContext& context, const Arguments& arguments,
                    const PolicySections& sections, const std::vector<std::string>& tables) {
  if (!context.notice || sections.empty()) return;
  SectionCheck check(*context.session, tables);
  for (const auto& [key, settings] : sections) {
    const size_t dot = key.find('.');
    if (dot == std::string::npos) continue;
    const std::string kind = key.substr(0, dot);
    const std::string path = key.substr(dot + 1);
    const auto meant = check.Misses(kind, path);
    if (!meant) continue;
    context.notice(fmt::format("warning: policy '{}': section [{}.'{}'] matches no {}{}",
                               arguments.Text("policy"), kind, path, kind,
                               meant->empty() ? "" : fmt::format(" (did you mean '{}'?)", *meant)));
  }
}

void WarnOfProperties(const ProcedureContext& context, const std::string& name,
                      const TableMetadata& metadata) {
  constexpr std::string_view kPrefix = "firn.maintain.";
  constexpr std::string_view kAlike = "firn.maint";
  if (!context.notice) return;
  for (const auto& [key, value] : metadata.properties) {
    if (!key.starts_with(kAlike) || key.starts_with(kPrefix)) continue;
    context.notice(fmt::format(
        "warning: {}: the property '{}' means nothing; keys of maintenance begin with '{}'", name,
        key, kPrefix));
  }
}

}  // namespace firn
