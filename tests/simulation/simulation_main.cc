#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "firn/base/clock.h"
#include "firn/base/log.h"
#include "firn/base/number.h"

#include "run.h"

// Actors on one table, interleaved at every call of files and catalogs, while calls fail, hang,
// happen twice or late, and processes die.
//
//   --seeds=N    runs N seeds (default 200)
//   --first=N    the first of them (default 1)
//   --seconds=N  runs as many as fit into that time
//   --seed=N     repeats one and shows its steps

namespace {

using firn::simulation::RunResult;
using firn::simulation::RunSeed;

struct Flags {
  uint64_t first = 1;
  uint64_t count = 200;
  std::chrono::seconds time{0};  // 0: `count` decides.
  bool is_traced = false;
};

std::optional<Flags> ParseFlags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    const size_t equals = flag.find('=');
    const auto value =
        equals == std::string_view::npos ? std::nullopt : firn::ParseInt64(flag.substr(equals + 1));
    const std::string_view name = flag.substr(0, equals);
    if (!value || *value < 0) return std::nullopt;
    if (name == "--seed") {
      flags.first = static_cast<uint64_t>(*value);
      flags.count = 1;
      flags.is_traced = true;
    } else if (name == "--seeds") {
      flags.count = static_cast<uint64_t>(*value);
    } else if (name == "--first") {
      flags.first = static_cast<uint64_t>(*value);
    } else if (name == "--seconds") {
      flags.time = std::chrono::seconds(*value);
    } else {
      return std::nullopt;
    }
  }
  return flags;
}

void Show(uint64_t seed, const RunResult& result) {
  fmt::print("seed {}: {}\n", seed, result.scene);
  for (const std::string& line : result.trace)
    fmt::print("{}\n", line);
  if (result.violation) {
    fmt::print("seed {} FAILED: {}\nrepeat it with --seed={}\n", seed, *result.violation, seed);
  }
}

void Add(RunResult& total, const RunResult& one) {
  total.operations += one.operations;
  total.succeeded += one.succeeded;
  total.failed += one.failed;
  total.unknown += one.unknown;
  total.died += one.died;
  total.snapshots += one.snapshots;
}

int Run(const Flags& flags) {
  const auto threads = firn::MakeThreadPool(firn::simulation::kThreads);
  const auto began = firn::SystemClock().Elapsed();
  const auto elapsed = [&] { return firn::SystemClock().Elapsed() - began; };
  RunResult total;
  uint64_t done = 0;
  uint64_t violated = 0;
  const auto is_more = [&] {
    return flags.time.count() > 0 ? elapsed() < flags.time : done < flags.count;
  };
  for (uint64_t seed = flags.first; is_more(); ++seed, ++done) {
    RunResult result = RunSeed(*threads, seed, flags.is_traced);
    Add(total, result);
    if (flags.is_traced) Show(seed, result);
    if (!result.violation || flags.is_traced) {
      violated += result.violation ? 1U : 0U;
      continue;
    }
    Show(seed, RunSeed(*threads, seed, true));
    ++violated;
    if (violated >= 3) break;
  }
  fmt::print(
      "{} seeds in {:.1f} s, {} violated: {} operations ({} succeeded, {} failed, {} unknown, {} "
      "died), {} snapshots\n",
      done, std::chrono::duration<double>(elapsed()).count(), violated, total.operations,
      total.succeeded, total.failed, total.unknown, total.died, total.snapshots);
  return violated == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Flags> flags = ParseFlags(argc, argv);
  if (!flags) {
    fmt::print(stderr, "usage: {} [--seeds=N] [--first=N] [--seconds=N] [--seed=N]\n", argv[0]);
    return 2;
  }
  firn::SetLogLevel(firn::LogLevel::kOff);
  return Run(*flags);
}
