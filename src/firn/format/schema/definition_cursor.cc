#include <algorithm>
#include <utility>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/format/schema/definition_cursor_internal.h"

namespace firn {
namespace {

constexpr std::string_view kSymbols = "()<>[],:.";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// Takes a token from the front of a text; null text if the quote is never closed.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  void SkipBlanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos)
      ++at_;
  }

  // False if no token begins here.
  bool Next(DefinitionToken& token) {
    SkipBlanks();
    token.offset = at_;
    if (at_ == text_.size()) return true;
    const char c = text_[at_];
    if (c == '`') return ReadQuoted(token, DefinitionTokenKind::kQuotedName);
    if (c == '\'' || c == '"') return ReadQuoted(token, DefinitionTokenKind::kText);
    if (IsNameStart(c) || IsDigit(c)) {
      const auto is_part = IsDigit(c) ? IsDigit : IsNamePart;
      token.kind = IsDigit(c) ? DefinitionTokenKind::kNumber : DefinitionTokenKind::kName;
      while (at_ < text_.size() && is_part(text_[at_]))
        token.text += text_[at_++];
      return token.kind == DefinitionTokenKind::kName || at_ == text_.size() ||
             !IsNamePart(text_[at_]);
    }
    token.kind = DefinitionTokenKind::kSymbol;
    token.text = c;
    ++at_;
    return kSymbols.find(c) != std::string_view::npos;
  }

 private:
  // A doubled quote stands for itself.
  bool ReadQuoted(DefinitionToken& token, DefinitionTokenKind kind) {
    const char quote = text_[at_++];
    token.kind = kind;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] != quote) {
        token.text += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == quote) {
        token.text += text_[at_++];
      } else {
        ++at_;
        return true;
      }
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::string_view LexerProblem(const DefinitionToken& token) {
  switch (token.kind) {
    case DefinitionTokenKind::kQuotedName:
    case DefinitionTokenKind::kText:
      return "the quote is never closed";
    case DefinitionTokenKind::kNumber:
      return "a name that begins with a digit stands in backquotes";
    case DefinitionTokenKind::kEnd:
    case DefinitionTokenKind::kName:
    case DefinitionTokenKind::kSymbol:
      break;
  }
  return "a name with such a character stands in backquotes";
}

}  // namespace

Result<DefinitionCursor> DefinitionCursor::Open(std::string_view what, std::string_view text) {
  DefinitionCursor cursor(what, text);
  Lexer lexer(text);
  do {
    DefinitionToken& token = cursor.tokens_.emplace_back();
    if (!lexer.Next(token)) return cursor.Fail(token.offset, LexerProblem(token));
  } while (cursor.tokens_.back().kind != DefinitionTokenKind::kEnd);
  return cursor;
}

const DefinitionToken& DefinitionCursor::Peek(size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

DefinitionToken DefinitionCursor::Take() {
  DefinitionToken token = Peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool DefinitionCursor::IsSymbol(char symbol, size_t ahead) const {
  const DefinitionToken& token = Peek(ahead);
  return token.kind == DefinitionTokenKind::kSymbol && token.text.front() == symbol;
}

bool DefinitionCursor::TakeSymbol(char symbol) {
  if (!IsSymbol(symbol)) return false;
  Take();
  return true;
}

bool DefinitionCursor::TakeKeyword(std::string_view keyword) {
  if (Peek().kind != DefinitionTokenKind::kName) return false;
  if (!EqualsIgnoreCase(Peek().text, keyword)) return false;
  Take();
  return true;
}

Status DefinitionCursor::ExpectSymbol(char symbol) {
  if (TakeSymbol(symbol)) return {};
  return Unexpected(std::string("'") + symbol + "'");
}

Status DefinitionCursor::ExpectKeyword(std::string_view keyword) {
  if (TakeKeyword(keyword)) return {};
  return Unexpected("'" + std::string(keyword) + "'");
}

Status DefinitionCursor::ExpectEnd(std::string_view expected) {
  if (IsAtEnd()) return {};
  return Unexpected(expected);
}

Result<std::string> DefinitionCursor::TakeName(std::string_view expected) {
  const DefinitionToken& token = Peek();
  if (token.kind == DefinitionTokenKind::kQuotedName && token.text.empty()) {
    return Fail(token.offset, "the name is empty");
  }
  if (token.kind == DefinitionTokenKind::kName || token.kind == DefinitionTokenKind::kQuotedName) {
    return Take().text;
  }
  return Unexpected(expected);
}

Result<std::vector<std::string>> DefinitionCursor::TakePath(std::string_view expected) {
  std::vector<std::string> path;
  do {
    FIRN_ASSIGN(std::string name, TakeName(expected));
    path.push_back(std::move(name));
  } while (TakeSymbol('.'));
  return path;
}

Result<int32_t> DefinitionCursor::TakeNumber(std::string_view expected) {
  if (Peek().kind != DefinitionTokenKind::kNumber) return Unexpected(expected);
  const auto number = ParseInt32(Peek().text);
  if (!number) return Unexpected(expected);
  Take();
  return *number;
}

Result<std::string> DefinitionCursor::TakeText(std::string_view expected) {
  if (Peek().kind != DefinitionTokenKind::kText) return Unexpected(expected);
  return Take().text;
}

Result<std::string> DefinitionCursor::TakeRawUntil(char close) {
  const size_t begin = Peek().offset;
  while (!IsSymbol(close)) {
    if (IsAtEnd()) return Unexpected(std::string("'") + close + "'");
    Take();
  }
  const size_t end = Take().offset;
  return text_.substr(begin, end - begin);
}

Error DefinitionCursor::Unexpected(std::string_view expected) const {
  const DefinitionToken& token = Peek();
  const std::string found =
      token.kind == DefinitionTokenKind::kEnd ? "its end" : "'" + token.text.substr(0, 80) + "'";
  return Fail(token.offset, fmt::format("found {}, expected {}", found, expected));
}

Error DefinitionCursor::Fail(size_t offset, std::string_view problem) const {
  const size_t character = CountCharacters(std::string_view(text_).substr(0, offset)) + 1;
  return MakeError(ErrorCode::kInvalidInput, "{}, character {}: {}", what_, character, problem);
}

std::string FormatDefinitionName(std::string_view name) {
  const bool is_plain = !name.empty() && IsNameStart(name.front()) &&
                        std::all_of(name.begin(), name.end(), IsNamePart);
  if (is_plain) return std::string(name);
  return "`" + ReplaceText(name, "`", "``") + "`";
}

std::string FormatDefinitionPath(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& name : path) {
    if (!text.empty()) text += '.';
    text += FormatDefinitionName(name);
  }
  return text;
}

}  // namespace firn
