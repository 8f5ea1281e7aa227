#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Programs that try what follows from a number, for many numbers:
///
///   --seeds=N    runs N seeds (default 200)
///   --first=N    the first of them (default 1)
///   --seconds=N  runs as many as fit into that time
///   --seed=N     repeats one and shows its steps

namespace firn {

/// What one seed gave.
struct SeedResult {
  std::optional<std::string> violation;
  std::string setting;                   ///< What kind of run it was.
  std::vector<std::string> trace;        ///< Its steps, if they were asked for.
  std::map<std::string, int64_t> count;  ///< What happened, to see that runs are worth something.
};

/// `run` must do the same for the same seed. Returns the exit code.
int RunSeeds(int argc, char** argv,
             const std::function<SeedResult(uint64_t seed, bool is_traced)>& run);

}  // namespace firn
