#pragma once

#include <cstdint>
#include <optional>

namespace firn {

/// What this process has in memory now, as the system counts it (resident pages). Nullopt: the
/// system does not tell.
std::optional<int64_t> ResidentBytes();

}  // namespace firn
