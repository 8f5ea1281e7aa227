#include <optional>
#include <utility>

#include "firn/base/text.h"
#include "firn/base/utf8.h"
#include "firn/expression/like_pattern_internal.h"
#include "firn/expression/number_literal_internal.h"
#include "firn/expression/operand_parser_internal.h"

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
      : text_(text), operands_(text, std::move(tokens)) {}

  Result<ExpressionPtr> Run() {
    FIRN_ASSIGN(ExpressionPtr expression, ParseOr());
    if (operands_.Peek().kind != TokenKind::kEnd) {
      return operands_.Fail("an operator, AND, OR or the end of the filter");
    }
    return expression;
  }

 private:
  Result<ExpressionPtr> ParseOr() {
    std::vector<ExpressionPtr> operands;
    do {
      FIRN_ASSIGN(ExpressionPtr operand, ParseAnd());
      operands.push_back(std::move(operand));
    } while (operands_.AcceptWord("OR"));
    return Expression::Or(std::move(operands));
  }

  Result<ExpressionPtr> ParseAnd() {
    std::vector<ExpressionPtr> operands;
    do {
      FIRN_ASSIGN(ExpressionPtr operand, ParseNot());
      operands.push_back(std::move(operand));
    } while (operands_.AcceptWord("AND"));
    return Expression::And(std::move(operands));
  }

  Result<ExpressionPtr> ParseNot() {
    const Token& first = operands_.Peek();
    const bool is_not = operands_.AcceptWord("NOT") || operands_.AcceptSymbol("!");
    if (!is_not && !operands_.AcceptSymbol("(")) return ParsePredicate();
    if (++depth_ > kDepthMax) {
      return operands_.FailAt(first.offset, "parentheses and NOT are nested deeper than {}",
                              kDepthMax);
    }
    FIRN_ASSIGN(ExpressionPtr inner, is_not ? ParseNot() : ParseOr());
    --depth_;
    if (is_not) return Expression::Not(std::move(inner));
    if (!operands_.AcceptSymbol(")")) return operands_.Fail("')', AND or OR");
    return inner;
  }

  Result<ExpressionPtr> ParsePredicate() {
    if (const auto test = TakeTestFunction()) {
      FIRN_ASSIGN(std::string name, operands_.ParseColumn());
      if (!operands_.AcceptSymbol(")")) return operands_.Fail("')'");
      return Expression::Predicate(*test, Term{.name = std::move(name)}, {});
    }
    FIRN_ASSIGN(const Operand left, operands_.ParseOperand());
    if (const auto kind = ComparisonKind(operands_.PeekSymbol())) {
      operands_.Take();
      FIRN_ASSIGN(const Operand right, operands_.ParseOther(left));
      return MakeComparison(*kind, left, right);
    }
    if (operands_.PeekSymbol() == "<=>") {
      operands_.Take();
      return ParseNullSafeEqual(left);
    }
    if (!left.is_term) {
      if (left.literal.kind == Kind::kBoolean) {
        return left.literal.text == "true" ? Expression::True() : Expression::False();
      }
      return operands_.Fail("a comparison with a column");
    }
    if (operands_.AcceptWord("IS")) return ParseIs(left);
    const bool is_negated = operands_.AcceptWord("NOT");
    if (operands_.AcceptWord("IN")) return ParseIn(left, is_negated);
    if (operands_.AcceptWord("BETWEEN")) return ParseBetween(left, is_negated);
    if (operands_.AcceptWord("LIKE")) return ParseLike(left, is_negated);
    if (is_negated) return operands_.Fail("IN, BETWEEN or LIKE");
    return MakePredicate(ExpressionKind::kEqual, left, MakeBooleanLiteral(true));
  }

  // Take "isnan(", "isnull(" or "isnotnull(", Spark's spelling of the tests.
  std::optional<ExpressionKind> TakeTestFunction() {
    const Token& token = operands_.Peek();
    if (token.kind != TokenKind::kName) return std::nullopt;
    const Token& next = operands_.PeekNext();
    if (next.kind != TokenKind::kSymbol || next.text != "(") return std::nullopt;
    std::optional<ExpressionKind> kind;
    if (EqualsIgnoreCase(token.text, "isnan")) kind = ExpressionKind::kIsNan;
    if (EqualsIgnoreCase(token.text, "isnull")) kind = ExpressionKind::kIsNull;
    if (EqualsIgnoreCase(token.text, "isnotnull")) kind = ExpressionKind::kNotNull;
    if (!kind) return std::nullopt;
    operands_.Take();
    operands_.Take();
    return kind;
  }

  Result<ExpressionPtr> MakeComparison(ExpressionKind kind, const Operand& left,
                                       const Operand& right) {
    if (left.is_term && right.is_term) {
      return operands_.FailAt(
          right.offset,
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
      return operands_.FailAt(left.offset, "found a comparison of two literals, expected a column");
    }
    const std::strong_ordering order =
        type == Kind::kNumber ? CompareNumberTexts(left.literal.text, right.literal.text)
                              : left.literal.text <=> right.literal.text;
    return IsTrueFor(kind, order) ? Expression::True() : Expression::False();
  }

  // a <=> b is never null: both null, or equal.
  Result<ExpressionPtr> ParseNullSafeEqual(const Operand& left) {
    FIRN_ASSIGN(const Operand right, operands_.ParseOther(left));
    const Operand& term = left.is_term ? left : right;
    const Operand& other = left.is_term ? right : left;
    if (!term.is_term || other.is_term) {
      return operands_.FailAt(right.offset,
                              "expected a column on one side of <=> and a literal on the other");
    }
    if (other.literal.kind == Kind::kNull) return MakeTest(ExpressionKind::kIsNull, term);
    FIRN_ASSIGN(ExpressionPtr equal, MakePredicate(ExpressionKind::kEqual, term, other.literal));
    return Expression::And(MakeTest(ExpressionKind::kNotNull, term), std::move(equal));
  }

  Result<ExpressionPtr> ParseIs(const Operand& left) {
    const bool is_negated = operands_.AcceptWord("NOT");
    if (operands_.AcceptWord("NULL")) {
      return MakeTest(is_negated ? ExpressionKind::kNotNull : ExpressionKind::kIsNull, left);
    }
    if (operands_.AcceptWord("NAN")) {
      return MakeTest(is_negated ? ExpressionKind::kNotNan : ExpressionKind::kIsNan, left);
    }
    const bool is_true = operands_.AcceptWord("TRUE");
    const bool is_truth = is_true || operands_.AcceptWord("FALSE");
    if (!is_truth) return operands_.Fail("NULL, NAN, TRUE or FALSE");
    FIRN_ASSIGN(ExpressionPtr equal,
                MakePredicate(ExpressionKind::kEqual, left, MakeBooleanLiteral(is_true)));
    ExpressionPtr test =
        Expression::And(MakeTest(ExpressionKind::kNotNull, left), std::move(equal));
    return is_negated ? Expression::Not(std::move(test)) : test;
  }

  Result<ExpressionPtr> ParseIn(const Operand& left, bool is_negated) {
    if (!operands_.AcceptSymbol("(")) return operands_.Fail("'('");
    std::vector<Literal> literals;
    do {
      FIRN_ASSIGN(Literal written, operands_.ParseLiteral());
      FIRN_ASSIGN(Literal literal, operands_.AdaptToCalendar(left, std::move(written)));
      literals.push_back(std::move(literal));
    } while (operands_.AcceptSymbol(","));
    if (!operands_.AcceptSymbol(")")) return operands_.Fail("',' or ')'");
    return Expression::Predicate(is_negated ? ExpressionKind::kNotIn : ExpressionKind::kIn,
                                 left.term, std::move(literals));
  }

  Result<ExpressionPtr> ParseBetween(const Operand& left, bool is_negated) {
    FIRN_ASSIGN(const Literal low, operands_.ParseLiteral());
    if (!operands_.AcceptWord("AND")) return operands_.Fail("AND and the upper end of BETWEEN");
    FIRN_ASSIGN(const Literal high, operands_.ParseLiteral());
    FIRN_ASSIGN(ExpressionPtr above, MakePredicate(ExpressionKind::kGreaterEqual, left, low));
    FIRN_ASSIGN(ExpressionPtr below, MakePredicate(ExpressionKind::kLessEqual, left, high));
    ExpressionPtr both = Expression::And(std::move(above), std::move(below));
    return is_negated ? Expression::Not(std::move(both)) : both;
  }

  Result<ExpressionPtr> ParseLike(const Operand& left, bool is_negated) {
    const size_t offset = operands_.Peek().offset;
    if (operands_.Peek().kind != TokenKind::kText && !operands_.IsDoubleQuoted()) {
      return operands_.Fail("a pattern in quotes");
    }
    const std::string written = operands_.Take().text;
    std::string escape = "\\";
    if (operands_.AcceptWord("ESCAPE")) {
      if (operands_.Peek().kind != TokenKind::kText ||
          CountCodePoints(operands_.Peek().text) != 1) {
        return operands_.Fail("one character in quotes");
      }
      escape = operands_.Take().text;
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

  Result<ExpressionPtr> MakePredicate(ExpressionKind kind, const Operand& operand,
                                      Literal written) {
    FIRN_ASSIGN(Literal literal, operands_.AdaptToCalendar(operand, std::move(written)));
    return Expression::Predicate(kind, operand.term, {std::move(literal)});
  }

  static ExpressionPtr MakeTest(ExpressionKind kind, const Operand& operand) {
    return Expression::Predicate(kind, operand.term, {});
  }

  std::string_view text_;
  OperandParser operands_;
  int depth_ = 0;
};

}  // namespace

Result<ExpressionPtr> ParseExpression(std::string_view text) {
  FIRN_ASSIGN(std::vector<Token> tokens, TokenizeFilter(text));
  return Parser(text, std::move(tokens)).Run();
}

}  // namespace firn
