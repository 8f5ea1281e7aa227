#include <algorithm>
#include <cmath>
#include <optional>

#include "firn/expression/value_order_internal.h"

namespace firn {
namespace {

std::optional<double> AsDouble(const Value& value) {
  if (const auto* number = value.get_if<double>()) return *number;
  if (const auto* number = value.get_if<float>()) return *number;
  return std::nullopt;
}

std::optional<int64_t> AsLong(const Value& value) {
  if (const auto* number = value.get_if<int64_t>()) return *number;
  if (const auto* number = value.get_if<int32_t>()) return *number;
  return std::nullopt;
}

std::strong_ordering CompareDoubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) <=> std::isnan(b);
  if (a == b) return std::strong_ordering::equal;
  return a < b ? std::strong_ordering::less : std::strong_ordering::greater;
}

bool IsLess(const Literal& a, const Literal& b) { return CompareForFilter(a.value, b.value) < 0; }

}  // namespace

std::strong_ordering CompareForFilter(const Value& a, const Value& b) {
  if (const auto a_number = AsLong(a)) {
    if (const auto b_number = AsLong(b)) return *a_number <=> *b_number;
  }
  if (const auto a_number = AsDouble(a)) {
    if (const auto b_number = AsDouble(b)) return CompareDoubles(*a_number, *b_number);
  }
  return CompareValues(a, b);
}

bool IsNan(const Value& value) {
  const auto number = AsDouble(value);
  return number && std::isnan(*number);
}

bool SatisfiesComparison(ExpressionKind kind, const Value& value, const Value& literal) {
  const std::strong_ordering order = CompareForFilter(value, literal);
  if (kind == ExpressionKind::kLess) return order < 0;
  if (kind == ExpressionKind::kLessEqual) return order <= 0;
  if (kind == ExpressionKind::kGreater) return order > 0;
  if (kind == ExpressionKind::kGreaterEqual) return order >= 0;
  if (kind == ExpressionKind::kEqual) return order == 0;
  return order != 0;
}

bool ContainsValue(const std::vector<Literal>& sorted, const Value& value) {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), value,
                                      [](const Literal& literal, const Value& wanted) {
                                        return CompareForFilter(literal.value, wanted) < 0;
                                      });
  return found != sorted.end() && CompareForFilter(found->value, value) == 0;
}

void SortLiterals(std::vector<Literal>& literals) {
  std::sort(literals.begin(), literals.end(), IsLess);
  const auto are_equal = [](const Literal& a, const Literal& b) {
    return CompareForFilter(a.value, b.value) == 0;
  };
  literals.erase(std::unique(literals.begin(), literals.end(), are_equal), literals.end());
}

std::string_view ByteView(const Value& value) {
  if (const auto* text = value.get_if<std::string>()) return *text;
  if (const auto* binary = value.get_if<BinaryValue>()) return binary->bytes;
  return {};
}

}  // namespace firn
