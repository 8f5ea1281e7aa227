#include <array>
#include <optional>
#include <utility>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/base/utf8.h"
#include "firn/expression/expression.h"
#include "firn/expression/filter_lexer_internal.h"
#include "firn/expression/like_pattern_internal.h"
#include "firn/expression/number_literal_internal.h"

// SQL filters, by recursive descent:
//
//   or        := and (OR and)*
//   and       := not (AND not)*
//   not       := (NOT | !) not | '(' or ')' | predicate
//   predicate := operand [comparison operand | IS [NOT] word | [NOT] IN (...) | [NOT] BETWEEN ..
//   AND
//                .. | [NOT] LIKE text [ESCAPE text]]
//   operand   := literal | name | function '(' ... ')'

namespace firn {
namespace {

// Deep enough for people and programs, shallow enough for any stack.
constexpr int kDepthMax = 200;

using Kind = Literal::Kind;

struct Operand {
  size_t offset = 0;
  bool is_term = false;
  Term term;
  Literal literal;
  std::string calendar_function;  ///< "year", "month", "day" or "hour", if it was called so.
};

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

// Nullopt: no comparison operator.
std::optional<ExpressionKind> ComparisonKind(std::string_view symbol) {
  if (symbol == "=" || symbol == "==") return ExpressionKind::kEqual;
  if (symbol == "<>" || symbol == "!=") return ExpressionKind::kNotEqual;
  if (symbol == "<") return ExpressionKind::kLess;
  if (symbol == "<=") return ExpressionKind::kLessEqual;
  if (symbol == ">") return ExpressionKind::kGreater;
  if (symbol == ">=") return ExpressionKind::kGreaterEqual;
  return std::nullopt;
}

// The kind of b OP a for that of a OP b.
ExpressionKind Mirror(ExpressionKind kind) {
  if (kind == ExpressionKind::kLess) return ExpressionKind::kGreater;
  if (kind == ExpressionKind::kLessEqual) return ExpressionKind::kGreaterEqual;
  if (kind == ExpressionKind::kGreater) return ExpressionKind::kLess;
  if (kind == ExpressionKind::kGreaterEqual) return ExpressionKind::kLessEqual;
  return kind;
}

bool IsTrueFor(ExpressionKind kind, std::strong_ordering order) {
  if (kind == ExpressionKind::kEqual) return order == 0;
  if (kind == ExpressionKind::kNotEqual) return order != 0;
  if (kind == ExpressionKind::kLess) return order < 0;
  if (kind == ExpressionKind::kLessEqual) return order <= 0;
  if (kind == ExpressionKind::kGreater) return order > 0;
  return order >= 0;
}

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Result<ExpressionPtr> Run() {
    FIRN_ASSIGN(ExpressionPtr expression, ParseOr());
    if (Peek().kind != TokenKind::kEnd) {
      return Fail("an operator, AND, OR or the end of the filter");
    }
    return expression;
  }

 private:
  Result<ExpressionPtr> ParseOr() {
    std::vector<ExpressionPtr> operands;
    do {
      FIRN_ASSIGN(ExpressionPtr operand, ParseAnd());
      operands.push_back(std::move(operand));
    } while (AcceptWord("OR"));
    return Expression::Or(std::move(operands));
  }

  Result<ExpressionPtr> ParseAnd() {
    std::vector<ExpressionPtr> operands;
    do {
      FIRN_ASSIGN(ExpressionPtr operand, ParseNot());
      operands.push_back(std::move(operand));
    } while (AcceptWord("AND"));
    return Expression::And(std::move(operands));
  }

  Result<ExpressionPtr> ParseNot() {
    const Token& first = Peek();
    const bool is_not = AcceptWord("NOT") || AcceptSymbol("!");
    if (!is_not && !AcceptSymbol("(")) return ParsePredicate();
    if (++depth_ > kDepthMax) {
      return FailAt(first.offset, "parentheses and NOT are nested deeper than {}", kDepthMax);
    }
    FIRN_ASSIGN(ExpressionPtr inner, is_not ? ParseNot() : ParseOr());
    --depth_;
    if (is_not) return Expression::Not(std::move(inner));
    if (!AcceptSymbol(")")) return Fail("')', AND or OR");
    return inner;
  }

  Result<ExpressionPtr> ParsePredicate() {
    if (const auto test = TakeTestFunction()) {
      FIRN_ASSIGN(const std::vector<std::string> parts, ParseName());
      if (!AcceptSymbol(")")) return Fail("')'");
      return Expression::Predicate(*test, Term{.name = JoinName(parts)}, {});
    }
    FIRN_ASSIGN(const Operand left, ParseOperand());
    if (const auto kind = ComparisonKind(SymbolText())) {
      ++next_;
      FIRN_ASSIGN(const Operand right, ParseOperand());
      return MakeComparison(*kind, left, right);
    }
    if (SymbolText() == "<=>") {
      ++next_;
      return ParseNullSafeEqual(left);
    }
    if (!left.is_term) {
      if (left.literal.kind == Kind::kBoolean) {
        return left.literal.text == "true" ? Expression::True() : Expression::False();
      }
      return Fail("a comparison with a column");
    }
    if (AcceptWord("IS")) return ParseIs(left);
    const bool is_negated = AcceptWord("NOT");
    if (AcceptWord("IN")) return ParseIn(left, is_negated);
    if (AcceptWord("BETWEEN")) return ParseBetween(left, is_negated);
    if (AcceptWord("LIKE")) return ParseLike(left, is_negated);
    if (is_negated) return Fail("IN, BETWEEN or LIKE");
    return MakePredicate(ExpressionKind::kEqual, left, BooleanLiteral(true));
  }

  // Take "isnan(", "isnull(" or "isnotnull(", Spark's spelling of the tests.
  std::optional<ExpressionKind> TakeTestFunction() {
    const Token& token = Peek();
    if (token.kind != TokenKind::kName || tokens_[next_ + 1].text != "(") return std::nullopt;
    std::optional<ExpressionKind> kind;
    if (EqualsIgnoreCase(token.text, "isnan")) kind = ExpressionKind::kIsNan;
    if (EqualsIgnoreCase(token.text, "isnull")) kind = ExpressionKind::kIsNull;
    if (EqualsIgnoreCase(token.text, "isnotnull")) kind = ExpressionKind::kNotNull;
    if (kind) next_ += 2;
    return kind;
  }

  Result<ExpressionPtr> MakeComparison(ExpressionKind kind, const Operand& left,
                                       const Operand& right) {
    if (left.is_term && right.is_term) {
      return FailAt(right.offset,
                    "found a second column, expected a literal; a filter compares one column with "
                    "literals");
    }
    if (left.is_term) return MakePredicate(kind, left, right.literal);
    if (right.is_term) return MakePredicate(Mirror(kind), right, left.literal);
    return CompareLiterals(kind, left, right);
  }

  // Such as 1 = 1, which programs write for "no filter".
  Result<ExpressionPtr> CompareLiterals(ExpressionKind kind, const Operand& left,
                                        const Operand& right) {
    const Kind type = left.literal.kind;
    const bool is_known = type == Kind::kNumber || type == Kind::kText || type == Kind::kBoolean;
    if (type != right.literal.kind || !is_known) {
      return FailAt(left.offset, "found a comparison of two literals, expected a column");
    }
    const std::strong_ordering order =
        type == Kind::kNumber ? CompareNumberTexts(left.literal.text, right.literal.text)
                              : left.literal.text <=> right.literal.text;
    return IsTrueFor(kind, order) ? Expression::True() : Expression::False();
  }

  // a <=> b is never null: both null, or equal.
  Result<ExpressionPtr> ParseNullSafeEqual(const Operand& left) {
    FIRN_ASSIGN(const Operand right, ParseOperand());
    const Operand& term = left.is_term ? left : right;
    const Operand& other = left.is_term ? right : left;
    if (!term.is_term || other.is_term) {
      return FailAt(right.offset,
                    "expected a column on one side of <=> and a literal on the other");
    }
    if (other.literal.kind == Kind::kNull) return MakeTest(ExpressionKind::kIsNull, term);
    FIRN_ASSIGN(ExpressionPtr equal, MakePredicate(ExpressionKind::kEqual, term, other.literal));
    return Expression::And(MakeTest(ExpressionKind::kNotNull, term), std::move(equal));
  }

  Result<ExpressionPtr> ParseIs(const Operand& left) {
    const bool is_negated = AcceptWord("NOT");
    if (AcceptWord("NULL")) {
      return MakeTest(is_negated ? ExpressionKind::kNotNull : ExpressionKind::kIsNull, left);
    }
    if (AcceptWord("NAN")) {
      return MakeTest(is_negated ? ExpressionKind::kNotNan : ExpressionKind::kIsNan, left);
    }
    const bool is_true = AcceptWord("TRUE");
    if (!is_true && !AcceptWord("FALSE")) return Fail("NULL, NAN, TRUE or FALSE");
    FIRN_ASSIGN(ExpressionPtr equal,
                MakePredicate(ExpressionKind::kEqual, left, BooleanLiteral(is_true)));
    ExpressionPtr test =
        Expression::And(MakeTest(ExpressionKind::kNotNull, left), std::move(equal));
    return is_negated ? Expression::Not(std::move(test)) : test;
  }

  Result<ExpressionPtr> ParseIn(const Operand& left, bool is_negated) {
    if (!AcceptSymbol("(")) return Fail("'('");
    std::vector<Literal> literals;
    do {
      FIRN_ASSIGN(Literal literal, ParseLiteral());
      FIRN_RETURN_IF_ERROR(AdaptToCalendar(left, literal));
      literals.push_back(std::move(literal));
    } while (AcceptSymbol(","));
    if (!AcceptSymbol(")")) return Fail("',' or ')'");
    return Expression::Predicate(is_negated ? ExpressionKind::kNotIn : ExpressionKind::kIn,
                                 left.term, std::move(literals));
  }

  Result<ExpressionPtr> ParseBetween(const Operand& left, bool is_negated) {
    FIRN_ASSIGN(const Literal low, ParseLiteral());
    if (!AcceptWord("AND")) return Fail("AND and the upper end of BETWEEN");
    FIRN_ASSIGN(const Literal high, ParseLiteral());
    FIRN_ASSIGN(ExpressionPtr above, MakePredicate(ExpressionKind::kGreaterEqual, left, low));
    FIRN_ASSIGN(ExpressionPtr below, MakePredicate(ExpressionKind::kLessEqual, left, high));
    ExpressionPtr both = Expression::And(std::move(above), std::move(below));
    return is_negated ? Expression::Not(std::move(both)) : both;
  }

  Result<ExpressionPtr> ParseLike(const Operand& left, bool is_negated) {
    const size_t offset = Peek().offset;
    if (Peek().kind != TokenKind::kText) return Fail("a pattern in quotes");
    const std::string written = Take().text;
    std::string escape = "\\";
    if (AcceptWord("ESCAPE")) {
      if (Peek().kind != TokenKind::kText || CountCodePoints(Peek().text) != 1) {
        return Fail("one character in quotes");
      }
      escape = Take().text;
    }
    auto pattern = NormalizeLikePattern(written, escape);
    if (!pattern.ok()) return pattern.error().Within(FormatFilterPosition(text_, offset));
    LikePattern shape = AnalyzeLikePattern(*pattern);
    const bool is_prefix = shape.shape == LikeShape::kPrefix;
    Literal literal{.kind = Kind::kText,
                    .text = is_prefix ? std::move(shape.prefix) : std::move(*pattern)};
    const ExpressionKind kind =
        is_prefix ? (is_negated ? ExpressionKind::kNotStartsWith : ExpressionKind::kStartsWith)
                  : (is_negated ? ExpressionKind::kNotLike : ExpressionKind::kLike);
    return Expression::Predicate(kind, left.term, {std::move(literal)});
  }

  Result<Operand> ParseOperand() {
    const Token& token = Peek();
    Operand operand{.offset = token.offset};
    const bool is_name = token.kind == TokenKind::kQuotedName ||
                         (token.kind == TokenKind::kName && !IsReservedWord(token.text));
    if (!is_name || IsTypedLiteral()) {
      FIRN_ASSIGN(operand.literal, ParseLiteral());
      return operand;
    }
    operand.is_term = true;
    FIRN_ASSIGN(std::vector<std::string> parts, ParseName());
    if (AcceptSymbol("(")) {
      FIRN_RETURN_IF_ERROR(ParseCall(parts, operand));
    } else {
      operand.term.name = JoinName(parts);
    }
    return operand;
  }

  Result<std::vector<std::string>> ParseName() {
    std::vector<std::string> parts;
    do {
      const Token& token = Peek();
      const bool is_name = token.kind == TokenKind::kQuotedName || token.kind == TokenKind::kName;
      if (!is_name || token.text.empty()) return Fail("a column");
      parts.push_back(Take().text);
    } while (AcceptSymbol("."));
    return parts;
  }

  static std::string JoinName(const std::vector<std::string>& parts) {
    std::string name = parts.front();
    for (size_t i = 1; i < parts.size(); ++i) {
      name += '.';
      name += parts[i];
    }
    return name;
  }

  // After '('. `parts` name the function, with its catalog and `system` before it or not.
  Status ParseCall(const std::vector<std::string>& parts, Operand& operand) {
    const std::string function = LowerAscii(parts.back());
    const TransformName* found = nullptr;
    for (const TransformName& candidate : kTransformNames) {
      if (candidate.name == function) found = &candidate;
    }
    const bool is_system = parts.size() >= 2 && EqualsIgnoreCase(parts[parts.size() - 2], "system");
    if (found == nullptr || (parts.size() > 1 && !is_system)) {
      return FailAt(operand.offset,
                    "found the function '{}', expected one of bucket, days, hours, months, "
                    "truncate, year, years",
                    JoinName(parts));
    }
    operand.term.transform.kind = found->kind;
    const bool is_calendar =
        function == "year" || function == "month" || function == "day" || function == "hour";
    if (is_calendar) operand.calendar_function = function;
    const bool has_width =
        found->kind == TransformKind::kBucket || found->kind == TransformKind::kTruncate;
    return ParseArguments(has_width, operand);
  }

  // The width of bucket and truncate may stand before the column or after it.
  Status ParseArguments(bool has_width, Operand& operand) {
    if (has_width && Peek().kind == TokenKind::kNumber) {
      FIRN_RETURN_IF_ERROR(ParseWidth(operand));
      if (!AcceptSymbol(",")) return Fail("',' and a column");
      has_width = false;
    }
    FIRN_ASSIGN(const std::vector<std::string> parts, ParseName());
    operand.term.name = JoinName(parts);
    if (has_width) {
      if (!AcceptSymbol(",")) return Fail("',' and a width");
      FIRN_RETURN_IF_ERROR(ParseWidth(operand));
    }
    if (!AcceptSymbol(")")) return Fail("')'");
    return {};
  }

  Status ParseWidth(Operand& operand) {
    const auto width =
        Peek().kind == TokenKind::kNumber ? ParseInt32(Peek().text) : std::optional<int32_t>();
    if (!width || *width <= 0) return Fail("a whole number from 1 to 2147483647");
    ++next_;
    operand.term.transform.width = *width;
    return {};
  }

  bool IsTypedLiteral() const {
    return Peek().kind == TokenKind::kName && tokens_[next_ + 1].kind == TokenKind::kText &&
           FindTypedLiteral(Peek().text) != nullptr;
  }

  static const TypedLiteralName* FindTypedLiteral(std::string_view name) {
    for (const TypedLiteralName& candidate : kTypedLiterals) {
      if (EqualsIgnoreCase(candidate.name, name)) return &candidate;
    }
    return nullptr;
  }

  Result<Literal> ParseLiteral() {
    const Token& token = Peek();
    if (token.kind == TokenKind::kText) return Literal{.kind = Kind::kText, .text = Take().text};
    if (token.kind == TokenKind::kBytes) return Literal{.kind = Kind::kBinary, .text = Take().text};
    if (AcceptWord("TRUE")) return BooleanLiteral(true);
    if (AcceptWord("FALSE")) return BooleanLiteral(false);
    if (AcceptWord("NULL")) return Literal{};
    if (IsTypedLiteral()) return ParseTypedLiteral();
    const bool is_negative = AcceptSymbol("-");
    if (!is_negative) AcceptSymbol("+");
    if (Peek().kind != TokenKind::kNumber) return Fail("a literal");
    std::string digits = Take().text;
    return Literal{.kind = Kind::kNumber, .text = is_negative ? "-" + digits : std::move(digits)};
  }

  Result<Literal> ParseTypedLiteral() {
    const Kind kind = FindTypedLiteral(Take().text)->kind;
    std::string text(TrimText(Take().text));
    if (kind != Kind::kBinary) return Literal{.kind = kind, .text = std::move(text)};
    return Literal{.kind = kind, .text = FormatHex(AsBytes(text))};
  }

  static Literal BooleanLiteral(bool value) {
    return {.kind = Kind::kBoolean, .text = value ? "true" : "false"};
  }

  Result<ExpressionPtr> MakePredicate(ExpressionKind kind, const Operand& operand,
                                      Literal literal) {
    FIRN_RETURN_IF_ERROR(AdaptToCalendar(operand, literal));
    return Expression::Predicate(kind, operand.term, {std::move(literal)});
  }

  static ExpressionPtr MakeTest(ExpressionKind kind, const Operand& operand) {
    return Expression::Predicate(kind, operand.term, {});
  }

  // SQL's year(ts) is the calendar year and its month, day and hour begin anew in each year, month
  // and day, while the transforms count from 1970: a number means something else for each.
  Status AdaptToCalendar(const Operand& operand, Literal& literal) {
    if (operand.calendar_function.empty() || literal.kind != Kind::kNumber) return {};
    if (operand.calendar_function == "year") {
      const auto year = ParseInt64(literal.text);
      if (!year || *year < -1'000'000'000 || *year > 1'000'000'000) {
        return FailAt(operand.offset, "year(...) is compared with {}, expected a calendar year",
                      literal.text);
      }
      literal.text = std::to_string(*year - 1970);
      return {};
    }
    return FailAt(operand.offset,
                  "{0}(...) of a number is a part of the date in SQL, which firn cannot filter by; "
                  "compare with text such as {0}({1}) = '{2}'",
                  operand.calendar_function, operand.term.name,
                  operand.calendar_function == "month"
                      ? "2026-01"
                      : (operand.calendar_function == "day" ? "2026-01-31" : "2026-01-31-10"));
  }

  const Token& Peek() const { return tokens_[next_]; }
  const Token& Take() { return tokens_[next_++]; }

  std::string_view SymbolText() const {
    return Peek().kind == TokenKind::kSymbol ? std::string_view(Peek().text) : std::string_view();
  }
  bool AcceptSymbol(std::string_view symbol) {
    if (SymbolText() != symbol) return false;
    ++next_;
    return true;
  }
  bool AcceptWord(std::string_view word) {
    if (Peek().kind != TokenKind::kName || !EqualsIgnoreCase(Peek().text, word)) return false;
    ++next_;
    return true;
  }

  template <typename... Args>
  Error FailAt(size_t offset, fmt::format_string<Args...> message, Args&&... args) const {
    return MakeError(ErrorCode::kInvalidInput, message, std::forward<Args>(args)...)
        .Within(FormatFilterPosition(text_, offset));
  }
  Error Fail(std::string_view expected) const {
    const Token& token = Peek();
    if (token.kind == TokenKind::kEnd) {
      return FailAt(token.offset, "found the end of the filter, expected {}", expected);
    }
    constexpr size_t kShownMax = 40;
    return FailAt(token.offset, "found {}, expected {}",
                  TakeCodePoints(text_.substr(token.offset, token.length), kShownMax), expected);
  }

  std::string_view text_;
  std::vector<Token> tokens_;  // The last one is kEnd, and nothing is taken beyond it.
  size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<ExpressionPtr> ParseExpression(std::string_view text) {
  FIRN_ASSIGN(std::vector<Token> tokens, TokenizeFilter(text));
  return Parser(text, std::move(tokens)).Run();
}

}  // namespace firn
