#include "firn/base/process_identity.h"

#include <algorithm>
#include <array>
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
  return fmt::format(
      "{} {}", boot,
      std::string_view(space.data(), static_cast<size_t>(std::max<ssize_t>(length, 0))));
}

// Field 22 of /proc/<id>/stat, if the third says that the process is not over: one whose parent has
// not asked for its end stays in the list. The name in the second field may hold blanks and
// parentheses.
std::optional<int64_t> FindStart(int64_t process_id) {
  const std::string text = ReadSystemFile(fmt::format("/proc/{}/stat", process_id));
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int number = 3; number <= 22 && fields >> field; ++number) {
    if (number == 3 && (field == "Z" || field == "X")) return std::nullopt;
    if (number == 22) return ParseInt64(field);
  }
  return std::nullopt;
}

}  // namespace

const ProcessIdentity& ThisProcess() {
  static const ProcessIdentity identity{
      .machine = FindMachine(), .process_id = getpid(), .started = FindStart(getpid()).value_or(0)};
  return identity;
}

ProcessState FindProcess(const ProcessIdentity& identity) {
  if (identity.machine != ThisProcess().machine) return ProcessState::kUnknown;
  return FindStart(identity.process_id) == identity.started ? ProcessState::kRunning
                                                            : ProcessState::kEnded;
}

}  // namespace firn
