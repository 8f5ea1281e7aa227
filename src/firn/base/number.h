#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers as text, strict and the same in every locale: the whole text must be the number, with no
/// blanks and no '+' before it.

namespace firn {

/// Decimal digits after an optional '-'; nullopt if it is anything else or does not fit.
std::optional<int64_t> ParseInt64(std::string_view text);
std::optional<int32_t> ParseInt32(std::string_view text);
std::optional<uint64_t> ParseUint64(std::string_view text);

/// Decimal or scientific notation, or "NaN", "Infinity", "Inf", "-Infinity", "-Inf" in any case;
/// the nearest value. Nullopt if it is anything else or too large; too small becomes 0.
std::optional<double> ParseDouble(std::string_view text);
std::optional<float> ParseFloat(std::string_view text);

/// The shortest text that reads back as the same value: "0.1", "-0", "1e+20", "nan", "-inf".
std::string FormatDouble(double value);
std::string FormatFloat(float value);

}  // namespace firn
