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
  PolicyReader(std::string_view name, const std::vector<std::string>& known_keys)
      : name_(name), known_keys_(known_keys) {}

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

  Status ReadSettings(const toml::table& table, const std::string& prefix, Properties& settings) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      if (const toml::table* inner = node.as_table()) {
        FIRN_RETURN_IF_ERROR(ReadSettings(*inner, name + ".", settings));
        continue;
      }
      FIRN_RETURN_IF_ERROR(CheckKey(name, node));
      FIRN_ASSIGN(settings[name], FormatNode(name, node));
    }
    return {};
  }

  Status CheckKey(const std::string& key, const toml::node& node) const {
    if (std::binary_search(known_keys_.begin(), known_keys_.end(), key)) return {};
    const auto near = SuggestName(key, known_keys_);
    return MakeError(ErrorCode::kInvalidInput, "{}: unknown key '{}'{}, expected one of {}",
                     Place(node), key, near ? " (did you mean '" + *near + "'?)" : std::string(),
                     fmt::join(known_keys_, ", "));
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
  const std::vector<std::string>& known_keys_;
  PolicySections sections_;
};

}  // namespace

Result<PolicySections> ParsePolicyFile(std::string_view text, std::string_view name,
                                       const std::vector<std::string>& known_keys) {
  FIRN_ASSIGN(const toml::table document, ParseToml(text, name));
  PolicyReader reader(name, known_keys);
  FIRN_RETURN_IF_ERROR(reader.ReadSections(document));
  return reader.Take();
}

Properties PolicyFor(const PolicySections& sections, const std::string& catalog,
                     const std::vector<std::string>& levels, const std::string& name) {
  std::vector<std::string> keys = {"default", "catalog." + catalog};
  std::string path = catalog;
  for (const std::string& level : levels) {
    path += "." + level;
    keys.push_back("namespace." + path);
  }
  keys.push_back("table." + path + "." + name);
  Properties settings;
  for (const std::string& key : keys) {
    const auto section = sections.find(key);
    if (section == sections.end()) continue;
    for (const auto& [setting, value] : section->second)
      settings[setting] = value;
  }
  return settings;
}

}  // namespace firn
