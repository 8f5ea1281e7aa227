#include "firn/io/file_lock.h"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/base/clock.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

class FileLockTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::unique_ptr<FileIO> io_ = MakeLocalFileIO();
  std::string uri_ = folder_.Join("run/owner.lock");
};

TEST_F(FileLockTest, IsHeldUntilItIsLetGo) {
  EXPECT_EQ(FindLock(*io_, uri_), LockState::kUnknown);
  auto lock = FileLock::Hold(*io_, uri_);
  ASSERT_THAT(lock, IsOk());
  EXPECT_EQ(FindLock(*io_, uri_), LockState::kHeld);
  EXPECT_EQ(FindLock(*io_, uri_), LockState::kHeld);  // Looking does not change it.
  lock->reset();
  EXPECT_EQ(FindLock(*io_, uri_), LockState::kFree);
  EXPECT_EQ(FindLock(*io_, uri_), LockState::kFree);
}

TEST_F(FileLockTest, IsFreeWhenItsProcessWasKilled) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = FileLock::Hold(*io_, uri_);
    const char told = lock.ok() ? 'y' : 'n';
    if (write(pipe_ends[1], &told, 1) != 1) _exit(1);
    for (;;)
      pause();
  }
  ASSERT_GT(child, 0);
  char told = 0;
  ASSERT_EQ(read(pipe_ends[0], &told, 1), 1);
  EXPECT_EQ(told, 'y');
  EXPECT_EQ(FindLock(*io_, uri_), LockState::kHeld);
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(FindLock(*io_, uri_), LockState::kFree);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_F(FileLockTest, NothingIsKnownOfFilesElsewhere) {
  const auto memory = MakeMemoryFileIO(SystemClock());
  ASSERT_THAT(WriteFile(*memory, "memory:/a", AsBytes("x")), IsOk());
  EXPECT_EQ(FindLock(*memory, "memory:/a"), LockState::kUnknown);
  EXPECT_THAT(FileLock::Hold(*memory, "memory:/b"),
              IsError(ErrorCode::kUnsupported, "is not on local disk"));
}

}  // namespace
}  // namespace firn
