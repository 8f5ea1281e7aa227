#pragma once

#include "trial.h"

namespace firn::round_trip {

/// Something that happens to a table, done to its model alike.
struct Step {
  const char* name;
  uint64_t weight;  ///< How often it is chosen, compared with others.
  void (*run)(Trial& trial);
};

/// Rows come, go and move.
const std::vector<Step>& RowSteps();
/// Schema, spec, sort order and version change. What is not allowed is refused, and then
/// nothing has changed.
const std::vector<Step>& LayoutSteps();

}  // namespace firn::round_trip
