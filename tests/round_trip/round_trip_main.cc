#include "round_trip.h"

// Random tables, changed in random ways, read like their models. See docs/simulation.md.

int main(int argc, char** argv) {
  const auto executor = firn::MakeInlineExecutor();  // The same order in every run.
  return firn::RunSeeds(argc, argv, [&](uint64_t seed, bool is_traced) {
    return firn::round_trip::RunSeed(*executor, seed, is_traced);
  });
}
