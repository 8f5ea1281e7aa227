#include "firn/cli/cli.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "firn/base/civil_time.h"
#include "firn/base/idle_heap.h"
#include "firn/base/log.h"
#include "firn/base/version.h"
#include "firn/cli/command_parser_internal.h"
#include "firn/cli/interrupt_internal.h"
#include "firn/cli/output_internal.h"
#include "firn/cli/progress_internal.h"
#include "firn/data/render/render.h"
#include "firn/session/session.h"

namespace firn {
namespace {

int Fail(const Error& error) {
  fmt::print(stderr, "error: {}\n", error.Format());
  return ExitCode(error.code());
}

std::string Variable(const CommandLine& command_line, const std::string& name) {
  const auto found = command_line.environment.find(name);
  return found == command_line.environment.end() ? "" : found->second;
}

std::string WorkingFolder() {
  std::error_code failure;
  const auto folder = std::filesystem::current_path(failure);
  return failure ? "/" : folder.string();
}

SessionOptions MakeSessionOptions(const CommandLine& command_line, const GlobalOptions& globals) {
  SessionOptions options;
  options.config_path = globals.config;
  options.conf = globals.conf;
  // The flags are settings under another name, and the last word.
  if (globals.memory) options.conf.push_back("memory=" + *globals.memory);
  if (globals.threads) options.conf.push_back("threads=" + *globals.threads);
  options.environment = command_line.environment;
  options.working_folder = WorkingFolder();
  options.home_folder = Variable(command_line, "HOME");
  options.catalog = globals.catalog;
  return options;
}

Result<Arguments> ParseArguments(const ParsedCommand& command, Session& session) {
  const Timestamp now = session.clock().Now();
  Arguments arguments;
  for (const Argument& argument : command.procedure->arguments) {
    const auto texts = command.texts.find(argument.name);
    if (texts == command.texts.end()) continue;
    FIRN_ASSIGN(auto value, ParseArgument(argument, texts->second, now));
    if (const auto* time = std::get_if<Timestamp>(&value); time && !command.globals.is_quiet) {
      fmt::print(stderr, "{} is {}\n", argument.name, FormatInstant(*time));
    }
    arguments.Set(argument.name, std::move(value));
  }
  return arguments;
}

Status PrintRows(ProcedureOutput output, RowFormat format, RowDestination& destination,
                 Session& session) {
  RenderOptions options;
  options.format = format;
  options.type = std::move(output.type);
  options.row_count_max = output.row_count_max;
  options.is_record = output.is_record;
  options.memory_bytes = session.budget().total_bytes();
  const auto rendered =
      RenderRows(std::move(output.rows), options, [&](std::span<const std::byte> bytes) -> Status {
        FIRN_RETURN_IF_ERROR(session.cancel().Check());
        return destination.Write(bytes);
      });
  if (destination.is_closed()) return {};  // Whoever read the rows has seen enough.
  FIRN_RETURN_IF_ERROR(rendered);
  return destination.Finish();
}

Status RunCommand(const CommandLine& command_line, const ParsedCommand& command) {
  const GlobalOptions& globals = command.globals;
  SetLogLevel(globals.is_quiet ? LogLevel::kError : LogLevel::kWarning);
  FIRN_ASSIGN(const RowFormat format,
              ChooseFormat(globals.output, globals.to, isatty(STDOUT_FILENO) == 1));
  FIRN_ASSIGN(const auto session,
              OpenSession(MakeSessionOptions(command_line, globals), CatchInterrupts()));
  LimitIdleHeap(session->budget().total_bytes());
  FIRN_ASSIGN(const Arguments arguments, ParseArguments(command, *session));

  ProgressLine progress(session->clock(), isatty(STDERR_FILENO) == 1);
  ProcedureContext context;
  context.session = session.get();
  context.is_dry_run = command.is_dry_run;
  if (!globals.is_quiet) {
    context.notice = [&](std::string_view line) {
      progress.Clear();
      fmt::print(stderr, "{}\n", line);
    };
    context.progress = [&](std::string_view phase, int64_t done, int64_t total,
                           std::string_view unit) { progress.Show(phase, done, total, unit); };
  }
  std::optional<RowDestination> report;
  if (command.report && command.is_dry_run) {
    return Error(ErrorCode::kInvalidInput,
                 "--report is of a real run; --dry-run prints the same rows");
  }
  if (command.report) {
    // Before the work, which is done even if the report cannot be written.
    FIRN_ASSIGN(report, RowDestination::Open(*session, command.report), "--report");
    FIRN_ASSIGN(const RowFormat report_format, ChooseFormat({}, command.report, false));
    context.report = [&report, &session, report_format](ProcedureOutput rows) {
      return PrintRows(std::move(rows), report_format, *report, *session);
    };
  }
  FIRN_ASSIGN(ProcedureOutput output, command.procedure->run(context, arguments));
  progress.Clear();
  const Status status = output.failure ? Status(*output.failure) : Status();
  if (output.rows) {
    FIRN_ASSIGN(RowDestination destination, RowDestination::Open(*session, globals.to), "--to");
    FIRN_RETURN_IF_ERROR(PrintRows(std::move(output), format, destination, *session));
  }
  return status;
}

}  // namespace

int RunCommandLine(const CommandLine& command_line) {
  std::vector<std::string> arguments = command_line.arguments;
  if (arguments.size() == 1 && (arguments[0] == "--version" || arguments[0] == "version")) {
    fmt::print("firn {}\n", Version());
    return 0;
  }
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  const auto command = ParseCommand(arguments);
  if (!command.ok()) return Fail(command.error());
  if (command->procedure == nullptr) {
    fmt::print("{}", command->help);
    return 0;
  }
  const Status status = RunCommand(command_line, *command);
  return status.ok() ? 0 : Fail(status.error());
}

}  // namespace firn
