#define TOML_EXCEPTIONS 0
#include <string>
#include <utility>

#include <toml++/toml.h>

#include "firn/session/settings_internal.h"

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
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return std::to_string(number->get());
    if (const auto* flag = node.as_boolean()) return std::string(flag->get() ? "true" : "false");
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const toml::array* list = node.as_array()) {
      std::string joined;
      for (const toml::node& element : *list) {
        FIRN_ASSIGN(const std::string text, FormatNode(key, element));
        joined += joined.empty() ? text : "," + text;
      }
      return joined;
    }
    return MakeError(ErrorCode::kInvalidInput,
                     "{}: '{}' is a date or a table in a list, expected text, a number, true, "
                     "false or a list of them",
                     Origin(node), key);
  }

  const std::string name_;
  Settings settings_;
};

}  // namespace

Result<Settings> ParseTomlSettings(std::string_view text, std::string_view name) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return MakeError(ErrorCode::kInvalidInput, "{} line {}: {}", name, error.source().begin.line,
                     error.description());
  }
  Flattener flattener(name);
  FIRN_RETURN_IF_ERROR(flattener.Visit("", parsed.table()));
  return flattener.Take();
}

}  // namespace firn
