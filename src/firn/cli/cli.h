#pragma once

#include <map>
#include <string>
#include <vector>

/// The command line: flags, rendering, progress and signals. It parses and prints only; the work is
/// in `procedure`.

namespace firn {

struct CommandLine {
  std::vector<std::string> arguments;  ///< Without the program's name.
  std::map<std::string, std::string> environment;
};

/// Run one command; returns the exit code. Rows go to standard output, all else to standard error.
int RunCommandLine(const CommandLine& command_line);

}  // namespace firn
