#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "firn/base/int128.h"
#include "firn/base/result.h"
#include "firn/parquet/compression_internal.h"
#include "firn/parquet/footer.h"

/// Values of one leaf as those of another that means the same, or more: wider numbers, other widths
/// of decimals, other units of time, byte arrays of fixed and of any length.

namespace firn {

enum class ValueConversion {
  kNone,  ///< The bytes stay.
  kCheckText,
  kWidenInteger,
  kWidenUnsigned,
  kWidenFloat,
  kDecimal,
  kScale,  ///< Times `factor` of the converter; a negative one divides.
  kInt96,
  kToFixed,
  kToBytes,
};

/// What values of `from` take to become those of `to`; nullopt: they cannot.
std::optional<ValueConversion> FindConversion(const SchemaElement& from, const SchemaElement& to);

/// Converts values page by page.
class ValueConverter {
 public:
  /// Requires that there is a conversion.
  ValueConverter(const SchemaElement& from, const SchemaElement& to);

  /// `count` PLAIN values, which were checked to be there, as those of the other leaf: the same
  /// bytes, or bytes in `out`. Errors: kCorrupt: a value that the other leaf cannot hold.
  Result<std::span<const std::byte>> Convert(std::span<const std::byte> values, size_t count,
                                             PageBuffer& out) const;

 private:
  Status Scale(std::span<const std::byte> values, size_t count, std::byte* out) const;
  Status ToDecimals(std::span<const std::byte> values, size_t count, std::byte* out) const;
  Status AddDecimal(Int128 number, std::byte* out) const;
  Status ToFixed(std::span<const std::byte> values, size_t count, std::byte* out) const;
  void ToBytes(std::span<const std::byte> values, size_t count, std::byte* out) const;

  ValueConversion conversion_;
  PhysicalType from_type_;
  PhysicalType to_type_;
  size_t from_width_;
  size_t to_width_;
  bool is_uuid_;
  int64_t factor_ = 1;
  Int128 decimal_end_ = 0;  // The least number with too many digits.
};

}  // namespace firn
