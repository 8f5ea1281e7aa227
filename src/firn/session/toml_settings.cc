#include <string>
#include <utility>

#include "firn/session/settings_internal.h"
#include "firn/session/toml_document_internal.h"

namespace firn {
namespace {

class Flattener {
 public:
  explicit Flattener(std::string_view name) : name_(name) {}

  Status Visit(const std::string& key, const toml::node& node) {
    if (const toml::table* table = node.as_table()) {
      for (const auto& [name, child] : *table) {
        const std::string path =
            key.empty() ? std::string(name.str()) : key + "." + std::string(name.str());
        FIRN_RETURN_IF_ERROR(Visit(path, child));
      }
      return {};
    }
    FIRN_ASSIGN(std::string value, FormatNode(key, node));
    const std::string origin = Origin(node);
    FIRN_RETURN_IF_ERROR(CheckSettingKey(key, origin));
    const auto [entry, is_new] = settings_.try_emplace(key, Setting{std::move(value), origin});
    if (is_new) return {};
    return MakeError(ErrorCode::kInvalidInput, "{}: '{}' was set in {} already", origin, key,
                     entry->second.origin);
  }

  Settings Take() { return std::move(settings_); }

 private:
  std::string Origin(const toml::node& node) const {
    return name_ + " line " + std::to_string(node.source().begin.line);
  }

  Result<std::string> FormatNode(const std::string& key, const toml::node& node) const {
    std::string text;
    const toml::node* misfit = FormatTomlValue(node, text);
    if (misfit == nullptr) return text;
    return MakeError(ErrorCode::kInvalidInput,
                     "{}: '{}' is a date or a table in a list, expected text, a number, true, "
                     "false or a list of them",
                     Origin(*misfit), key);
  }

  const std::string name_;
  Settings settings_;
};

}  // namespace

Result<Settings> ParseTomlSettings(std::string_view text, std::string_view name) {
  FIRN_ASSIGN(const toml::table document, ParseToml(text, name));
  Flattener flattener(name);
  FIRN_RETURN_IF_ERROR(flattener.Visit("", document));
  return flattener.Take();
}

}  // namespace firn
