#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Plain text, byte by byte and the same in every locale: letters are those of ASCII.

namespace firn {

/// The pieces between the separators, empty ones included; "" is one empty piece.
std::vector<std::string_view> SplitText(std::string_view text, char separator);

/// Without blanks, tabs and line ends at both ends.
std::string_view TrimText(std::string_view text);

std::string LowerAscii(std::string_view text);
std::string UpperAscii(std::string_view text);

/// True if both are the same but for the case of ASCII letters.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

/// Every `from` (not empty), from left to right, becomes `to`.
std::string ReplaceText(std::string_view text, std::string_view from, std::string_view to);

}  // namespace firn
