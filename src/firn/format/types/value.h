#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "firn/base/bytes.h"
#include "firn/base/int128.h"
#include "firn/base/random.h"
#include "firn/base/result.h"

/// Single values of Iceberg types: partition values, bounds, defaults, literals, and the cells of
/// metadata tables. A value does not know its type; the physical form per type is
///
///   boolean bool · int, date int32_t · long, time, timestamps int64_t (us, or ns of the _ns types)
///   float float · double double · decimal Int128 (unscaled) · string std::string
///   uuid UuidBytes · fixed, binary, geometry, geography (WKB), variant BinaryValue
///   struct, list, map the shared nested forms · unknown always null

namespace firn {

class Type;

/// Raw bytes, distinct from text.
struct BinaryValue {
  std::string bytes;
  auto operator<=>(const BinaryValue&) const = default;
};

class Value;

struct StructValue {
  std::vector<Value> fields;  ///< In the order of the struct type.
};
struct ListValue {
  std::vector<Value> elements;
};
struct MapValue {
  std::vector<std::pair<Value, Value>> entries;
};

class Value {
 public:
  using Storage =
      std::variant<std::monostate, bool, int32_t, int64_t, float, double, Int128, std::string,
                   UuidBytes, BinaryValue, std::shared_ptr<const StructValue>,
                   std::shared_ptr<const ListValue>, std::shared_ptr<const MapValue>>;

  Value() = default;  ///< Null.
  template <typename T>
    requires(std::is_constructible_v<Storage, T> && !std::is_same_v<std::remove_cvref_t<T>, Value>)
  Value(T&& value) : storage_(std::forward<T>(value)) {}  // NOLINT: implicit

  static Value Struct(std::vector<Value> fields);
  static Value List(std::vector<Value> elements);
  static Value Map(std::vector<std::pair<Value, Value>> entries);

  bool is_null() const { return storage_.index() == 0; }
  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(storage_);
  }
  /// The stored form; T must be the one that is stored.
  template <typename T>
  const T& get() const {
    return *std::get_if<T>(&storage_);
  }
  template <typename T>
  const T* get_if() const {
    return std::get_if<T>(&storage_);
  }
  const StructValue& as_struct() const { return *get<std::shared_ptr<const StructValue>>(); }
  const ListValue& as_list() const { return *get<std::shared_ptr<const ListValue>>(); }
  const MapValue& as_map() const { return *get<std::shared_ptr<const MapValue>>(); }
  const Storage& storage() const { return storage_; }

  /// Deep; floats by canonical bits as partition equality wants it: NaN = NaN, -0.0 != +0.0.
  bool operator==(const Value& other) const;

 private:
  Storage storage_;
};

/// True if `value` is stored in the form of `type` (see above); false for null. Only the outermost
/// level of nested values is looked at.
bool HasFormOf(const Value& value, const Type& type);

/// Hash that agrees with `==`.
uint64_t HashValue(const Value& value);

/// Order of two values of the same type: numeric (floats: -NaN < -Inf < .. < -0 < +0 < .. < NaN),
/// strings and bytes unsigned, nested values by their parts in order, null before all others.
std::strong_ordering CompareValues(const Value& a, const Value& b);

/// Single-value binary form of the spec (bounds). Errors: kInternal if the value does not fit.
Result<std::string> ToBoundBytes(const Value& value, const Type& type);

/// Read a bound. Narrower bytes of a promoted column are widened (reference 2.5); a NaN bound, or
/// bytes that make no sense for the type, give null: "unknown".
Value FromBoundBytes(std::span<const std::byte> bytes, const Type& type);

/// Human-readable form as Java prints partition values and readable metrics: ISO dates and times,
/// Base64 binary, Java notation of floats; null is "null".
std::string FormatValue(const Value& value, const Type& type);

/// Parse the text of a literal for `type`: numbers, ISO dates and times, decimals (exact scale or
/// fewer digits), uuid, hex for binary. Errors: kInvalidInput.
Result<Value> ParseValue(std::string_view text, const Type& type);

/// Widen a value of type `from` to `to` (a promotion that is allowed). Errors: kCorrupt on
/// overflow.
Result<Value> PromoteValue(const Value& value, const Type& from, const Type& to);

}  // namespace firn
