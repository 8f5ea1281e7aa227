#pragma once

#include <cstdint>
#include <string>

namespace firn {

/// One process, told from every other one of any machine and container.
struct ProcessIdentity {
  std::string machine;     ///< The run of the kernel and the process namespace in it.
  int64_t process_id = 0;  ///< In that namespace.
  int64_t started = 0;     ///< Clock ticks of the kernel: ids are given again.

  bool operator==(const ProcessIdentity&) const = default;
};

const ProcessIdentity& ThisProcess();

enum class ProcessState {
  kRunning,
  kEnded,
  kUnknown,  ///< It is, or was, on another machine or in another container.
};

ProcessState FindProcess(const ProcessIdentity& identity);

}  // namespace firn
