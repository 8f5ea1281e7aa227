#pragma once

#include <cstdint>

#include "firn/base/executor.h"

#include "../seeds.h"

namespace firn::simulation {

/// How many threads `RunSeed` needs at the same time.
inline constexpr size_t kThreads = 8;

/// One run, all of which follows from `seed`.
SeedResult RunSeed(Executor& threads, uint64_t seed, bool is_traced);

}  // namespace firn::simulation
