#pragma once

#include "firn/base/executor.h"

#include "../seeds.h"

namespace firn::round_trip {

/// One random table: made, written, changed and evolved by random steps, and read after each of
/// them in several ways, which must agree with the model.
SeedResult RunSeed(Executor& threads, uint64_t seed, bool is_traced);

}  // namespace firn::round_trip
