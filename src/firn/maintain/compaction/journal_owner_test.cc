#include <gtest/gtest.h>

#include "firn/io/uri.h"
#include "firn/maintain/compaction/journal_reader_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

/// A journal on local disk.
class JournalOwnerTest : public testing::Test {
 protected:
  ProcessState Find(const ProcessIdentity& process) {
    const JournalOwner owner{.process = process};
    return FindOwner(*io_, journal_, &owner);
  }
  std::unique_ptr<FileLock> Hold() {
    auto lock = FileLock::Hold(*io_, JoinUri(journal_, JournalLockName()));
    EXPECT_THAT(lock, IsOk());
    return lock.ok() ? *std::move(lock) : nullptr;
  }

  TemporaryFolder folder_;
  std::unique_ptr<FileIO> io_ = MakeLocalFileIO();
  std::string journal_ = folder_.Join("rewrite-data-files-1");
  // As a process calls itself that has no /proc.
  ProcessIdentity unknown_{.machine = "", .process_id = 1, .started = 0};
  ProcessIdentity elsewhere_{.machine = "another", .process_id = 1, .started = 1};
};

TEST_F(JournalOwnerTest, WithoutLockOnlyItsProcessTells) {
  ProcessIdentity ended = ThisProcess();
  ++ended.started;
  EXPECT_EQ(Find(ThisProcess()), ProcessState::kRunning);
  EXPECT_EQ(Find(ended), ProcessState::kEnded);
  EXPECT_EQ(Find(unknown_), ProcessState::kUnknown);
  EXPECT_EQ(Find(elsewhere_), ProcessState::kUnknown);
  EXPECT_EQ(FindOwner(*io_, journal_, nullptr), ProcessState::kUnknown);
}

TEST_F(JournalOwnerTest, LivesAsLongAsItsLockIsHeld) {
  auto lock = Hold();
  ProcessIdentity ended = ThisProcess();
  ++ended.started;
  for (const ProcessIdentity& process : {unknown_, elsewhere_, ended}) {
    EXPECT_EQ(Find(process), ProcessState::kRunning);
  }
  EXPECT_EQ(FindOwner(*io_, journal_, nullptr), ProcessState::kRunning);
  lock.reset();
  for (const ProcessIdentity& process : {unknown_, elsewhere_, ended}) {
    EXPECT_EQ(Find(process), ProcessState::kEnded);
  }
  EXPECT_EQ(FindOwner(*io_, journal_, nullptr), ProcessState::kEnded);
}

// A copy has a lock that nobody holds, and the run goes on beside the original.
TEST_F(JournalOwnerTest, AProcessThatIsThereOutweighsAFreeLock) {
  Hold().reset();
  EXPECT_EQ(Find(ThisProcess()), ProcessState::kRunning);
}

}  // namespace
}  // namespace firn
