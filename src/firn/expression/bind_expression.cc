#include <algorithm>
#include <optional>
#include <utility>

#include "firn/expression/expression.h"
#include "firn/expression/like_pattern_internal.h"
#include "firn/expression/literal_placement_internal.h"
#include "firn/expression/value_order_internal.h"
#include "firn/format/schema/column_lookup.h"

// Names to fields and literals to values. NOT is pushed down on the way, so that all that is left
// is And and Or of predicates: there, "null" may be replaced by "false" without changing for which
// rows the whole is true.

namespace firn {
namespace {

ExpressionKind Negate(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::kTrue:
      return ExpressionKind::kFalse;
    case ExpressionKind::kFalse:
      return ExpressionKind::kTrue;
    case ExpressionKind::kAnd:
      return ExpressionKind::kOr;
    case ExpressionKind::kOr:
      return ExpressionKind::kAnd;
    case ExpressionKind::kIsNull:
      return ExpressionKind::kNotNull;
    case ExpressionKind::kNotNull:
      return ExpressionKind::kIsNull;
    case ExpressionKind::kIsNan:
      return ExpressionKind::kNotNan;
    case ExpressionKind::kNotNan:
      return ExpressionKind::kIsNan;
    case ExpressionKind::kLess:
      return ExpressionKind::kGreaterEqual;
    case ExpressionKind::kLessEqual:
      return ExpressionKind::kGreater;
    case ExpressionKind::kGreater:
      return ExpressionKind::kLessEqual;
    case ExpressionKind::kGreaterEqual:
      return ExpressionKind::kLess;
    case ExpressionKind::kEqual:
      return ExpressionKind::kNotEqual;
    case ExpressionKind::kNotEqual:
      return ExpressionKind::kEqual;
    case ExpressionKind::kIn:
      return ExpressionKind::kNotIn;
    case ExpressionKind::kNotIn:
      return ExpressionKind::kIn;
    case ExpressionKind::kStartsWith:
      return ExpressionKind::kNotStartsWith;
    case ExpressionKind::kNotStartsWith:
      return ExpressionKind::kStartsWith;
    case ExpressionKind::kLike:
      return ExpressionKind::kNotLike;
    case ExpressionKind::kNotLike:
      return ExpressionKind::kLike;
    case ExpressionKind::kNot:
      break;
  }
  return kind;
}

struct BoundTerm {
  Term term;
  bool is_required = false;  // Never null: the column and all structs around it are required.
};

ExpressionPtr IsNull(const BoundTerm& bound) {
  if (bound.is_required) return Expression::False();
  if (bound.term.source_type->id() == TypeId::kUnknown) return Expression::True();
  Term column = bound.term;  // A transform of a value is null only for null.
  column.transform = Transform();
  column.type = column.source_type;
  return Expression::Predicate(ExpressionKind::kIsNull, std::move(column), {});
}

ExpressionPtr IsNotNull(const BoundTerm& bound) {
  if (bound.is_required) return Expression::True();
  if (bound.term.source_type->id() == TypeId::kUnknown) return Expression::False();
  Term column = bound.term;
  column.transform = Transform();
  column.type = column.source_type;
  return Expression::Predicate(ExpressionKind::kNotNull, std::move(column), {});
}

ExpressionPtr Compare(ExpressionKind kind, const BoundTerm& bound, Value value) {
  Literal literal = MakeLiteral(value, *bound.term.type);
  return Expression::Predicate(kind, bound.term, {std::move(literal)});
}

ExpressionPtr TestNan(ExpressionKind kind, const BoundTerm& bound) {
  return Expression::Predicate(kind, bound.term, {});
}

// NaN is equal to itself and above all else.
ExpressionPtr CompareWithNan(ExpressionKind kind, const BoundTerm& bound) {
  if (kind == ExpressionKind::kGreater) return Expression::False();
  if (kind == ExpressionKind::kLessEqual) return IsNotNull(bound);
  if (kind == ExpressionKind::kEqual || kind == ExpressionKind::kGreaterEqual) {
    return TestNan(ExpressionKind::kIsNan, bound);
  }
  return Expression::And(IsNotNull(bound), TestNan(ExpressionKind::kNotNan, bound));
}

// The comparison with a literal that may lie anywhere, as one with a value of the type.
ExpressionPtr CompareWithPlaced(ExpressionKind kind, const BoundTerm& bound,
                                const PlacedLiteral& literal) {
  const bool is_less = kind == ExpressionKind::kLess || kind == ExpressionKind::kLessEqual;
  const bool is_greater = kind == ExpressionKind::kGreater || kind == ExpressionKind::kGreaterEqual;
  const bool is_not_equal = kind == ExpressionKind::kNotEqual;
  switch (literal.place) {
    case Place::kExact:
      return Compare(kind, bound, literal.value);
    case Place::kBetween:
      if (is_less) return Compare(ExpressionKind::kLessEqual, bound, literal.value);
      if (is_greater) return Compare(ExpressionKind::kGreater, bound, literal.value);
      return is_not_equal ? IsNotNull(bound) : Expression::False();
    case Place::kBelowAll:
      return is_greater || is_not_equal ? IsNotNull(bound) : Expression::False();
    case Place::kAboveAll:
      return is_less || is_not_equal ? IsNotNull(bound) : Expression::False();
    case Place::kNan:
      return CompareWithNan(kind, bound);
    case Place::kNull:
      break;
  }
  return Expression::False();
}

// The column below or not below the first value of `ordinal`.
ExpressionPtr CompareWithStart(ExpressionKind kind, const BoundTerm& bound, int64_t ordinal) {
  BoundTerm column = bound;
  column.term.transform = Transform();
  column.term.type = column.term.source_type;
  return CompareWithPlaced(
      kind, column, PlaceOrdinalStart(ordinal, bound.term.transform, *bound.term.source_type));
}

// first <= transform(column) <= last.
ExpressionPtr OrdinalsInside(const BoundTerm& bound, int64_t first, int64_t last) {
  return Expression::And(CompareWithStart(ExpressionKind::kGreaterEqual, bound, first),
                         CompareWithStart(ExpressionKind::kLess, bound, last + 1));
}

ExpressionPtr OrdinalsOutside(const BoundTerm& bound, int64_t first, int64_t last) {
  return Expression::Or(CompareWithStart(ExpressionKind::kLess, bound, first),
                        CompareWithStart(ExpressionKind::kGreaterEqual, bound, last + 1));
}

// A comparison of a time transform as a range of its column.
ExpressionPtr CompareOrdinal(ExpressionKind kind, const BoundTerm& bound,
                             const PlacedLiteral& literal) {
  if (literal.place != Place::kExact && literal.place != Place::kBetween) {
    return CompareWithPlaced(kind, bound, literal);
  }
  // Beyond these every ordinal is out of range, and adding 1 must not overflow.
  constexpr int64_t kLimit = int64_t{1} << 62;
  const int64_t ordinal = std::clamp(literal.value.get<int64_t>(), -kLimit, kLimit);
  const bool is_exact = literal.place == Place::kExact;
  if (kind == ExpressionKind::kEqual) {
    return is_exact ? OrdinalsInside(bound, ordinal, ordinal) : Expression::False();
  }
  if (kind == ExpressionKind::kNotEqual) {
    return is_exact ? OrdinalsOutside(bound, ordinal, ordinal) : IsNotNull(bound);
  }
  // With a fraction, < means <= and >= means >.
  const bool is_less = kind == ExpressionKind::kLess || kind == ExpressionKind::kLessEqual;
  const bool excludes_ordinal =
      is_exact && (kind == ExpressionKind::kLess || kind == ExpressionKind::kGreaterEqual);
  return CompareWithStart(is_less ? ExpressionKind::kLess : ExpressionKind::kGreaterEqual, bound,
                          excludes_ordinal ? ordinal : ordinal + 1);
}

// IN or NOT IN over sorted unique ordinals; neighbours become one range.
ExpressionPtr CompareOrdinals(ExpressionKind kind, const BoundTerm& bound,
                              const std::vector<int64_t>& ordinals) {
  std::vector<ExpressionPtr> ranges;
  for (size_t i = 0; i < ordinals.size();) {
    size_t end = i + 1;
    while (end < ordinals.size() && ordinals[end] == ordinals[end - 1] + 1)
      ++end;
    ranges.push_back(kind == ExpressionKind::kIn
                         ? OrdinalsInside(bound, ordinals[i], ordinals[end - 1])
                         : OrdinalsOutside(bound, ordinals[i], ordinals[end - 1]));
    i = end;
  }
  return kind == ExpressionKind::kIn ? Expression::Or(std::move(ranges))
                                     : Expression::And(std::move(ranges));
}

ExpressionPtr MakeSetTest(ExpressionKind kind, const BoundTerm& bound,
                          std::vector<Literal> literals) {
  const bool is_in = kind == ExpressionKind::kIn;
  SortLiterals(literals);
  if (literals.empty()) return is_in ? Expression::False() : IsNotNull(bound);
  if (literals.size() == 1) {
    kind = is_in ? ExpressionKind::kEqual : ExpressionKind::kNotEqual;
  }
  return Expression::Predicate(kind, bound.term, std::move(literals));
}

class Binder {
 public:
  Binder(const Schema& schema, bool is_case_sensitive)
      : schema_(schema), is_case_sensitive_(is_case_sensitive) {}

  Result<ExpressionPtr> Bind(const Expression& expression, bool is_negated) const {
    if (expression.kind() == ExpressionKind::kNot) {
      return Bind(*expression.children().front(), !is_negated);
    }
    const ExpressionKind kind = is_negated ? Negate(expression.kind()) : expression.kind();
    if (kind == ExpressionKind::kTrue) return Expression::True();
    if (kind == ExpressionKind::kFalse) return Expression::False();
    if (expression.is_predicate()) {
      FIRN_ASSIGN(const BoundTerm bound, BindTerm(expression.term(), kind));
      return BindPredicate(kind, bound, expression.literals());
    }
    std::vector<ExpressionPtr> children;
    children.reserve(expression.children().size());
    for (const ExpressionPtr& child : expression.children()) {
      FIRN_ASSIGN(ExpressionPtr bound, Bind(*child, is_negated));
      children.push_back(std::move(bound));
    }
    return kind == ExpressionKind::kAnd ? Expression::And(std::move(children))
                                        : Expression::Or(std::move(children));
  }

 private:
  Result<const NestedField*> Find(const std::string& name) const {
    return is_case_sensitive_ ? FindColumnExactly(schema_, name) : FindColumn(schema_, name);
  }

  Result<BoundTerm> BindTerm(const Term& term, ExpressionKind kind) const {
    FIRN_ASSIGN(const NestedField* field, Find(term.name), "filter");
    const std::string full_name = schema_.FullName(field->id);
    if (!schema_.StructPath(field->id)) {
      return MakeError(ErrorCode::kInvalidInput,
                       "filter: '{}' lies in a list or a map, expected a column with one value a "
                       "row",
                       full_name);
    }
    const bool is_null_test = kind == ExpressionKind::kIsNull || kind == ExpressionKind::kNotNull;
    if (!field->type->is_primitive() && !is_null_test) {
      return MakeError(ErrorCode::kInvalidInput,
                       "filter: '{}' has type {}, expected a column of a primitive type; only IS "
                       "NULL works for others",
                       full_name, FormatType(*field->type));
    }
    const TransformKind transform = term.transform.kind;
    if (transform == TransformKind::kUnknown ||
        (transform != TransformKind::kIdentity && !CanTransform(term.transform, *field->type))) {
      return MakeError(ErrorCode::kInvalidInput, "filter: {} cannot be applied to '{}' of type {}",
                       FormatTransform(term.transform), full_name, FormatType(*field->type));
    }
    return BoundTerm{{.name = full_name,
                      .transform = term.transform,
                      .field_id = field->id,
                      .source_type = field->type,
                      .type = TransformResultType(term.transform, field->type)},
                     IsRequired(*field)};
  }

  bool IsRequired(const NestedField& field) const {
    if (!field.required) return false;
    const auto parent = schema_.ParentId(field.id);
    return !parent || IsRequired(*schema_.FindField(*parent));
  }

  Result<ExpressionPtr> BindPredicate(ExpressionKind kind, const BoundTerm& bound,
                                      const std::vector<Literal>& literals) const {
    switch (kind) {
      case ExpressionKind::kIsNull:
        return IsNull(bound);
      case ExpressionKind::kNotNull:
        return IsNotNull(bound);
      case ExpressionKind::kIsNan:
      case ExpressionKind::kNotNan:
        return BindNanTest(kind, bound);
      case ExpressionKind::kIn:
      case ExpressionKind::kNotIn:
        return BindSet(kind, bound, literals);
      case ExpressionKind::kStartsWith:
      case ExpressionKind::kNotStartsWith:
      case ExpressionKind::kLike:
      case ExpressionKind::kNotLike:
        return BindPattern(kind, bound, literals.front());
      case ExpressionKind::kLess:
      case ExpressionKind::kLessEqual:
      case ExpressionKind::kGreater:
      case ExpressionKind::kGreaterEqual:
      case ExpressionKind::kEqual:
      case ExpressionKind::kNotEqual:
      case ExpressionKind::kTrue:
      case ExpressionKind::kFalse:
      case ExpressionKind::kAnd:
      case ExpressionKind::kOr:
      case ExpressionKind::kNot:
        break;
    }
    if (bound.term.source_type->id() == TypeId::kUnknown) return Expression::False();
    if (bound.term.transform.is_time()) {
      FIRN_ASSIGN(const PlacedLiteral placed,
                  PlaceOrdinal(literals.front(), bound.term.transform, bound.term.name));
      return CompareOrdinal(kind, bound, placed);
    }
    FIRN_ASSIGN(const PlacedLiteral placed,
                PlaceLiteral(literals.front(), *bound.term.type, bound.term.name));
    return CompareWithPlaced(kind, bound, placed);
  }

  static Result<ExpressionPtr> BindNanTest(ExpressionKind kind, const BoundTerm& bound) {
    const Type& type = *bound.term.type;
    if (type.id() == TypeId::kUnknown) {
      return kind == ExpressionKind::kIsNan ? Expression::False() : Expression::True();
    }
    if (!type.is_float()) {
      return MakeError(ErrorCode::kInvalidInput,
                       "filter: '{}' has type {}, expected float or double for IS NAN",
                       bound.term.name, FormatType(type));
    }
    return TestNan(kind, bound);
  }

  static Result<ExpressionPtr> BindSet(ExpressionKind kind, const BoundTerm& bound,
                                       const std::vector<Literal>& literals) {
    const bool is_in = kind == ExpressionKind::kIn;
    if (bound.term.source_type->id() == TypeId::kUnknown) return Expression::False();
    const bool is_time = bound.term.transform.is_time();
    std::vector<Literal> exact;
    std::vector<int64_t> ordinals;
    bool has_nan = false;
    for (const Literal& literal : literals) {
      FIRN_ASSIGN(PlacedLiteral placed,
                  is_time ? PlaceOrdinal(literal, bound.term.transform, bound.term.name)
                          : PlaceLiteral(literal, *bound.term.type, bound.term.name));
      // x NOT IN (.., NULL) is false or null for every x.
      if (placed.place == Place::kNull && !is_in) return Expression::False();
      has_nan = has_nan || placed.place == Place::kNan;
      if (placed.place != Place::kExact) continue;  // No value is equal to it.
      if (is_time) {
        ordinals.push_back(placed.value.get<int64_t>());
      } else {
        exact.push_back(MakeLiteral(placed.value, *bound.term.type));
      }
    }
    ExpressionPtr test = is_time && !ordinals.empty()
                             ? CompareOrdinalSet(kind, bound, std::move(ordinals))
                             : MakeSetTest(kind, bound, std::move(exact));
    if (!has_nan) return test;
    return is_in ? Expression::Or(TestNan(ExpressionKind::kIsNan, bound), std::move(test))
                 : Expression::And(TestNan(ExpressionKind::kNotNan, bound), std::move(test));
  }

  static ExpressionPtr CompareOrdinalSet(ExpressionKind kind, const BoundTerm& bound,
                                         std::vector<int64_t> ordinals) {
    constexpr int64_t kLimit = int64_t{1} << 62;
    for (int64_t& ordinal : ordinals)
      ordinal = std::clamp(ordinal, -kLimit, kLimit);
    std::sort(ordinals.begin(), ordinals.end());
    ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
    return CompareOrdinals(kind, bound, ordinals);
  }

  static Result<ExpressionPtr> BindPattern(ExpressionKind kind, const BoundTerm& bound,
                                           const Literal& literal) {
    const bool is_negated =
        kind == ExpressionKind::kNotStartsWith || kind == ExpressionKind::kNotLike;
    if (bound.term.source_type->id() == TypeId::kUnknown) return Expression::False();
    if (bound.term.type->id() != TypeId::kString || literal.kind != Literal::Kind::kText) {
      return MakeError(ErrorCode::kInvalidInput,
                       "filter: '{}' has type {}, expected a string column and text for LIKE",
                       bound.term.name, FormatType(*bound.term.type));
    }
    const bool is_prefix =
        kind == ExpressionKind::kStartsWith || kind == ExpressionKind::kNotStartsWith;
    if (is_prefix) return MakePrefixTest(is_negated, bound, literal.text);
    FIRN_ASSIGN(std::string pattern, NormalizeLikePattern(literal.text, "\\"), "filter: '{}'",
                bound.term.name);
    const LikePattern shape = AnalyzeLikePattern(pattern);
    if (shape.shape == LikeShape::kPrefix) return MakePrefixTest(is_negated, bound, shape.prefix);
    if (shape.shape == LikeShape::kExact) {
      return Compare(is_negated ? ExpressionKind::kNotEqual : ExpressionKind::kEqual, bound,
                     Value(shape.prefix));
    }
    return Compare(kind, bound, Value(std::move(pattern)));
  }

  static ExpressionPtr MakePrefixTest(bool is_negated, const BoundTerm& bound,
                                      const std::string& prefix) {
    if (prefix.empty()) return is_negated ? Expression::False() : IsNotNull(bound);
    return Compare(is_negated ? ExpressionKind::kNotStartsWith : ExpressionKind::kStartsWith, bound,
                   Value(prefix));
  }

  const Schema& schema_;
  const bool is_case_sensitive_;
};

}  // namespace

Result<ExpressionPtr> Bind(const ExpressionPtr& expression, const Schema& schema,
                           bool is_case_sensitive) {
  return Binder(schema, is_case_sensitive).Bind(*expression, false);
}

}  // namespace firn
