#pragma once

#include <string>

namespace firn {

/// For people: "512 B", "1.2 GB", "340 MB". Units of 1,000.
std::string FormatBytes(double bytes);

}  // namespace firn
