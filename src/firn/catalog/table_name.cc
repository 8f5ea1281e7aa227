#include "firn/catalog/table_name.h"

#include <algorithm>
#include <utility>

namespace firn {
namespace {

constexpr char kQuote = '`';

void AppendPart(std::string& out, std::string_view part) {
  if (!out.empty()) out += '.';
  if (part.find_first_of(".`") == std::string_view::npos) {
    out += part;
    return;
  }
  out += kQuote;
  for (const char c : part) {
    if (c == kQuote) out += kQuote;
    out += c;
  }
  out += kQuote;
}

// Read the quoted part that starts at `text[at]`, and move `at` behind its closing quote.
Result<std::string> ReadQuoted(std::string_view text, size_t& at) {
  std::string part;
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] != kQuote) {
      part += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == kQuote) {
      part += text[i++];
    } else {
      at = i + 1;
      return part;
    }
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "name '{}': the backquote at position {} is never closed", text, at + 1);
}

}  // namespace

std::string FormatNamespace(const Namespace& levels) {
  std::string out;
  for (const std::string& level : levels)
    AppendPart(out, level);
  return out;
}

std::string FormatTableName(const TableName& name) {
  std::string out = FormatNamespace(name.levels);
  AppendPart(out, name.name);
  return out;
}

Result<std::vector<std::string>> SplitName(std::string_view text) {
  std::vector<std::string> parts;
  size_t at = 0;
  while (true) {
    std::string part;
    if (at < text.size() && text[at] == kQuote) {
      FIRN_ASSIGN(part, ReadQuoted(text, at));
    } else {
      const size_t end = std::min(text.find_first_of(".`", at), text.size());
      part = text.substr(at, end - at);
      at = end;
    }
    if (part.empty()) {
      return MakeError(ErrorCode::kInvalidInput, "name '{}': part {} is empty", text,
                       parts.size() + 1);
    }
    parts.push_back(std::move(part));
    if (at == text.size()) return parts;
    if (text[at] != '.') {
      return MakeError(ErrorCode::kInvalidInput,
                       "name '{}': expected '.' or the end at position {}, found '{}'", text,
                       at + 1, text[at]);
    }
    ++at;
  }
}

}  // namespace firn
