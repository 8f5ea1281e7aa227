#include "../seeds.h"
#include "run.h"

// Actors on one table, interleaved at every call of files and catalogs, while calls fail, hang,
// happen twice or late, and processes die. See docs/simulation.md.

int main(int argc, char** argv) {
  const auto threads = firn::MakeThreadPool(firn::simulation::kThreads);
  return firn::RunSeeds(argc, argv, [&](uint64_t seed, bool is_traced) {
    return firn::simulation::RunSeed(*threads, seed, is_traced);
  });
}
