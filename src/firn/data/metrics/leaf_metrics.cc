#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <arrow/array.h>

#include "firn/base/byte_prefix.h"
#include "firn/data/metrics/column_metrics_internal.h"
#include "firn/parquet/transcode.h"

namespace firn {
namespace {

// Call `visit` with each value that is not null.
template <typename Array, typename Visit>
void VisitValues(const arrow::Array& values, const Visit& visit) {
  const auto& array = static_cast<const Array&>(values);
  if (array.null_count() == 0) {
    for (int64_t i = 0; i < array.length(); ++i)
      visit(array.GetView(i));
    return;
  }
  for (int64_t i = 0; i < array.length(); ++i) {
    if (!array.IsNull(i)) visit(array.GetView(i));
  }
}

// Integers in the wide sense: int, long, date, times.
template <typename Array, typename T>
class OrderedMetrics final : public LeafMetrics {
 public:
  void Add(const arrow::Array& values) override {
    if (values.null_count() == values.length()) return;
    has_value_ = true;
    T lower = lower_;
    T upper = upper_;
    VisitValues<Array>(values, [&](T value) {
      lower = std::min(lower, value);
      upper = std::max(upper, value);
    });
    lower_ = lower;
    upper_ = upper;
  }
  Value lower() const override { return has_value_ ? Value(lower_) : Value(); }
  Value upper() const override { return has_value_ ? Value(upper_) : Value(); }

 private:
  bool has_value_ = false;
  T lower_ = std::numeric_limits<T>::max();
  T upper_ = std::numeric_limits<T>::lowest();
};

// Without NaN. A zero bound is -0.0 below and +0.0 above (reference 4.7).
template <typename Array, typename T>
class FloatMetrics final : public LeafMetrics {
 public:
  void Add(const arrow::Array& values) override {
    VisitValues<Array>(values, [this](T value) {
      if (std::isnan(value)) {
        ++nan_count_;
        return;
      }
      has_value_ = true;
      lower_ = std::min(lower_, value);
      upper_ = std::max(upper_, value);
    });
  }
  Value lower() const override {
    if (!has_value_) return {};
    return lower_ == 0 ? -T{0} : lower_;
  }
  Value upper() const override {
    if (!has_value_) return {};
    return upper_ == 0 ? T{0} : upper_;
  }

 private:
  bool has_value_ = false;
  T lower_ = std::numeric_limits<T>::infinity();
  T upper_ = -std::numeric_limits<T>::infinity();
};

class BooleanMetrics final : public LeafMetrics {
 public:
  void Add(const arrow::Array& values) override {
    const auto& array = static_cast<const arrow::BooleanArray&>(values);
    const int64_t trues = array.true_count();
    has_true_ |= trues > 0;
    has_false_ |= array.length() - array.null_count() > trues;
  }
  Value lower() const override { return has_value() ? Value(!has_false_) : Value(); }
  Value upper() const override { return has_value() ? Value(has_true_) : Value(); }

 private:
  bool has_value() const { return has_true_ || has_false_; }
  bool has_true_ = false;
  bool has_false_ = false;
};

class DecimalMetrics final : public LeafMetrics {
 public:
  void Add(const arrow::Array& values) override {
    const auto& array = static_cast<const arrow::FixedSizeBinaryArray&>(values);
    for (int64_t i = 0; i < array.length(); ++i) {
      if (array.IsNull(i)) continue;
      Int128 value;
      std::memcpy(&value, array.GetValue(i), sizeof(value));
      if (!has_value_ || value < lower_) lower_ = value;
      if (!has_value_ || value > upper_) upper_ = value;
      has_value_ = true;
    }
  }
  Value lower() const override { return has_value_ ? Value(lower_) : Value(); }
  Value upper() const override { return has_value_ ? Value(upper_) : Value(); }

 private:
  bool has_value_ = false;
  Int128 lower_ = 0;
  Int128 upper_ = 0;
};

// Text and bytes, compared as unsigned bytes. Most values are decided by their first eight bytes.
template <typename Array>
class BytesMetrics final : public LeafMetrics {
 public:
  explicit BytesMetrics(TypeId type) : type_(type) {}

  void Add(const arrow::Array& values) override {
    VisitValues<Array>(values, [this](std::string_view value) { AddValue(value); });
  }
  Value lower() const override { return ToValue(lower_); }
  Value upper() const override { return ToValue(upper_); }

 private:
  void AddValue(std::string_view value) {
    value = value.substr(0, kBoundBytesMax);
    const uint64_t prefix = BytePrefix(value);
    if (!lower_ || prefix < lower_prefix_ || (prefix == lower_prefix_ && value < *lower_)) {
      lower_ = std::string(value);
      lower_prefix_ = prefix;
    }
    if (!upper_ || prefix > upper_prefix_ || (prefix == upper_prefix_ && value > *upper_)) {
      upper_ = std::string(value);
      upper_prefix_ = prefix;
    }
  }

  Value ToValue(const std::optional<std::string>& bytes) const {
    if (!bytes) return {};
    if (type_ == TypeId::kString) return *bytes;
    if (type_ != TypeId::kUuid) return BinaryValue{*bytes};
    UuidBytes uuid;
    std::memcpy(uuid.data(), bytes->data(), uuid.size());
    return uuid;
  }

  TypeId type_;
  std::optional<std::string> lower_;
  std::optional<std::string> upper_;
  uint64_t lower_prefix_ = 0;
  uint64_t upper_prefix_ = 0;
};

}  // namespace

std::unique_ptr<LeafMetrics> MakeLeafMetrics(const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return std::make_unique<BooleanMetrics>();
    case TypeId::kInt:
      return std::make_unique<OrderedMetrics<arrow::Int32Array, int32_t>>();
    case TypeId::kDate:
      return std::make_unique<OrderedMetrics<arrow::Date32Array, int32_t>>();
    case TypeId::kLong:
      return std::make_unique<OrderedMetrics<arrow::Int64Array, int64_t>>();
    case TypeId::kTime:
      return std::make_unique<OrderedMetrics<arrow::Time64Array, int64_t>>();
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return std::make_unique<OrderedMetrics<arrow::TimestampArray, int64_t>>();
    case TypeId::kFloat:
      return std::make_unique<FloatMetrics<arrow::FloatArray, float>>();
    case TypeId::kDouble:
      return std::make_unique<FloatMetrics<arrow::DoubleArray, double>>();
    case TypeId::kDecimal:
      return std::make_unique<DecimalMetrics>();
    case TypeId::kString:
    case TypeId::kBinary:
      return std::make_unique<BytesMetrics<arrow::BinaryArray>>(type.id());
    case TypeId::kUuid:
    case TypeId::kFixed:
      return std::make_unique<BytesMetrics<arrow::FixedSizeBinaryArray>>(type.id());
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return nullptr;
  }
  return nullptr;
}

}  // namespace firn
