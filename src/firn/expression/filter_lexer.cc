#include <algorithm>
#include <array>
#include <utility>

#include "firn/base/text.h"
#include "firn/base/utf8.h"
#include "firn/expression/filter_lexer_internal.h"

namespace firn {
namespace {

constexpr std::array<std::string_view, 10> kReservedWords = {
    "AND", "BETWEEN", "FALSE", "IN", "IS", "LIKE", "NOT", "NULL", "OR", "TRUE"};

// Longest first among those with the same start.
constexpr std::array<std::string_view, 16> kSymbols = {
    "<=>", "<=", "<>", "<", ">=", ">", "==", "=", "!=", "!", "(", ")", ",", ".", "-", "+"};

constexpr std::array<std::string_view, 6> kNumberSuffixes = {"BD", "D", "F", "L", "S", "Y"};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
// Letters of other alphabets are bytes from 0x80.
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    while (true) {
      const size_t before = position_;
      while (position_ < text_.size() && IsBlank(text_[position_]))
        ++position_;
      const size_t start = position_;
      FIRN_ASSIGN(Token token, Next());
      token.offset = start;
      token.length = position_ - start;
      token.is_next_to = before == start;
      tokens.push_back(std::move(token));
      if (tokens.back().kind == TokenKind::kEnd) return tokens;
    }
  }

 private:
  Result<Token> Next() {
    if (position_ == text_.size()) return Token{};
    const char c = text_[position_];
    if (c == '\'') return Quoted(TokenKind::kText);
    if (c == '"' || c == '`') return Quoted(TokenKind::kQuotedName);
    if (IsDigit(c) || (c == '.' && IsDigit(At(position_ + 1)))) return Number();
    if ((c == 'x' || c == 'X') && At(position_ + 1) == '\'') return Bytes();
    if (IsNameStart(c)) return Name();
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(position_).starts_with(symbol)) {
        position_ += symbol.size();
        return Token{.kind = TokenKind::kSymbol, .text = std::string(symbol)};
      }
    }
    if (std::string_view("%/&|^~").find(c) != std::string_view::npos) {
      return Fail(position_,
                  "found '{}', but a filter computes nothing: it compares columns with literals",
                  std::string_view(&c, 1));
    }
    return Fail(position_, "found '{}', expected a column, a literal or an operator",
                TakeCodePoints(text_.substr(position_), 1));
  }

  // A doubled quote stands for one.
  Result<Token> Quoted(TokenKind kind) {
    const size_t start = position_;
    const char quote = text_[position_++];
    Token token{.kind = kind};
    while (position_ < text_.size()) {
      const char c = text_[position_++];
      if (c != quote) {
        token.text += c;
      } else if (At(position_) == quote) {
        token.text += quote;
        ++position_;
      } else {
        return token;
      }
    }
    return Fail(start, "found {} without its closing {}", quote, quote);
  }

  Result<Token> Bytes() {
    const size_t start = position_;
    ++position_;
    FIRN_ASSIGN(Token token, Quoted(TokenKind::kBytes));
    const bool are_digits = std::all_of(token.text.begin(), token.text.end(), IsHexDigit);
    if (!are_digits || token.text.size() % 2 != 0) {
      return Fail(start, "found X'{}', expected an even number of hexadecimal digits", token.text);
    }
    token.text = LowerAscii(token.text);
    return token;
  }

  Result<Token> Number() {
    const size_t start = position_;
    SkipDigits();
    if (At(position_) == '.') {
      ++position_;
      SkipDigits();
    }
    if (At(position_) == 'e' || At(position_) == 'E') {
      ++position_;
      if (At(position_) == '+' || At(position_) == '-') ++position_;
      if (!IsDigit(At(position_))) return MalformedNumber(start);
      SkipDigits();
    }
    Token token{.kind = TokenKind::kNumber,
                .text = std::string(text_.substr(start, position_ - start))};
    const size_t suffix_start = position_;
    while (IsNamePart(At(position_)))
      ++position_;
    const std::string suffix = UpperAscii(text_.substr(suffix_start, position_ - suffix_start));
    const bool is_suffix =
        std::find(kNumberSuffixes.begin(), kNumberSuffixes.end(), suffix) != kNumberSuffixes.end();
    if (!suffix.empty() && !is_suffix) return MalformedNumber(start);
    return token;
  }

  Error MalformedNumber(size_t start) {
    while (IsNamePart(At(position_)))
      ++position_;
    return Fail(start,
                "found '{}', expected a number such as 12, -1.5 or 1e6; a column whose name starts "
                "with a digit needs `quotes`",
                text_.substr(start, position_ - start));
  }

  Token Name() {
    const size_t start = position_;
    while (IsNamePart(At(position_)))
      ++position_;
    return {.kind = TokenKind::kName, .text = std::string(text_.substr(start, position_ - start))};
  }

  void SkipDigits() {
    while (IsDigit(At(position_)))
      ++position_;
  }

  // NUL behind the end: it is no part of any token.
  char At(size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  template <typename... Args>
  Error Fail(size_t offset, fmt::format_string<Args...> message, Args&&... args) const {
    return MakeError(ErrorCode::kInvalidInput, message, std::forward<Args>(args)...)
        .Within(FormatFilterPosition(text_, offset));
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

Result<std::vector<Token>> TokenizeFilter(std::string_view text) { return Lexer(text).Run(); }

std::string FormatFilterPosition(std::string_view text, size_t offset) {
  return fmt::format("filter, character {}", CountCodePoints(text.substr(0, offset)) + 1);
}

bool IsPlainName(std::string_view name) {
  return !name.empty() && IsNameStart(name.front()) &&
         std::all_of(name.begin(), name.end(), IsNamePart) && !IsReservedWord(name);
}

bool IsReservedWord(std::string_view word) {
  return std::any_of(kReservedWords.begin(), kReservedWords.end(),
                     [&](std::string_view reserved) { return EqualsIgnoreCase(reserved, word); });
}

}  // namespace firn
