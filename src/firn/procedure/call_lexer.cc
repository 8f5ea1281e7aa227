#include <algorithm>
#include <utility>

#include "firn/base/text.h"
#include "firn/procedure/call_lexer_internal.h"

namespace firn {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

char Unescape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return c;
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<CallToken> Next() {
    FIRN_RETURN_IF_ERROR(SkipBlanks());
    CallToken token;
    token.position = at_ + 1;
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    if (c == '`') return ReadQuoted(std::move(token), CallToken::Kind::kName);
    if (c == '\'' || c == '"') return ReadQuoted(std::move(token), CallToken::Kind::kText);
    const bool is_signed = c == '-' || c == '+';
    const bool is_fraction = c == '.' && IsDigit(Peek(1));
    if (IsDigit(c) || is_fraction || (is_signed && (IsDigit(Peek(1)) || Peek(1) == '.'))) {
      return ReadNumber(std::move(token));
    }
    if (IsNameStart(c)) return ReadName(std::move(token));
    return ReadSymbol(std::move(token));
  }

 private:
  char Peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Error Fail(size_t position, std::string_view what) const {
    return MakeError(ErrorCode::kInvalidInput, "CALL statement, position {}: {}", position, what);
  }

  Status SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (c == '-' && Peek(1) == '-') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '/' && Peek(1) == '*') {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return Fail(at_ + 1, "the comment is never closed");
        at_ = end + 2;
      } else {
        break;
      }
    }
    return {};
  }

  // A doubled quote stands for itself; in literals a backslash escapes as in Spark.
  Result<CallToken> ReadQuoted(CallToken token, CallToken::Kind kind) {
    const char quote = text_[at_++];
    token.kind = kind;
    token.is_quoted = true;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && kind == CallToken::Kind::kText && at_ + 1 < text_.size()) {
        token.text += Unescape(text_[++at_]);
      } else if (c != quote) {
        token.text += c;
      } else if (Peek(1) == quote) {
        token.text += c;
        ++at_;
      } else {
        ++at_;
        return token;
      }
    }
    return Fail(token.position, std::string("the quote ") + quote + " is never closed");
  }

  Result<CallToken> ReadNumber(CallToken token) {
    token.kind = CallToken::Kind::kNumber;
    if (text_[at_] == '+') ++at_;
    const size_t start = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool is_exponent_sign =
          (c == '-' || c == '+') && at_ > start && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
      const bool is_first_sign = c == '-' && at_ == start;
      if (!IsDigit(c) && c != '.' && c != 'e' && c != 'E' && !is_exponent_sign && !is_first_sign) {
        break;
      }
      ++at_;
    }
    token.text = text_.substr(start, at_ - start);
    const bool has_suffix = Peek(0) == 'L' || Peek(0) == 'l' || Peek(0) == 'D' || Peek(0) == 'd';
    if (has_suffix) ++at_;
    if (IsNamePart(Peek(0))) return Fail(token.position, "the number has letters behind it");
    return token;
  }

  Result<CallToken> ReadName(CallToken token) {
    token.kind = CallToken::Kind::kName;
    const size_t start = at_;
    while (at_ < text_.size() && IsNamePart(text_[at_]))
      ++at_;
    token.text = text_.substr(start, at_ - start);
    return token;
  }

  Result<CallToken> ReadSymbol(CallToken token) {
    token.kind = CallToken::Kind::kSymbol;
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("=>")) {
      token.text = "=>";
    } else if (std::string_view("(),.;").find(rest.front()) != std::string_view::npos) {
      token.text = rest.front();
    } else {
      return Fail(token.position, std::string("unexpected '") + rest.front() + "'");
    }
    at_ += token.text.size();
    return token;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

bool CallToken::IsKeyword(std::string_view keyword) const {
  return kind == Kind::kName && !is_quoted && EqualsIgnoreCase(text, keyword);
}

Result<std::vector<CallToken>> SplitCall(std::string_view text) {
  Lexer lexer(text);
  std::vector<CallToken> tokens;
  do {
    FIRN_ASSIGN(CallToken token, lexer.Next());
    tokens.push_back(std::move(token));
  } while (tokens.back().kind != CallToken::Kind::kEnd);
  return tokens;
}

std::string DescribeToken(const CallToken& token) {
  if (token.kind == CallToken::Kind::kEnd) return "the end of the statement";
  return "'" + token.text + "'";
}

}  // namespace firn
