#include "firn/base/process_identity.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "firn/base/number.h"

namespace firn {
namespace {

std::string ReadSystemFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string FindMachine() {
  std::string boot = ReadSystemFile("/proc/sys/kernel/random/boot_id");
  while (!boot.empty() && boot.back() == '\n')
    boot.pop_back();
  std::array<char, 64> space{};
  const ssize_t length = readlink("/proc/self/ns/pid", space.data(), space.size());
  if (boot.empty() || length <= 0) return "";
  return fmt::format("{} {}", boot, std::string_view(space.data(), static_cast<size_t>(length)));
}

/// What stands in the list of processes.
struct ProcessEntry {
  bool is_over = false;  ///< Its parent has not asked for its end.
  int64_t started = 0;
};

// Fields 3 and 22 of <proc>/<id>/stat. The name in the second may hold blanks and parentheses.
std::optional<ProcessEntry> FindEntry(const std::string& proc, int64_t process_id) {
  const std::string text = ReadSystemFile(fmt::format("{}/{}/stat", proc, process_id));
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  ProcessEntry entry;
  for (int number = 3; number <= 22 && fields >> field; ++number) {
    if (number == 3) entry.is_over = field == "Z" || field == "X";
    if (number == 22) entry.started = ParseInt64(field).value_or(0);
  }
  return entry;
}

}  // namespace

const ProcessIdentity& ThisProcess() {
  static const ProcessIdentity identity{
      .machine = FindMachine(),
      .process_id = getpid(),
      .started = FindEntry("/proc", getpid()).value_or(ProcessEntry()).started};
  return identity;
}

ProcessState FindProcess(const ProcessIdentity& identity, const std::string& proc) {
  const bool is_here = identity.is_known() && identity.machine == ThisProcess().machine;
  if (!is_here) return ProcessState::kUnknown;
  if (const auto entry = FindEntry(proc, identity.process_id)) {
    return !entry->is_over && entry->started == identity.started ? ProcessState::kRunning
                                                                 : ProcessState::kEnded;
  }
  // The list may leave out what others run (hidepid), or be missing by now.
  const bool is_gone = kill(static_cast<pid_t>(identity.process_id), 0) != 0 && errno == ESRCH;
  return is_gone ? ProcessState::kEnded : ProcessState::kUnknown;
}

}  // namespace firn
