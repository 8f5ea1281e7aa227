#include <utility>

#include <fmt/format.h>

#include "firn/session/toml_document_internal.h"

namespace firn {

Result<toml::table> ParseToml(std::string_view text, std::string_view name) {
  toml::parse_result parsed = toml::parse(text);
  if (parsed) return std::move(parsed).table();
  const toml::parse_error& error = parsed.error();
  return MakeError(ErrorCode::kInvalidInput, "{} line {}: {}", name, error.source().begin.line,
                   error.description());
}

const toml::node* FormatTomlValue(const toml::node& node, std::string& out) {
  if (const auto* text = node.as_string()) {
    out = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out = std::to_string(integer->get());
  } else if (const auto* flag = node.as_boolean()) {
    out = flag->get() ? "true" : "false";
  } else if (const auto* number = node.as_floating_point()) {
    out = fmt::format("{}", number->get());
  } else if (const toml::array* list = node.as_array()) {
    out.clear();
    for (const toml::node& element : *list) {
      std::string text_of_element;
      if (const auto* misfit = FormatTomlValue(element, text_of_element)) return misfit;
      out += out.empty() ? text_of_element : "," + text_of_element;
    }
  } else {
    return &node;
  }
  return nullptr;
}

}  // namespace firn
