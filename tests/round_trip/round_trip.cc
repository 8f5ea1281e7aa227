#include "round_trip.h"

#include "steps.h"

namespace firn::round_trip {
namespace {

const Step& ChooseStep(Random& random) {
  uint64_t total = 0;
  for (const auto* steps : {&RowSteps(), &LayoutSteps()}) {
    for (const Step& step : *steps)
      total += step.weight;
  }
  uint64_t drawn = random.Below(total);
  for (const auto* steps : {&RowSteps(), &LayoutSteps()}) {
    for (const Step& step : *steps) {
      if (drawn < step.weight) return step;
      drawn -= step.weight;
    }
  }
  return RowSteps().front();
}

}  // namespace

SeedResult RunSeed(Executor& threads, uint64_t seed, bool is_traced) {
  Trial trial(threads, seed, is_traced);
  trial.Begin();
  const size_t steps = 3 + trial.random().Below(14);
  for (size_t i = 0; i < steps && !trial.is_violated(); ++i) {
    const Step& step = ChooseStep(trial.random());
    step.run(trial);
    trial.Count("steps");
    if (!trial.is_violated()) trial.Check();
  }
  return trial.TakeResult();
}

}  // namespace firn::round_trip
