#pragma once

#include <string>
#include <string_view>

/// Case and blanks of ASCII text, whatever the locale; other bytes are left as they are.

namespace firn {

/// 'A' to 'Z' become 'a' to 'z'.
std::string ToLowerAscii(std::string_view text);

bool EqualsIgnoringAsciiCase(std::string_view a, std::string_view b);

/// Without the blanks, tabs and line ends at both ends.
std::string_view TrimAscii(std::string_view text);

}  // namespace firn
