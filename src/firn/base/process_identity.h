#pragma once

#include <cstdint>
#include <string>

namespace firn {

/// One process, told from every other one of any machine and container.
struct ProcessIdentity {
  std::string machine;     ///< The run of the kernel and the process namespace in it.
  int64_t process_id = 0;  ///< In that namespace.
  int64_t started = 0;     ///< Clock ticks of the kernel: ids are given again.

  /// Without /proc there is only an id, which tells nothing from other machines and times.
  bool is_known() const { return !machine.empty() && started > 0; }
  bool operator==(const ProcessIdentity&) const = default;
};

const ProcessIdentity& ThisProcess();

enum class ProcessState {
  kRunning,
  kEnded,
  kUnknown,  ///< It is, or was, on another machine or in another container, or it is not shown.
};

/// `proc` is the folder of processes; tests give another one.
ProcessState FindProcess(const ProcessIdentity& identity, const std::string& proc = "/proc");

}  // namespace firn
