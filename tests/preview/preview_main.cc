#include "checks.h"
#include "history.h"
#include "lake.h"
#include "seeds.h"

// Random tables, and what a dry run says of every command that takes something out of one: no byte
// changes, and the real run then removes just that.

namespace {

firn::SeedResult RunSeed(uint64_t seed, bool is_traced) {
  using namespace firn::preview;
  firn::SeedResult result;
  const auto random = firn::MakeSeededRandom(seed);
  const auto trace = [&](const std::string& line) {
    if (is_traced) result.trace.push_back(line);
  };
  Lake lake(*random, random->Below(4) == 0);
  History history(lake, *random, trace);
  Checks checks(lake, history, *random, trace);
  firn::Status status = history.Begin();
  result.setting = history.setting();
  for (int round = 0; status.ok() && round < 5 && !checks.violation(); ++round) {
    for (int step = 0; status.ok() && step < 4; ++step)
      status = history.Step();
    for (int check = 0; check < 2 && !checks.violation(); ++check)
      checks.CheckOne();
  }
  if (!status.ok()) result.violation = status.error().Format();
  if (!result.violation && !checks.violation()) checks.CheckPurge();
  if (!result.violation) result.violation = checks.violation();
  result.count = checks.count();
  return result;
}

}  // namespace

int main(int argc, char** argv) { return firn::RunSeeds(argc, argv, RunSeed); }
