#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace firn {

/// How many files there are of which size.
class SizeHistogram {
 public:
  void Add(int64_t bytes, int64_t files = 1);

  int64_t files() const;
  int64_t bytes() const { return bytes_; }

  /// "98 below 1 MiB, 2 below 16 MiB"; "none".
  std::string Format() const;

 private:
  static constexpr int64_t kMiB = int64_t{1} << 20;
  /// Sizes below each; the last class has no end.
  static constexpr std::array<int64_t, 4> kBounds = {kMiB, 16 * kMiB, 128 * kMiB, 512 * kMiB};

  std::array<int64_t, kBounds.size() + 1> counts_{};
  int64_t bytes_ = 0;
};

}  // namespace firn
