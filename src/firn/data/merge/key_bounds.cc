#include <algorithm>
#include <cmath>
#include <utility>

#include <arrow/array.h>
#include <arrow/compute/api_aggregate.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/merge/key_bounds_internal.h"

namespace firn {
namespace {

// Enough to tell which of thousands of files may hold one of them, and quickly compared.
constexpr size_t kValuesMax = 10000;

bool IsBefore(const Value& a, const Value& b) { return CompareValues(a, b) < 0; }

template <typename ArrayType>
bool HasNan(const arrow::Array& values) {
  const auto& floats = static_cast<const ArrayType&>(values);
  for (int64_t i = 0; i < floats.length(); ++i) {
    if (!floats.IsNull(i) && std::isnan(floats.Value(i))) return true;
  }
  return false;
}

}  // namespace

Status KeyBounds::Add(const arrow::Array& values) {
  if (values.length() == 0 || has_nan_) return {};
  has_nan_ = (type_->id() == TypeId::kFloat && HasNan<arrow::FloatArray>(values)) ||
             (type_->id() == TypeId::kDouble && HasNan<arrow::DoubleArray>(values));
  if (has_nan_) return {};
  FIRN_RETURN_IF_ERROR(InitializeArrowCompute());
  FIRN_RETURN_IF_ERROR(AddValues(values));
  return Widen(values);
}

Status KeyBounds::AddValues(const arrow::Array& values) {
  if (!has_few_values_) return {};
  FIRN_ASSIGN(const auto unique, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::compute::Unique(arrow::Datum(values.data()));
              }));
  const size_t middle = values_.size();
  for (int64_t i = 0; i < unique->length() && values_.size() <= middle + kValuesMax; ++i)
    values_.push_back(ReadValue(*type_, *unique, i));
  std::sort(values_.begin() + static_cast<std::ptrdiff_t>(middle), values_.end(), IsBefore);
  std::inplace_merge(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(middle),
                     values_.end(), IsBefore);
  const auto is_same = [](const Value& a, const Value& b) { return CompareValues(a, b) == 0; };
  values_.erase(std::unique(values_.begin(), values_.end(), is_same), values_.end());
  has_few_values_ = values_.size() <= kValuesMax;
  if (!has_few_values_) values_ = {};
  return {};
}

Status KeyBounds::Widen(const arrow::Array& values) {
  FIRN_ASSIGN(const arrow::Datum both, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::compute::MinMax(arrow::Datum(values.data()));
              }));
  const auto& pair = static_cast<const arrow::StructScalar&>(*both.scalar());
  std::vector<Value> bounds;
  for (const auto& scalar : pair.value) {
    FIRN_ASSIGN(const auto one, GuardArrowResult(ErrorCode::kInternal, [&] {
                  return arrow::MakeArrayFromScalar(*scalar, 1);
                }));
    bounds.push_back(ReadValue(*type_, *one, 0));
  }
  if (lower_.is_null() || IsBefore(bounds[0], lower_)) lower_ = std::move(bounds[0]);
  if (upper_.is_null() || IsBefore(upper_, bounds[1])) upper_ = std::move(bounds[1]);
  return {};
}

ExpressionPtr KeyBounds::Condition() const {
  if (has_nan_ || lower_.is_null()) return Expression::True();
  Term term;
  term.name = name_;
  if (!has_few_values_) {
    return Expression::And(
        Expression::Predicate(ExpressionKind::kGreaterEqual, term, {LiteralOf(lower_)}),
        Expression::Predicate(ExpressionKind::kLessEqual, term, {LiteralOf(upper_)}));
  }
  std::vector<Literal> literals;
  literals.reserve(values_.size());
  for (const Value& value : values_)
    literals.push_back(LiteralOf(value));
  return Expression::Predicate(ExpressionKind::kIn, std::move(term), std::move(literals));
}

}  // namespace firn
