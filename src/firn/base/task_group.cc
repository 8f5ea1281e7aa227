#include "firn/base/task_group.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace firn {

// What is submitted to the executor is a claim on the next task, which finds none if the owner was
// quicker, and which may outlive the group.
struct TaskGroup::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;
  bool is_closed = false;  // Its owner is leaving: nothing is taken any more.
  size_t running = 0;
  uint64_t ended = 0;

  bool RunOne() {
    std::function<void()> task;
    {
      const std::lock_guard lock(mutex);
      if (waiting.empty()) return false;
      task = std::move(waiting.front());
      waiting.pop_front();
      ++running;
    }
    task();
    task = nullptr;  // What it holds is gone before the owner may go on.
    const std::lock_guard lock(mutex);
    --running;
    ++ended;
    changed.notify_all();
    return true;
  }
};

TaskGroup::TaskGroup(Executor& executor) : executor_(executor), state_(std::make_shared<State>()) {}

TaskGroup::~TaskGroup() {
  std::deque<std::function<void()>> dropped;
  std::unique_lock lock(state_->mutex);
  state_->is_closed = true;
  dropped.swap(state_->waiting);
  state_->changed.wait(lock, [this] { return state_->running == 0; });
}

void TaskGroup::Submit(std::function<void()> task) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->is_closed) return;
    state_->waiting.push_back(std::move(task));
  }
  executor_.Submit([state = state_] { (void)state->RunOne(); });
}

bool TaskGroup::RunOne() { return state_->RunOne(); }

void TaskGroup::WaitFor(const std::function<bool()>& is_ready) {
  while (true) {
    uint64_t seen = 0;
    {
      const std::lock_guard lock(state_->mutex);
      seen = state_->ended;
    }
    if (is_ready()) return;
    if (executor_.IsOnWorker() && RunOne()) continue;
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->ended != seen; });
  }
}

}  // namespace firn
