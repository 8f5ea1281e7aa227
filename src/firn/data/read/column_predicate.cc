#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <arrow/array.h>
#include <arrow/util/bit_util.h>

#include "firn/data/read/row_filter_internal.h"

// Predicates on one column, a loop each. Values compare as filters compare them: numbers by value,
// zeros of floats equal, every NaN equal and above all else, bytes unsigned.

namespace firn {
namespace {

template <typename T>
int Compare(T a, T b) {
  return (a > b) - (a < b);
}

template <typename T>
  requires std::is_floating_point_v<T>
int Compare(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return int{std::isnan(a)} - int{std::isnan(b)};
  return (a > b) - (a < b);
}

int Compare(std::string_view a, std::string_view b) {
  const int order = a.compare(b);  // char_traits<char> compares as unsigned.
  return (order > 0) - (order < 0);
}

// Whether a value that is less than, equal to or greater than the literal matches.
std::array<uint8_t, 3> OrderTable(ExpressionKind kind) {
  const auto is = [kind](ExpressionKind a, ExpressionKind b) -> uint8_t {
    return kind == a || kind == b ? 1 : 0;
  };
  const bool is_unequal = kind == ExpressionKind::kNotEqual;
  return {static_cast<uint8_t>(is_unequal | is(ExpressionKind::kLess, ExpressionKind::kLessEqual)),
          static_cast<uint8_t>(is(ExpressionKind::kLessEqual, ExpressionKind::kGreaterEqual) |
                               (kind == ExpressionKind::kEqual)),
          static_cast<uint8_t>(is_unequal |
                               is(ExpressionKind::kGreater, ExpressionKind::kGreaterEqual))};
}

bool IsComparison(ExpressionKind kind) {
  return kind == ExpressionKind::kLess || kind == ExpressionKind::kLessEqual ||
         kind == ExpressionKind::kGreater || kind == ExpressionKind::kGreaterEqual ||
         kind == ExpressionKind::kEqual || kind == ExpressionKind::kNotEqual;
}

// `get(i)` is value i, `literals` the bound literals of the same type.
template <typename T, typename Get>
RowMask MatchValues(ExpressionKind kind, int64_t rows, const std::vector<T>& literals,
                    const Get& get) {
  RowMask mask(static_cast<size_t>(rows));
  if (IsComparison(kind)) {
    const std::array<uint8_t, 3> table = OrderTable(kind);
    const T literal = literals.front();
    for (int64_t i = 0; i < rows; ++i) {
      mask[static_cast<size_t>(i)] = table[static_cast<size_t>(Compare(get(i), literal) + 1)];
    }
    return mask;
  }
  const uint8_t found = kind == ExpressionKind::kIn ? 1 : 0;
  const auto is_less = [](const T& a, const T& b) { return Compare(a, b) < 0; };
  for (int64_t i = 0; i < rows; ++i) {  // Binding sorts the literals.
    const bool is_in = std::binary_search(literals.begin(), literals.end(), get(i), is_less);
    mask[static_cast<size_t>(i)] = is_in ? found : 1 - found;
  }
  return mask;
}

void ClearNulls(const arrow::Array& column, RowMask& mask) {
  if (column.null_count() == 0) return;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (column.IsNull(static_cast<int64_t>(i))) mask[i] = 0;
  }
}

// The literals as T; empty if one has another form.
template <typename T, typename Stored>
std::vector<T> LiteralsAs(const Expression& predicate) {
  std::vector<T> values;
  for (const Literal& literal : predicate.literals()) {
    const Stored* value = literal.value.get_if<Stored>();
    if (value == nullptr) return {};
    values.push_back(static_cast<T>(*value));
  }
  return values;
}

template <typename Array, typename T>
RowMask MatchNumbers(const Expression& predicate, const arrow::Array& column) {
  const std::vector<T> literals = LiteralsAs<T, T>(predicate);
  if (literals.empty()) return {};
  const T* values = static_cast<const Array&>(column).raw_values();
  return MatchValues<T>(predicate.kind(), column.length(), literals,
                        [values](int64_t i) { return values[i]; });
}

RowMask MatchDecimals(const Expression& predicate, const arrow::Array& column) {
  const std::vector<Int128> literals = LiteralsAs<Int128, Int128>(predicate);
  if (literals.empty()) return {};
  const auto& array = static_cast<const arrow::FixedSizeBinaryArray&>(column);
  return MatchValues<Int128>(predicate.kind(), column.length(), literals, [&array](int64_t i) {
    Int128 value;
    std::memcpy(&value, array.GetValue(i), sizeof(value));
    return value;
  });
}

template <typename Array>
RowMask MatchBytes(const Expression& predicate, const arrow::Array& column) {
  std::vector<std::string_view> literals;
  for (const Literal& literal : predicate.literals()) {
    if (const auto* text = literal.value.get_if<std::string>()) {
      literals.push_back(*text);
    } else if (const auto* binary = literal.value.get_if<BinaryValue>()) {
      literals.push_back(binary->bytes);
    } else if (const auto* uuid = literal.value.get_if<UuidBytes>()) {
      literals.push_back(AsText(*uuid));
    } else {
      return {};
    }
  }
  if (literals.empty()) return {};
  const auto& array = static_cast<const Array&>(column);
  const auto get = [&array](int64_t i) { return array.GetView(i); };
  const ExpressionKind kind = predicate.kind();
  if (kind != ExpressionKind::kStartsWith && kind != ExpressionKind::kNotStartsWith) {
    return MatchValues<std::string_view>(kind, column.length(), literals, get);
  }
  RowMask mask(static_cast<size_t>(column.length()));
  const bool wanted = kind == ExpressionKind::kStartsWith;
  for (int64_t i = 0; i < column.length(); ++i) {
    mask[static_cast<size_t>(i)] = array.GetView(i).starts_with(literals.front()) == wanted;
  }
  return mask;
}

RowMask MatchNulls(const arrow::Array& column, bool wants_null) {
  RowMask mask(static_cast<size_t>(column.length()));
  for (int64_t i = 0; i < column.length(); ++i) {
    mask[static_cast<size_t>(i)] = column.IsNull(i) == wants_null;
  }
  return mask;
}

bool IsVectorised(ExpressionKind kind) {
  return IsComparison(kind) || kind == ExpressionKind::kIn || kind == ExpressionKind::kNotIn;
}

RowMask MatchTyped(const Expression& predicate, const arrow::Array& column) {
  switch (static_cast<int>(column.type_id())) {  // Few of Arrow's many types.
    case arrow::Type::INT32:
      return MatchNumbers<arrow::Int32Array, int32_t>(predicate, column);
    case arrow::Type::DATE32:
      return MatchNumbers<arrow::Date32Array, int32_t>(predicate, column);
    case arrow::Type::INT64:
      return MatchNumbers<arrow::Int64Array, int64_t>(predicate, column);
    case arrow::Type::TIME64:
      return MatchNumbers<arrow::Time64Array, int64_t>(predicate, column);
    case arrow::Type::TIMESTAMP:
      return MatchNumbers<arrow::TimestampArray, int64_t>(predicate, column);
    case arrow::Type::FLOAT:
      return MatchNumbers<arrow::FloatArray, float>(predicate, column);
    case arrow::Type::DOUBLE:
      return MatchNumbers<arrow::DoubleArray, double>(predicate, column);
    case arrow::Type::DECIMAL128:
      return MatchDecimals(predicate, column);
    default:
      return {};
  }
}

}  // namespace

RowMask MatchColumn(const Expression& predicate, const arrow::Array& column) {
  const ExpressionKind kind = predicate.kind();
  if (predicate.term().transform.kind != TransformKind::kIdentity) return {};
  if (kind == ExpressionKind::kIsNull || kind == ExpressionKind::kNotNull) {
    return MatchNulls(column, kind == ExpressionKind::kIsNull);
  }
  const bool is_prefix =
      kind == ExpressionKind::kStartsWith || kind == ExpressionKind::kNotStartsWith;
  RowMask mask;
  if (IsVectorised(kind) || is_prefix) {
    const arrow::Type::type id = column.type_id();
    if (id == arrow::Type::STRING || id == arrow::Type::BINARY) {
      mask = MatchBytes<arrow::BinaryArray>(predicate, column);
    } else if (id == arrow::Type::FIXED_SIZE_BINARY) {
      mask = MatchBytes<arrow::FixedSizeBinaryArray>(predicate, column);
    } else if (!is_prefix) {
      mask = MatchTyped(predicate, column);
    }
  }
  ClearNulls(column, mask);
  return mask;
}

}  // namespace firn
