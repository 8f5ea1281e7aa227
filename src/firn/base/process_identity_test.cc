#include "firn/base/process_identity.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

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

// Of a process that has begun and waits.
int64_t StartOf(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string field;
  for (int number = 3; number <= 22; ++number)
    fields >> field;
  return std::stoll(field);
}

TEST(ProcessIdentityTest, AProcessWhoseEndItsParentHasNotAskedForHasEnded) {
  const pid_t id = fork();
  if (id == 0) {
    for (;;)
      pause();
  }
  ASSERT_GT(id, 0);
  ProcessIdentity child = ThisProcess();
  child.process_id = id;
  child.started = StartOf(id);
  EXPECT_EQ(FindProcess(child), ProcessState::kRunning);
  ASSERT_EQ(kill(id, SIGKILL), 0);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(StartOf(id), child.started);  // It still stands in the list.
  EXPECT_EQ(FindProcess(child), ProcessState::kEnded);
  ASSERT_EQ(waitpid(id, nullptr, 0), id);
}

TEST(ProcessIdentityTest, AnotherProcessWithTheSameIdIsNotMistakenForOne) {
  ProcessIdentity earlier = ThisProcess();
  --earlier.started;
  EXPECT_EQ(FindProcess(earlier), ProcessState::kEnded);
}

TEST(ProcessIdentityTest, NothingIsKnownOfAProcessThatTheListDoesNotShow) {
  const std::string no_list = "/nonexistent";
  EXPECT_EQ(FindProcess(ThisProcess(), no_list), ProcessState::kUnknown);
  ProcessIdentity child = ThisProcess();
  const pid_t id = fork();
  if (id == 0) _exit(0);
  ASSERT_GT(id, 0);
  ASSERT_EQ(waitpid(id, nullptr, 0), id);
  child.process_id = id;
  EXPECT_EQ(FindProcess(child, no_list), ProcessState::kEnded);
}

// As processes call themselves where there is no /proc: all alike.
TEST(ProcessIdentityTest, NothingIsKnownOfAProcessWithoutIdentity) {
  const ProcessIdentity unknown{.machine = "", .process_id = getpid(), .started = 0};
  EXPECT_FALSE(unknown.is_known());
  EXPECT_TRUE(ThisProcess().is_known());
  EXPECT_EQ(FindProcess(unknown), ProcessState::kUnknown);
}

TEST(ProcessIdentityTest, NothingIsKnownOfAnotherMachine) {
  ProcessIdentity other = ThisProcess();
  other.machine += "!";
  EXPECT_EQ(FindProcess(other), ProcessState::kUnknown);
}

}  // namespace
}  // namespace firn
