#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// UTF-8 as Unicode defines it: no surrogates, no overlong forms, nothing above U+10FFFF.

namespace firn {

struct CodePoint {
  char32_t value = 0;
  size_t size = 0;  ///< Bytes of its encoding, 1 to 4.
};

/// The first code point of `text`; nullopt if `text` is empty or does not start with a valid one.
std::optional<CodePoint> DecodeUtf8(std::string_view text);

/// 1 to 4 bytes. `value` must be a Unicode scalar value (no surrogate, at most U+10FFFF).
std::string EncodeUtf8(char32_t value);

bool IsValidUtf8(std::string_view text);

/// Number of code points; each byte that is not valid counts as one.
size_t CountCodePoints(std::string_view text);

/// The first `count` code points, or all of `text` if it has no more; each byte that is not valid
/// counts as one. Never cuts a code point.
std::string_view TakeCodePoints(std::string_view text, size_t count);

}  // namespace firn
