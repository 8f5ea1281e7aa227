#include "firn/base/task_group.h"

#include <atomic>
#include <future>
#include <memory>

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(TaskGroupTest, RunsEachTaskOnce) {
  const auto pool = MakeThreadPool(3);
  std::atomic<int> calls = 0;
  TaskGroup tasks(*pool);
  for (int i = 0; i < 100; ++i)
    tasks.Submit([&] { ++calls; });
  tasks.WaitFor([&] { return calls == 100; });
  EXPECT_EQ(calls, 100);
  EXPECT_FALSE(tasks.RunOne());
}

TEST(TaskGroupTest, OnAWorkerOfABusyExecutorRunsItsOwnTasksAndNoOthers) {
  const auto pool = MakeThreadPool(1);
  std::promise<bool> done;
  bool has_run_other = false;
  pool->Submit([&] {
    pool->Submit([&] { has_run_other = true; });
    TaskGroup tasks(*pool);
    std::atomic<bool> has_run = false;
    tasks.Submit([&] { has_run = true; });
    tasks.WaitFor([&] { return has_run.load(); });
    done.set_value(has_run_other);
  });
  EXPECT_FALSE(done.get_future().get());
}

// A task may submit its successor at the very moment in which the owner leaves.
TEST(TaskGroupTest, DropsWhatATaskSubmitsWhileItEnds) {
  const auto pool = MakeThreadPool(2);
  std::promise<void> begun;
  std::atomic<bool> is_leaving = false;
  std::atomic<int> successors = 0;
  auto tasks = std::make_unique<TaskGroup>(*pool);
  TaskGroup* group = tasks.get();
  tasks->Submit([&, group] {
    begun.set_value();
    while (!is_leaving) {
    }
    for (int i = 0; i < 100'000; ++i)
      group->Submit([&] { ++successors; });
  });
  begun.get_future().wait();
  is_leaving = true;
  tasks = nullptr;
  const int at_end = successors;
  std::promise<void> later;
  pool->Submit([&] { later.set_value(); });
  later.get_future().wait();
  EXPECT_EQ(successors, at_end);
}

TEST(TaskGroupTest, DropsWhatHasNotBegunWhenItEnds) {
  const auto pool = MakeThreadPool(1);
  std::promise<void> begun;
  std::promise<void> release;
  std::atomic<int> calls = 0;
  {
    TaskGroup tasks(*pool);
    tasks.Submit([&] {
      begun.set_value();
      release.get_future().wait();
      ++calls;
    });
    begun.get_future().wait();
    tasks.Submit([&] { ++calls; });
    release.set_value();
  }
  EXPECT_GE(calls, 1);
  const int at_end = calls;
  std::promise<void> later;
  pool->Submit([&] { later.set_value(); });
  later.get_future().wait();
  EXPECT_EQ(calls, at_end);
}

TEST(TaskGroupTest, WorksWithAnExecutorThatRunsTasksAtOnce) {
  const auto executor = MakeInlineExecutor();
  TaskGroup tasks(*executor);
  int calls = 0;
  tasks.Submit([&] { ++calls; });
  tasks.WaitFor([&] { return calls == 1; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace firn
