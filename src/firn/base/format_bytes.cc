#include "firn/base/format_bytes.h"

#include <array>

#include <fmt/format.h>

namespace firn {

std::string FormatBytes(double bytes) {
  constexpr std::array<const char*, 6> kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t index = 0;
  while (bytes >= 1000 && index + 1 < kUnits.size()) {
    bytes /= 1000;
    ++index;
  }
  return fmt::format("{:.{}f} {}", bytes, index == 0 || bytes >= 100 ? 0 : 1, kUnits[index]);
}

}  // namespace firn
