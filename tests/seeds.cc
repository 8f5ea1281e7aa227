#include "seeds.h"

#include <chrono>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "firn/base/clock.h"
#include "firn/base/log.h"
#include "firn/base/number.h"

namespace firn {
namespace {

/// A run with more violations than that ends: they are likely one and the same.
constexpr int64_t kViolationsMax = 3;

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
        equals == std::string_view::npos ? std::nullopt : ParseInt64(flag.substr(equals + 1));
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

void Show(uint64_t seed, const SeedResult& result) {
  fmt::print("seed {}: {}\n", seed, result.setting);
  for (const std::string& line : result.trace)
    fmt::print("{}\n", line);
  if (result.violation) {
    fmt::print("seed {} FAILED: {}\nrepeat it with --seed={}\n", seed, *result.violation, seed);
  }
}

}  // namespace

int RunSeeds(int argc, char** argv,
             const std::function<SeedResult(uint64_t seed, bool is_traced)>& run) {
  const std::optional<Flags> flags = ParseFlags(argc, argv);
  if (!flags) {
    fmt::print(stderr, "usage: {} [--seeds=N] [--first=N] [--seconds=N] [--seed=N]\n", argv[0]);
    return 2;
  }
  SetLogLevel(LogLevel::kOff);
  const auto began = SystemClock().Elapsed();
  const auto elapsed = [&] { return SystemClock().Elapsed() - began; };
  std::map<std::string, int64_t> total;
  uint64_t done = 0;
  int64_t violated = 0;
  const auto is_more = [&] {
    if (violated >= kViolationsMax) return false;
    return flags->time.count() > 0 ? elapsed() < flags->time : done < flags->count;
  };
  for (uint64_t seed = flags->first; is_more(); ++seed, ++done) {
    const SeedResult result = run(seed, flags->is_traced);
    for (const auto& [what, count] : result.count)
      total[what] += count;
    if (result.violation) ++violated;
    if (flags->is_traced || result.violation) {
      Show(seed, flags->is_traced ? result : run(seed, true));
    }
  }
  fmt::print("{} seeds in {:.1f} s, {} violated", done,
             std::chrono::duration<double>(elapsed()).count(), violated);
  for (const auto& [what, count] : total)
    fmt::print(", {} {}", count, what);
  fmt::print("\n");
  return violated == 0 ? 0 : 1;
}

}  // namespace firn
