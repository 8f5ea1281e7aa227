#include "firn/base/process_identity.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(ProcessIdentityTest, ThisProcessRuns) {
  EXPECT_EQ(FindProcess(ThisProcess()), ProcessState::kRunning);
}

TEST(ProcessIdentityTest, AProcessThatIsGoneHasEnded) {
  ProcessIdentity child = ThisProcess();
  const pid_t id = fork();
  if (id == 0) _exit(0);
  ASSERT_GT(id, 0);
  ASSERT_EQ(waitpid(id, nullptr, 0), id);
  child.process_id = id;
  EXPECT_EQ(FindProcess(child), ProcessState::kEnded);
}

TEST(ProcessIdentityTest, AnotherProcessWithTheSameIdIsNotMistakenForOne) {
  ProcessIdentity earlier = ThisProcess();
  --earlier.started;
  EXPECT_EQ(FindProcess(earlier), ProcessState::kEnded);
}

TEST(ProcessIdentityTest, NothingIsKnownOfAnotherMachine) {
  ProcessIdentity other = ThisProcess();
  other.machine += "!";
  EXPECT_EQ(FindProcess(other), ProcessState::kUnknown);
}

}  // namespace
}  // namespace firn
