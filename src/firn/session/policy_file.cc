#include "firn/session/policy_file.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "firn/base/suggest.h"
#include "firn/session/toml_document_internal.h"

namespace firn {
namespace {

class PolicyReader {
 public:
  PolicyReader(std::string_view name, const PolicyKeys& keys) : name_(name), keys_(keys) {}

  Status ReadSections(const toml::table& root) {
    for (const auto& [key, node] : root) {
      const std::string kind(key.str());
      const toml::table* table = node.as_table();
      const bool has_names = kind == "catalog" || kind == "namespace" || kind == "table";
      if (table == nullptr || (!has_names && kind != "default")) {
        return MakeError(ErrorCode::kInvalidInput,
                         "{}: found '{}', expected the sections [default], [catalog.C], "
                         "[namespace.'C.ns'] and [table.'C.ns.t']",
                         Place(node), kind);
      }
      if (!has_names) {
        FIRN_RETURN_IF_ERROR(ReadSettings(*table, "", sections_[kind]));
        continue;
      }
      for (const auto& [name, section] : *table) {
        const toml::table* settings = section.as_table();
        if (settings == nullptr) {
          return MakeError(ErrorCode::kInvalidInput, "{}: '{}.{}' is no section of settings",
                           Place(section), kind, name.str());
        }
        FIRN_RETURN_IF_ERROR(CheckQuotes(kind, name.str(), *settings));
        FIRN_RETURN_IF_ERROR(
            ReadSettings(*settings, "", sections_[kind + "." + std::string(name.str())]));
      }
    }
    return {};
  }

  PolicySections Take() { return std::move(sections_); }

 private:
  std::string Place(const toml::node& node) const {
    return fmt::format("{} line {}", name_, node.source().begin.line);
  }

  // [table.ns.t] is a table of TOML within [table.ns]: its keys would be 't.enabled'.
  Status CheckQuotes(std::string_view kind, std::string_view name, const toml::table& table) const {
    for (const auto& [key, node] : table) {
      const std::string inner(key.str());
      const bool is_known =
          std::any_of(keys_.known.begin(), keys_.known.end(), [&](const std::string& known) {
            return known == inner || known.starts_with(inner + ".");
          });
      if (is_known || !node.is_table()) continue;
      return MakeError(ErrorCode::kInvalidInput,
                       "{}: [{}.{}.{}] names nothing; a name with dots stands in quotes, as in "
                       "[{}.'{}.{}']",
                       Place(node), kind, name, inner, kind, name, inner);
    }
    return {};
  }

  Status ReadSettings(const toml::table& table, const std::string& prefix, Properties& settings) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      if (const toml::table* inner = node.as_table()) {
        FIRN_RETURN_IF_ERROR(ReadSettings(*inner, name + ".", settings));
        continue;
      }
      FIRN_RETURN_IF_ERROR(CheckKey(name, node));
      FIRN_ASSIGN(std::string value, FormatNode(name, node));
      if (keys_.check) FIRN_RETURN_IF_ERROR(keys_.check(name, value), "{}", Place(node));
      settings[name] = std::move(value);
    }
    return {};
  }

  Status CheckKey(const std::string& key, const toml::node& node) const {
    if (std::binary_search(keys_.known.begin(), keys_.known.end(), key)) return {};
    const auto near = SuggestName(key, keys_.known);
    return MakeError(ErrorCode::kInvalidInput, "{}: unknown key '{}'{}, expected one of {}",
                     Place(node), key, near ? " (did you mean '" + *near + "'?)" : std::string(),
                     fmt::join(keys_.known, ", "));
  }

  Result<std::string> FormatNode(const std::string& key, const toml::node& node) const {
    std::string text;
    const toml::node* misfit = FormatTomlValue(node, text);
    if (misfit == nullptr) return text;
    return MakeError(ErrorCode::kInvalidInput,
                     "{}: '{}' is a date, expected text, a number, true, false or a list",
                     Place(*misfit), key);
  }

  const std::string name_;
  const PolicyKeys& keys_;
  PolicySections sections_;
};

}  // namespace

Result<PolicySections> ParsePolicyFile(std::string_view text, std::string_view name,
                                       const PolicyKeys& keys) {
  FIRN_ASSIGN(const toml::table document, ParseToml(text, name));
  PolicyReader reader(name, keys);
  FIRN_RETURN_IF_ERROR(reader.ReadSections(document));
  return reader.Take();
}

Properties PolicyFor(const PolicySections& sections, const std::string& default_catalog,
                     const std::string& catalog, const std::vector<std::string>& levels,
                     const std::string& name) {
  Properties settings;
  const auto add = [&](const std::string& key) {
    const auto section = sections.find(key);
    if (section == sections.end()) return;
    for (const auto& [setting, value] : section->second)
      settings[setting] = value;
  };
  const auto add_named = [&](const std::string& kind, const std::string& path) {
    if (catalog == default_catalog) add(kind + "." + path);
    add(kind + "." + catalog + "." + path);
  };
  add("default");
  add("catalog." + catalog);
  std::string path;
  for (const std::string& level : levels) {
    path += (path.empty() ? "" : ".") + level;
    add_named("namespace", path);
  }
  add_named("table", path + "." + name);
  return settings;
}

}  // namespace firn
