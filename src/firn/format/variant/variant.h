#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "firn/base/int128.h"
#include "firn/base/result.h"

/// Values of the type `variant` (v3): Parquet's variant encoding, version 1. A variant is two byte
/// strings: `metadata`, a dictionary of the names of fields, and `value`, which refers to it. Bytes
/// come from others: whatever they say, nothing is read beyond them.
///
/// Errors of all that reads: kCorrupt, unless something else is said.

namespace firn {

/// The dictionary of a variant. Names are looked at when they are asked for. Refers to the bytes
/// that it was made of.
class VariantMetadata {
 public:
  /// Bytes behind the dictionary are ignored; `size()` tells where it ends.
  static Result<VariantMetadata> Parse(std::string_view bytes);

  size_t size() const { return size_; }
  uint32_t name_count() const { return name_count_; }
  Result<std::string_view> Name(uint32_t id) const;
  /// The id of a name. Errors: kCorrupt, if it is not there, too.
  Result<uint32_t> Find(std::string_view name) const;

 private:
  size_t OffsetAt(uint32_t index) const;

  std::string_view bytes_;
  size_t size_ = 0;
  size_t names_begin_ = 0;
  size_t offset_bytes_ = 1;
  uint32_t name_count_ = 0;
  bool is_sorted_ = false;
};

/// What a value is. Widths of integers, floats and decimals are how it is stored.
enum class VariantKind {
  kNull,
  kBoolean,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kDecimal,
  kDate,         ///< Days.
  kTime,         ///< Microseconds, as all times without "Nanos".
  kTimestamptz,  ///< An instant.
  kTimestamp,    ///< Without zone.
  kTimestamptzNanos,
  kTimestampNanos,
  kString,
  kBinary,
  kUuid,
  kObject,
  kArray,
};

/// One value, taken apart by one level. Refers to the bytes that it was made of.
class VariantValue {
 public:
  /// The value at the start of `bytes`; what follows it is ignored.
  static Result<VariantValue> Parse(std::string_view bytes);

  VariantKind kind() const { return kind_; }
  /// Of a boolean (0 or 1), an integer, a date, time or timestamp, and the unscaled decimal.
  Int128 number() const { return number_; }
  int32_t scale() const { return scale_; }         ///< Of a decimal: 0 to 38.
  double real() const { return real_; }            ///< Of a float or double.
  std::string_view text() const { return text_; }  ///< Of a string, binary or UUID.

  uint32_t element_count() const { return element_count_; }  ///< Of an object or array.
  /// The name's id, of a field of an object.
  uint32_t NameId(uint32_t index) const;
  /// The bytes of an element or of a field's value; behind it there may be others.
  Result<std::string_view> Element(uint32_t index) const;

  /// All bytes of the value: with those of its elements.
  std::string_view bytes() const { return bytes_; }
  /// Bytes of the value without those of its elements.
  size_t own_size() const { return own_size_; }

 private:
  Status ParsePrimitive(unsigned type, std::string_view bytes);
  Status ParseContainer(unsigned header, std::string_view bytes, bool is_object);

  VariantKind kind_ = VariantKind::kNull;
  Int128 number_ = 0;
  int32_t scale_ = 0;
  double real_ = 0;
  std::string_view text_;
  uint32_t element_count_ = 0;
  size_t ids_begin_ = 0;
  size_t offsets_begin_ = 0;
  size_t id_bytes_ = 0;
  size_t offset_bytes_ = 0;
  std::string_view bytes_;
  size_t own_size_ = 0;
};

/// A variant on its own.
struct VariantBytes {
  std::string metadata;
  std::string value;
};

/// Append a variant as JSON as Spark's `to_json` prints it: whole numbers and decimals plain
/// without zeros at the end of the fraction, floats in Java's notation, text for all else:
/// 2026-01-31, 10:00:00.5, 2026-01-31 10:00:00.5+00:00 (in UTC; without the offset if it has no
/// zone), Base64, UUID, NaN. Errors: kCorrupt, also of values that overlap or lie deeper than 500
/// levels; kResourceExhausted: the text is larger than 512 MiB.
Status AppendVariantJson(std::string& out, std::string_view metadata, std::string_view value);

/// The variant that `parse_json` of Spark makes: whole numbers in the fewest bytes, numbers with a
/// fraction as decimals if they have at most 38 digits and no exponent, else doubles; the
/// dictionary is sorted. Errors: kInvalidInput: no JSON, a key twice in an object, a number beyond
/// doubles, more than 200 levels, or a value of more than 128 MiB.
Result<VariantBytes> VariantFromJson(std::string_view json);

/// Metadata and value one behind the other: the form of a variant in a `BinaryValue`.
std::string JoinVariant(std::string_view metadata, std::string_view value);

struct VariantParts {
  std::string_view metadata;
  std::string_view value;
};
/// The reverse of JoinVariant.
Result<VariantParts> SplitVariant(std::string_view joined);

}  // namespace firn
