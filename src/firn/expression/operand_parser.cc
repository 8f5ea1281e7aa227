#include <array>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/base/utf8.h"
#include "firn/expression/operand_parser_internal.h"

namespace firn {
namespace {

using Kind = Literal::Kind;

struct TransformName {
  std::string_view name;
  TransformKind kind;
};
constexpr std::array<TransformName, 11> kTransformNames = {{
    {"bucket", TransformKind::kBucket},
    {"date", TransformKind::kDay},
    {"day", TransformKind::kDay},
    {"days", TransformKind::kDay},
    {"hour", TransformKind::kHour},
    {"hours", TransformKind::kHour},
    {"month", TransformKind::kMonth},
    {"months", TransformKind::kMonth},
    {"truncate", TransformKind::kTruncate},
    {"year", TransformKind::kYear},
    {"years", TransformKind::kYear},
}};

struct TypedLiteralName {
  std::string_view name;
  Kind kind;
};
constexpr std::array<TypedLiteralName, 8> kTypedLiterals = {{
    {"date", Kind::kDate},
    {"time", Kind::kTime},
    {"timestamp", Kind::kTimestamp},
    {"timestamp_ltz", Kind::kTimestamp},
    {"timestamp_ntz", Kind::kTimestamp},
    {"timestamptz", Kind::kTimestamp},
    {"binary", Kind::kBinary},
    {"uuid", Kind::kUuid},
}};

const TypedLiteralName* FindTypedLiteral(std::string_view name) {
  for (const TypedLiteralName& candidate : kTypedLiterals) {
    if (EqualsIgnoreCase(candidate.name, name)) return &candidate;
  }
  return nullptr;
}

const TransformName* FindTransform(std::string_view function) {
  for (const TransformName& candidate : kTransformNames) {
    if (EqualsIgnoreCase(candidate.name, function)) return &candidate;
  }
  return nullptr;
}

std::string JoinName(const std::vector<std::string>& parts) {
  std::string name = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) {
    name += '.';
    name += parts[i];
  }
  return name;
}

std::string_view CalendarExample(std::string_view function) {
  if (function == "month") return "2026-01";
  return function == "day" ? "2026-01-31" : "2026-01-31-10";
}

}  // namespace

Literal MakeBooleanLiteral(bool value) {
  return {.kind = Kind::kBoolean, .text = value ? "true" : "false"};
}

Result<Operand> OperandParser::ParseOperand() {
  const Token& token = Peek();
  Operand operand{.offset = token.offset};
  const bool is_name = token.kind == TokenKind::kQuotedName ||
                       (token.kind == TokenKind::kName && !IsReservedWord(token.text));
  if (!is_name || IsTypedLiteral()) {
    FIRN_ASSIGN(operand.literal, ParseLiteral());
    return operand;
  }
  operand.is_term = true;
  FIRN_ASSIGN(const std::vector<std::string> parts, ParseName());
  if (AcceptSymbol("(")) {
    FIRN_RETURN_IF_ERROR(ParseCall(parts, operand));
  } else {
    operand.term.name = JoinName(parts);
  }
  return operand;
}

Result<Operand> OperandParser::ParseOther(const Operand& left) {
  if (!left.is_term || !IsDoubleQuoted()) return ParseOperand();
  Operand operand{.offset = Peek().offset};
  FIRN_ASSIGN(operand.literal, ParseLiteral());
  return operand;
}

bool OperandParser::IsDoubleQuoted() const {
  return Peek().kind == TokenKind::kQuotedName && text_[Peek().offset] == '"';
}

Result<std::string> OperandParser::ParseColumn() {
  FIRN_ASSIGN(const std::vector<std::string> parts, ParseName());
  return JoinName(parts);
}

Result<std::vector<std::string>> OperandParser::ParseName() {
  std::vector<std::string> parts;
  do {
    const Token& token = Peek();
    const bool is_name = token.kind == TokenKind::kQuotedName || token.kind == TokenKind::kName;
    if (!is_name || token.text.empty()) return Fail("a column");
    parts.push_back(Take().text);
  } while (AcceptSymbol("."));
  return parts;
}

// After '('. `parts` name the function, with its catalog and `system` before it or not.
Status OperandParser::ParseCall(const std::vector<std::string>& parts, Operand& operand) {
  const TransformName* found = FindTransform(parts.back());
  const bool is_system = parts.size() >= 2 && EqualsIgnoreCase(parts[parts.size() - 2], "system");
  if (found == nullptr || (parts.size() > 1 && !is_system)) {
    return FailAt(operand.offset,
                  "found the function '{}', expected one of bucket, days, hours, months, "
                  "truncate, year, years",
                  JoinName(parts));
  }
  operand.term.transform.kind = found->kind;
  const std::string_view name = found->name;
  if (name == "year" || name == "month" || name == "day" || name == "hour") {
    operand.calendar_function = name;
  }
  const bool has_width =
      found->kind == TransformKind::kBucket || found->kind == TransformKind::kTruncate;
  return ParseArguments(has_width, operand);
}

// The width of bucket and truncate may stand before the column or after it.
Status OperandParser::ParseArguments(bool has_width, Operand& operand) {
  if (has_width && Peek().kind == TokenKind::kNumber) {
    FIRN_RETURN_IF_ERROR(ParseWidth(operand));
    if (!AcceptSymbol(",")) return Fail("',' and a column");
    has_width = false;
  }
  FIRN_ASSIGN(operand.term.name, ParseColumn());
  if (has_width) {
    if (!AcceptSymbol(",")) return Fail("',' and a width");
    FIRN_RETURN_IF_ERROR(ParseWidth(operand));
  }
  if (!AcceptSymbol(")")) return Fail("')'");
  return {};
}

Status OperandParser::ParseWidth(Operand& operand) {
  const auto width =
      Peek().kind == TokenKind::kNumber ? ParseInt32(Peek().text) : std::optional<int32_t>();
  if (!width || *width <= 0) return Fail("a whole number from 1 to 2147483647");
  ++next_;
  operand.term.transform.width = *width;
  return {};
}

bool OperandParser::IsTypedLiteral() const {
  return Peek().kind == TokenKind::kName && PeekNext().kind == TokenKind::kText &&
         FindTypedLiteral(Peek().text) != nullptr;
}

Result<Literal> OperandParser::ParseLiteral() {
  const Token& token = Peek();
  if (token.kind == TokenKind::kText || IsDoubleQuoted()) {
    return Literal{.kind = Kind::kText, .text = Take().text};
  }
  if (token.kind == TokenKind::kBytes) return Literal{.kind = Kind::kBinary, .text = Take().text};
  if (AcceptWord("TRUE")) return MakeBooleanLiteral(true);
  if (AcceptWord("FALSE")) return MakeBooleanLiteral(false);
  if (AcceptWord("NULL")) return Literal{};
  if (IsTypedLiteral()) return ParseTypedLiteral();
  const bool is_negative = AcceptSymbol("-");
  if (!is_negative) AcceptSymbol("+");
  if (Peek().kind != TokenKind::kNumber) return Fail("a literal");
  std::string digits = Take().text;
  return Literal{.kind = Kind::kNumber, .text = is_negative ? "-" + digits : std::move(digits)};
}

Literal OperandParser::ParseTypedLiteral() {
  const Kind kind = FindTypedLiteral(Take().text)->kind;
  std::string text(TrimText(Take().text));
  if (kind != Kind::kBinary) return {.kind = kind, .text = std::move(text)};
  return {.kind = kind, .text = FormatHex(AsBytes(text))};
}

Result<Literal> OperandParser::AdaptToCalendar(const Operand& operand, Literal literal) const {
  if (operand.calendar_function.empty() || literal.kind != Kind::kNumber) return literal;
  if (operand.calendar_function == "year") {
    constexpr int64_t kYearMax = 1'000'000'000;
    const auto year = ParseInt64(literal.text);
    if (!year || *year < -kYearMax || *year > kYearMax) {
      return FailAt(operand.offset, "year(...) is compared with {}, expected a calendar year",
                    literal.text);
    }
    literal.text = std::to_string(*year - 1970);
    return literal;
  }
  return FailAt(operand.offset,
                "{0}(...) of a number is a part of the date in SQL, which firn cannot filter by; "
                "compare with text such as {0}({1}) = '{2}'",
                operand.calendar_function, operand.term.name,
                CalendarExample(operand.calendar_function));
}

std::string_view OperandParser::PeekSymbol() const {
  return Peek().kind == TokenKind::kSymbol ? std::string_view(Peek().text) : std::string_view();
}

bool OperandParser::AcceptSymbol(std::string_view symbol) {
  if (PeekSymbol() != symbol) return false;
  ++next_;
  return true;
}

bool OperandParser::AcceptWord(std::string_view word) {
  if (Peek().kind != TokenKind::kName || !EqualsIgnoreCase(Peek().text, word)) return false;
  ++next_;
  return true;
}

Error OperandParser::Fail(std::string_view expected) const {
  const Token& token = Peek();
  if (token.kind == TokenKind::kEnd) {
    return FailAt(token.offset, "found the end of the filter, expected {}", expected);
  }
  constexpr size_t kShownMax = 40;
  return FailAt(token.offset, "found {}, expected {}",
                TakeCodePoints(text_.substr(token.offset, token.length), kShownMax), expected);
}

}  // namespace firn
