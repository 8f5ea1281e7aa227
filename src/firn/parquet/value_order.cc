#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "firn/base/byte_prefix.h"
#include "firn/parquet/transcode.h"
#include "firn/parquet/value_order_internal.h"

namespace firn {
namespace {

template <typename T>
T Load(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

template <typename T>
std::string_view View(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

template <typename T>
int Compare(std::string_view a, std::string_view b) {
  const T left = Load<T>(a.data());
  const T right = Load<T>(b.data());
  return left < right ? -1 : (left > right ? 1 : 0);
}

// Two's complement, big-endian, of any lengths.
int CompareSigned(std::string_view a, std::string_view b) {
  const auto is_negative = [](std::string_view v) { return !v.empty() && (v[0] & 0x80) != 0; };
  if (is_negative(a) != is_negative(b)) return is_negative(a) ? -1 : 1;
  const size_t width = std::max(a.size(), b.size());
  const unsigned char fill = is_negative(a) ? 0xFF : 0;
  const auto at = [width, fill](std::string_view v, size_t i) {
    const size_t missing = width - v.size();
    return i < missing ? fill : static_cast<unsigned char>(v[i - missing]);
  };
  for (size_t i = 0; i < width; ++i) {
    if (at(a, i) != at(b, i)) return at(a, i) < at(b, i) ? -1 : 1;
  }
  return 0;
}

}  // namespace

Result<ValueOrder> OrderOf(const SchemaElement& leaf) {
  const bool is_decimal = leaf.meaning.kind == LeafMeaning::Kind::kDecimal;
  switch (leaf.type.value_or(PhysicalType::kInt96)) {
    case PhysicalType::kBoolean:
      return ValueOrder::kBoolean;
    case PhysicalType::kInt32:
      return ValueOrder::kInt32;
    case PhysicalType::kInt64:
      return ValueOrder::kInt64;
    case PhysicalType::kFloat:
      return ValueOrder::kFloat;
    case PhysicalType::kDouble:
      return ValueOrder::kDouble;
    case PhysicalType::kByteArray:
    case PhysicalType::kFixedLenByteArray:
      return is_decimal ? ValueOrder::kSignedBytes : ValueOrder::kUnsignedBytes;
    case PhysicalType::kInt96:
      break;
  }
  return MakeError(ErrorCode::kUnsupported, "column '{}' has the type INT96", leaf.name);
}

size_t ValueWidth(const SchemaElement& leaf) {
  switch (leaf.type.value_or(PhysicalType::kByteArray)) {
    case PhysicalType::kBoolean:
      return 1;
    case PhysicalType::kInt32:
    case PhysicalType::kFloat:
      return 4;
    case PhysicalType::kInt64:
    case PhysicalType::kDouble:
      return 8;
    case PhysicalType::kInt96:
      return 12;
    case PhysicalType::kFixedLenByteArray:
      return static_cast<size_t>(std::max(leaf.type_length, 0));
    case PhysicalType::kByteArray:
      break;
  }
  return 0;
}

int ComparePlain(ValueOrder order, std::string_view a, std::string_view b) {
  switch (order) {
    case ValueOrder::kInt32:
      return Compare<int32_t>(a, b);
    case ValueOrder::kInt64:
      return Compare<int64_t>(a, b);
    case ValueOrder::kFloat:
      return Compare<float>(a, b);
    case ValueOrder::kDouble:
      return Compare<double>(a, b);
    case ValueOrder::kSignedBytes:
      return CompareSigned(a, b);
    case ValueOrder::kBoolean:
    case ValueOrder::kUnsignedBytes:
      break;
  }
  return a.compare(b);  // char_traits compares as unsigned.
}

bool IsNan(ValueOrder order, std::string_view value) {
  if (order == ValueOrder::kFloat) return std::isnan(Load<float>(value.data()));
  if (order == ValueOrder::kDouble) return std::isnan(Load<double>(value.data()));
  return false;
}

template <typename T>
void ValueBounds::AddNumbers(const std::byte* values, size_t count) {
  T low = std::numeric_limits<T>::max();
  T high = std::numeric_limits<T>::lowest();
  for (size_t i = 0; i < count; ++i) {
    const T value = Load<T>(values + i * sizeof(T));
    low = std::min(low, value);
    high = std::max(high, value);
  }
  AddRange(View(low), View(high));
}

template <typename T>
void ValueBounds::AddFloats(const std::byte* values, size_t count) {
  T low = std::numeric_limits<T>::infinity();
  T high = -std::numeric_limits<T>::infinity();
  int64_t nans = 0;
  for (size_t i = 0; i < count; ++i) {
    const T value = Load<T>(values + i * sizeof(T));
    nans += std::isnan(value) ? 1 : 0;
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  nan_count_ += nans;
  if (nans < static_cast<int64_t>(count)) AddRange(View(low), View(high));
}

void ValueBounds::AddFixed(const std::byte* values, size_t count, size_t width) {
  if (count == 0) return;
  switch (order_) {
    case ValueOrder::kBoolean:
      return AddNumbers<uint8_t>(values, count);
    case ValueOrder::kInt32:
      return AddNumbers<int32_t>(values, count);
    case ValueOrder::kInt64:
      return AddNumbers<int64_t>(values, count);
    case ValueOrder::kFloat:
      return AddFloats<float>(values, count);
    case ValueOrder::kDouble:
      return AddFloats<double>(values, count);
    case ValueOrder::kUnsignedBytes:
    case ValueOrder::kSignedBytes:
      for (size_t i = 0; i < count; ++i)
        AddBytes(AsText({values + i * width, width}));
  }
}

void ValueBounds::AddBytes(std::string_view value) {
  if (order_ != ValueOrder::kUnsignedBytes) return AddRange(value, value);
  value = value.substr(0, kBoundBytesMax);
  // Most values are decided by their first eight bytes.
  const uint64_t prefix = BytePrefix(value);
  if (!min_ || prefix < min_prefix_ || (prefix == min_prefix_ && value < *min_)) {
    min_ = std::string(value);
    min_prefix_ = prefix;
  }
  if (!max_ || prefix > max_prefix_ || (prefix == max_prefix_ && value > *max_)) {
    max_ = std::string(value);
    max_prefix_ = prefix;
  }
}

void ValueBounds::AddRange(std::string_view min, std::string_view max) {
  if (order_ == ValueOrder::kUnsignedBytes) {
    min = min.substr(0, kBoundBytesMax);
    max = max.substr(0, kBoundBytesMax);
  }
  if (!min_ || ComparePlain(order_, min, *min_) < 0) {
    min_ = std::string(min);
    min_prefix_ = BytePrefix(min);
  }
  if (!max_ || ComparePlain(order_, max, *max_) > 0) {
    max_ = std::string(max);
    max_prefix_ = BytePrefix(max);
  }
}

void ValueBounds::Merge(const ValueBounds& other) {
  nan_count_ += other.nan_count_;
  if (other.has_value()) AddRange(*other.min_, *other.max_);
}

std::string ValueBounds::Zero(const std::string& bound, bool is_negative) const {
  if (order_ == ValueOrder::kFloat && Load<float>(bound.data()) == 0) {
    return std::string(View(is_negative ? -0.0F : 0.0F));
  }
  if (order_ == ValueOrder::kDouble && Load<double>(bound.data()) == 0) {
    return std::string(View(is_negative ? -0.0 : 0.0));
  }
  return bound;
}

std::string ValueBounds::min() const { return Zero(*min_, true); }
std::string ValueBounds::max() const { return Zero(*max_, false); }

}  // namespace firn
