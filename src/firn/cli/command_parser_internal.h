#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/result.h"
#include "firn/procedure/procedure.h"

namespace firn {

/// Options that stand before or after any command.
struct GlobalOptions {
  std::optional<std::string> catalog;
  std::vector<std::string> conf;
  std::optional<std::string> config;
  std::optional<std::string> output;
  std::optional<std::string> to;
  std::optional<std::string> memory;
  std::optional<std::string> threads;
  bool is_quiet = false;
};

struct ParsedCommand {
  GlobalOptions globals;
  std::string help;                      ///< Text to print instead of running anything.
  const Procedure* procedure = nullptr;  ///< Null with `help`.
  /// Texts by argument name, of those that were given.
  std::map<std::string, std::vector<std::string>> texts;
  bool is_dry_run = false;
  std::optional<std::string> report;  ///< `--report`
};

/// Take a command line apart, by the descriptors of all procedures. Errors: kInvalidInput: unknown
/// command or option, with the nearest and the known ones; a missing argument.
Result<ParsedCommand> ParseCommand(const std::vector<std::string>& arguments);

}  // namespace firn
