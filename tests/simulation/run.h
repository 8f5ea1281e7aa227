#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/executor.h"

namespace firn::simulation {

struct RunResult {
  std::optional<std::string> violation;
  std::vector<std::string> trace;  ///< If it was asked for.
  std::string scene;               ///< What kind of run it was.
  // What happened, to see that runs are worth something.
  int64_t operations = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  int64_t unknown = 0;
  int64_t died = 0;
  int64_t snapshots = 0;
};

/// How many threads `RunSeed` needs at the same time.
inline constexpr size_t kThreads = 8;

/// One run, all of which follows from `seed`.
RunResult RunSeed(Executor& threads, uint64_t seed, bool is_traced);

}  // namespace firn::simulation
