#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "firn/base/memory_budget.h"
#include "firn/commit/commit.h"

namespace firn {

struct Progress {
  std::string phase;
  int64_t files_done = 0;
  int64_t files_total = 0;
  int64_t bytes_done = 0;
  int64_t bytes_total = 0;
};

/// How a rewrite proves, before it commits, that the rows are the same.
enum class Verification {
  kOff,
  kCounts,   ///< Rows, going by the manifests.
  kContent,  ///< A hash over all rows, for which inputs and outputs are read once more.
};

struct MaintainContext {
  CommitContext commit;
  MemoryBudget* budget = nullptr;
  std::function<void(const Progress&)> progress;  ///< May be null.
  Verification verification = Verification::kCounts;
};

}  // namespace firn
