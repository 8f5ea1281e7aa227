#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/expression/expression.h"
#include "firn/expression/filter_lexer_internal.h"
#include "firn/expression/like_pattern_internal.h"

namespace firn {
namespace {

using Kind = Literal::Kind;

std::string Quote(std::string_view text) { return "'" + ReplaceText(text, "'", "''") + "'"; }

// Without quotes if each part between dots needs none.
std::string FormatName(std::string_view name) {
  bool is_plain = true;
  for (const std::string_view part : SplitText(name, '.'))
    is_plain = is_plain && IsPlainName(part);
  if (is_plain) return std::string(name);
  return "`" + ReplaceText(name, "`", "``") + "`";
}

std::string FormatTerm(const Term& term) {
  const std::string name = FormatName(term.name);
  switch (term.transform.kind) {
    case TransformKind::kIdentity:
      return name;
    case TransformKind::kBucket:
      return fmt::format("bucket({}, {})", term.transform.width, name);
    case TransformKind::kTruncate:
      return fmt::format("truncate({}, {})", term.transform.width, name);
    case TransformKind::kYear:
      return fmt::format("years({})", name);
    case TransformKind::kMonth:
      return fmt::format("months({})", name);
    case TransformKind::kDay:
      return fmt::format("days({})", name);
    case TransformKind::kHour:
      return fmt::format("hours({})", name);
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      break;
  }
  return fmt::format("{}({})", FormatTransform(term.transform), name);
}

std::string FormatLiteral(const Literal& written, const Term& term) {
  const Literal literal =
      written.value.is_null() || !term.type ? written : MakeLiteral(written.value, *term.type);
  switch (literal.kind) {
    case Kind::kNull:
      return "NULL";
    case Kind::kBoolean:
      return literal.text == "true" ? "TRUE" : "FALSE";
    case Kind::kNumber:
      return literal.text;
    case Kind::kText:
      return Quote(literal.text);
    case Kind::kDate:
      return "DATE " + Quote(literal.text);
    case Kind::kTime:
      return "TIME " + Quote(literal.text);
    case Kind::kTimestamp:
      return "TIMESTAMP " + Quote(literal.text);
    case Kind::kUuid:
      return "UUID " + Quote(literal.text);
    case Kind::kBinary:
      return "X'" + literal.text + "'";
  }
  return "NULL";
}

// What stands between term and literal.
std::string_view FormatOperator(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::kIsNull:
      return " IS NULL";
    case ExpressionKind::kNotNull:
      return " IS NOT NULL";
    case ExpressionKind::kIsNan:
      return " IS NAN";
    case ExpressionKind::kNotNan:
      return " IS NOT NAN";
    case ExpressionKind::kLess:
      return " < ";
    case ExpressionKind::kLessEqual:
      return " <= ";
    case ExpressionKind::kGreater:
      return " > ";
    case ExpressionKind::kGreaterEqual:
      return " >= ";
    case ExpressionKind::kEqual:
      return " = ";
    case ExpressionKind::kNotEqual:
      return " <> ";
    case ExpressionKind::kIn:
      return " IN ";
    case ExpressionKind::kNotIn:
      return " NOT IN ";
    case ExpressionKind::kStartsWith:
    case ExpressionKind::kLike:
      return " LIKE ";
    case ExpressionKind::kNotStartsWith:
    case ExpressionKind::kNotLike:
      return " NOT LIKE ";
    case ExpressionKind::kTrue:
    case ExpressionKind::kFalse:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kNot:
      break;
  }
  return "";
}

// A bound literal has its text in its value.
std::string LiteralText(const Literal& literal) {
  const auto* text = literal.value.get_if<std::string>();
  return text != nullptr ? *text : literal.text;
}

std::string FormatPredicate(const Expression& predicate) {
  std::string text = FormatTerm(predicate.term());
  text += FormatOperator(predicate.kind());
  const std::vector<Literal>& literals = predicate.literals();
  if (predicate.kind() == ExpressionKind::kStartsWith ||
      predicate.kind() == ExpressionKind::kNotStartsWith) {
    return text + Quote(EscapeLikePattern(LiteralText(literals.front())) + "%");
  }
  if (predicate.kind() == ExpressionKind::kIn || predicate.kind() == ExpressionKind::kNotIn) {
    text += '(';
    for (size_t i = 0; i < literals.size(); ++i) {
      if (i > 0) text += ", ";
      text += FormatLiteral(literals[i], predicate.term());
    }
    return text + ')';
  }
  if (!literals.empty()) text += FormatLiteral(literals.front(), predicate.term());
  return text;
}

std::string FormatOperands(const Expression& expression) {
  const bool is_and = expression.kind() == ExpressionKind::kAnd;
  std::string text;
  for (const ExpressionPtr& child : expression.children()) {
    if (!text.empty()) text += is_and ? " AND " : " OR ";
    const bool needs_parentheses = is_and && child->kind() == ExpressionKind::kOr;
    if (needs_parentheses) text += '(';
    text += FormatExpression(*child);
    if (needs_parentheses) text += ')';
  }
  return text;
}

}  // namespace

std::string FormatExpression(const Expression& expression) {
  if (expression.is_predicate()) return FormatPredicate(expression);
  if (expression.kind() == ExpressionKind::kTrue) return "TRUE";
  if (expression.kind() == ExpressionKind::kFalse) return "FALSE";
  if (expression.kind() != ExpressionKind::kNot) return FormatOperands(expression);
  return "NOT (" + FormatExpression(*expression.children().front()) + ")";
}

}  // namespace firn
