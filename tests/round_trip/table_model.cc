#include "table_model.h"

#include <cmath>
#include <utility>

namespace firn::round_trip {
namespace {

Value ViewValue(const Value& value, const Type& from, const Type& to);

std::vector<Value> ViewFields(const std::vector<Value>& values, const Type& from, const Type& to) {
  std::vector<Value> seen;
  for (const NestedField& wanted : to.fields()) {
    Value found = wanted.initial_default.value_or(Value());
    for (size_t i = 0; i < from.fields().size(); ++i) {
      const NestedField& written = from.fields()[i];
      if (written.id == wanted.id) found = ViewValue(values[i], *written.type, *wanted.type);
    }
    seen.push_back(std::move(found));
  }
  return seen;
}

Value ViewValue(const Value& value, const Type& from, const Type& to) {
  if (value.is_null()) return {};
  if (to.id() == TypeId::kStruct) {
    return Value::Struct(ViewFields(value.as_struct().fields, from, to));
  }
  if (to.id() == TypeId::kList) {
    std::vector<Value> elements;
    for (const Value& element : value.as_list().elements)
      elements.push_back(ViewValue(element, *from.fields()[0].type, *to.fields()[0].type));
    return Value::List(std::move(elements));
  }
  if (to.id() == TypeId::kMap) {
    std::vector<std::pair<Value, Value>> entries;
    for (const auto& [key, mapped] : value.as_map().entries)
      entries.emplace_back(ViewValue(key, *from.fields()[0].type, *to.fields()[0].type),
                           ViewValue(mapped, *from.fields()[1].type, *to.fields()[1].type));
    return Value::Map(std::move(entries));
  }
  if (from.id() == TypeId::kInt && to.id() == TypeId::kLong) {
    return Value(int64_t{value.get<int32_t>()});
  }
  if (from.id() == TypeId::kFloat && to.id() == TypeId::kDouble) {
    return Value(double{value.get<float>()});
  }
  if (from.id() == TypeId::kDate && to.id() == TypeId::kTimestamp) {
    return Value(value.get<int32_t>() * int64_t{86'400'000'000});
  }
  return value;  // Decimals keep their scale.
}

/// Below 0, 0 or above 0: NaN equals itself and is above all, the two zeros are equal.
int Compare(const Value& a, const Value& b) {
  const auto order_of = [](double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return int{std::isnan(x)} - int{std::isnan(y)};
    return x < y ? -1 : int{x > y};
  };
  if (const auto* x = a.get_if<double>()) return order_of(*x, b.get<double>());
  if (const auto* x = a.get_if<float>()) return order_of(double{*x}, double{b.get<float>()});
  const auto order = CompareValues(a, b);
  return order < 0 ? -1 : int{order > 0};
}

}  // namespace

StructValue ViewAs(const ModelRow& row, const Schema& to) {
  return {ViewFields(row.values.fields, *row.schema->as_struct(), *to.as_struct())};
}

ExpressionPtr ModelCondition::ToExpression(const Type& type) const {
  if (kind == ExpressionKind::kTrue) return Expression::True();
  Term term;
  term.name = column;
  std::vector<Literal> literals;
  if (!literal.is_null()) {
    literals.push_back(MakeLiteral(literal, type));
    literals.back().value = Value();  // As if it had been parsed.
  }
  return Expression::Predicate(kind, term, std::move(literals));
}

std::string ModelCondition::Format(const Type& type) const {
  return FormatExpression(*ToExpression(type));
}

bool Matches(const ModelCondition& condition, const ModelRow& row, const Schema& schema) {
  if (condition.kind == ExpressionKind::kTrue) return true;
  const StructValue seen = ViewAs(row, schema);
  for (size_t i = 0; i < schema.fields().size(); ++i) {
    if (schema.fields()[i].name != condition.column) continue;
    const Value& value = seen.fields[i];
    if (condition.kind == ExpressionKind::kIsNull) return value.is_null();
    if (value.is_null()) return false;
    if (condition.kind == ExpressionKind::kNotNull) return true;
    const int order = Compare(value, condition.literal);
    if (condition.kind == ExpressionKind::kEqual) return order == 0;
    if (condition.kind == ExpressionKind::kNotEqual) return order != 0;
    if (condition.kind == ExpressionKind::kLess) return order < 0;
    if (condition.kind == ExpressionKind::kGreaterEqual) return order >= 0;
  }
  return false;
}

}  // namespace firn::round_trip
