#pragma once

#include <functional>
#include <memory>

#include "firn/base/executor.h"

namespace firn {

/// Tasks of one piece of work on an executor that others use, too. Whoever waits for them can run
/// those that have not begun itself, and those only: it comes to no other work, which could want
/// what the waiting one holds, and no busy executor can block it. Single owner.
class TaskGroup {
 public:
  explicit TaskGroup(Executor& executor);
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  /// Drops what has not begun and waits for what has.
  ~TaskGroup();

  /// Also for tasks of the group, whose new ones are dropped while it is being destroyed.
  void Submit(std::function<void()> task);

  /// Run one task that has not begun on the calling thread. False if there is none.
  bool RunOne();

  /// Wait until `is_ready`, which is asked after each task that ended, holds. A worker of the
  /// executor runs tasks of the group meanwhile. Requires that a task makes it true.
  void WaitFor(const std::function<bool()>& is_ready);

 private:
  struct State;
  Executor& executor_;
  std::shared_ptr<State> state_;
};

}  // namespace firn
