#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "firn/base/executor.h"
#include "firn/base/random.h"

namespace firn {

struct TurnsOptions {
  uint64_t seed = 0;
  /// How often an actor that lets others pass goes on itself all the same, in percent, below 100.
  uint64_t keep_percent = 0;
};

/// Makes concurrent code repeatable. Actors run on threads of their own but only one at a time, and
/// whenever one of them lets others pass, the seed decides who goes on. Time stands still as long
/// as an actor can run; when all of them sleep, it moves to the end of the shortest sleep.
class Turns {
 public:
  /// `threads` must run as many tasks at the same time as there will be actors, and outlive this.
  Turns(Executor& threads, const TurnsOptions& options);

  /// Run all `actors` to their ends. Once, or again after the last run has ended.
  void Run(std::vector<std::function<void()>> actors);

  /// Let others pass. Outside Run: does nothing.
  void Pass();

  /// Let others pass for as long. Outside Run: moves time.
  void Sleep(std::chrono::nanoseconds duration);

  /// Who runs: the index in `actors`; nullopt outside Run.
  std::optional<size_t> current() const { return current_; }

  /// How many actors have not ended.
  size_t running_count() const { return running_count_; }

  std::chrono::nanoseconds elapsed() const { return elapsed_; }

 private:
  struct Actor {
    std::condition_variable is_next;
    std::chrono::nanoseconds wakes_at{0};
    bool has_ended = false;
  };
  void RunActor(size_t index, const std::function<void()>& body);
  void ChooseNext();
  void WaitForTurn(size_t index, std::unique_lock<std::mutex>& lock);

  Executor& threads_;
  const uint64_t keep_percent_;
  std::unique_ptr<Random> random_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::condition_variable has_ended_;
  // Written by who has the turn, who got it from the last writer under `mutex_`.
  std::optional<size_t> current_;
  size_t running_count_ = 0;
  size_t thread_count_ = 0;  // Threads that still hold on to this object.
  std::chrono::nanoseconds elapsed_{0};
};

}  // namespace firn
