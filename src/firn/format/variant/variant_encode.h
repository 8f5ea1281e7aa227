#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/int128.h"
#include "firn/format/variant/variant.h"

/// Variant values put together from their parts, each appended to `out`.

namespace firn {

/// A dictionary of `names`, which are sorted and differ. Errors: kInvalidInput: more than 4 GiB.
Result<std::string> MakeVariantMetadata(std::span<const std::string_view> names);

void AppendVariantNull(std::string& out);
void AppendVariantBoolean(std::string& out, bool value);
/// In the fewest bytes.
void AppendVariantInteger(std::string& out, int64_t value);
/// As `kind`, one of the integers, date, time and timestamps, stores it.
void AppendVariantNumber(std::string& out, VariantKind kind, int64_t value);
void AppendVariantFloat(std::string& out, float value);
void AppendVariantDouble(std::string& out, double value);
/// `scale` is 0 to 38. In the fewest bytes that its digits and its scale allow.
void AppendVariantDecimal(std::string& out, Int128 unscaled, int32_t scale);
void AppendVariantString(std::string& out, std::string_view text);
void AppendVariantBinary(std::string& out, std::string_view bytes);
/// `bytes` are 16.
void AppendVariantUuid(std::string& out, std::string_view bytes);

/// A field of an object whose value stands in `out` already.
struct VariantField {
  std::string_view name;
  uint32_t id = 0;    ///< Of the name, in the dictionary.
  size_t offset = 0;  ///< Of the value, from the first one.
};

/// The values behind `begin` in `out` become an object. Sorts `fields` by their names. Errors:
/// kInvalidInput: a name twice, or more than 4 GiB.
Status FinishVariantObject(std::string& out, size_t begin, std::vector<VariantField>& fields);

/// The values behind `begin` in `out`, at `offsets` from there, become an array. Errors:
/// kInvalidInput: more than 4 GiB.
Status FinishVariantArray(std::string& out, size_t begin, std::span<const size_t> offsets);

}  // namespace firn
