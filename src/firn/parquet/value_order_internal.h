#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "firn/parquet/footer.h"

/// How the values of a leaf compare, in their PLAIN form without length prefix.

namespace firn {

enum class ValueOrder { kBoolean, kInt32, kInt64, kFloat, kDouble, kUnsignedBytes, kSignedBytes };

/// Errors: kUnsupported for types without an order (INT96).
Result<ValueOrder> OrderOf(const SchemaElement& leaf);

/// Bytes of a value; 0 for byte arrays, whose length differs.
size_t ValueWidth(const SchemaElement& leaf);

/// Less than, equal to or greater than 0. No value is NaN.
int ComparePlain(ValueOrder order, std::string_view a, std::string_view b);

bool IsNan(ValueOrder order, std::string_view value);

/// Least and greatest of the values seen, without NaN; of texts, up to kBoundBytesMax of them.
class ValueBounds {
 public:
  explicit ValueBounds(ValueOrder order) : order_(order) {}

  /// `count` values of fixed width one after the other. Booleans take a byte each.
  void AddFixed(const std::byte* values, size_t count, size_t width);
  void AddBytes(std::string_view value);
  /// Bounds found otherwise, and how many NaN there were.
  void AddRange(std::string_view min, std::string_view max);
  void AddNan(int64_t count) { nan_count_ += count; }
  void Merge(const ValueBounds& other);

  bool has_value() const { return min_.has_value(); }
  int64_t nan_count() const { return nan_count_; }
  /// Of floats: a least zero is negative, a greatest one positive. Requires has_value().
  std::string min() const;
  std::string max() const;

 private:
  template <typename T>
  void AddNumbers(const std::byte* values, size_t count);
  template <typename T>
  void AddFloats(const std::byte* values, size_t count);
  std::string Zero(const std::string& bound, bool is_negative) const;

  ValueOrder order_;
  int64_t nan_count_ = 0;
  std::optional<std::string> min_;
  std::optional<std::string> max_;
  uint64_t min_prefix_ = 0;  // The first bytes of both, as numbers that order as they do.
  uint64_t max_prefix_ = 0;
};

}  // namespace firn
