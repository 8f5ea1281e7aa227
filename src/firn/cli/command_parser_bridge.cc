#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "firn/base/suggest.h"
#include "firn/base/text.h"
#include "firn/base/version.h"
#include "firn/cli/command_parser_internal.h"
#include "firn/procedure/argument_help.h"

// CLI11 throws. Its options only collect text here; firn's own parser of arguments checks it.

namespace firn {
namespace {

// Commands of more than one word; an outer group stands before those in it.
constexpr const char* kGroups[][2] = {
    {"catalog", "Look at the configured catalogs."},
    {"ingest", "Load files into a table."},
    {"namespace", "Look at and change namespaces."},
    {"table", "Look at and change tables."},
    {"table alter", "Change what a table is: columns, partitioning, sort order, version."}};

std::string WithDashes(std::string_view name) { return ReplaceText(name, "_", "-"); }

std::string TypeLabel(ArgumentType type) {
  switch (type) {
    case ArgumentType::kText:
      return "TEXT";
    case ArgumentType::kTable:
      return "TABLE";
    case ArgumentType::kNamespace:
      return "NAMESPACE";
    case ArgumentType::kInteger:
      return "INTEGER";
    case ArgumentType::kNumber:
      return "NUMBER";
    case ArgumentType::kBoolean:
      return "";
    case ArgumentType::kTimestamp:
      return "TIME";
    case ArgumentType::kTextList:
      return "TEXT,..";
    case ArgumentType::kIntegerList:
      return "INTEGER,..";
    case ArgumentType::kTextMap:
      return "KEY=VALUE";
  }
  return "";
}

bool IsMany(ArgumentType type) {
  return type == ArgumentType::kTextList || type == ArgumentType::kIntegerList ||
         type == ArgumentType::kTextMap;
}

// A procedure on the command line: where CLI11 puts the texts of its arguments.
struct Command {
  const Procedure* procedure = nullptr;
  CLI::App* app = nullptr;
  std::deque<std::vector<std::string>> texts;  // Their addresses are kept.
  bool is_dry_run = false;
  std::optional<std::string> report;
};

// Words that begin several commands: `table alter TABLE add-column COLUMN`.
struct Group {
  CLI::App* app = nullptr;
  std::vector<std::string> table;  // Of commands of three words.
};

// The name of the group that a command is in; empty if it stands alone.
std::string GroupName(const Procedure& procedure) {
  const std::vector<std::string>& words = procedure.command;
  return fmt::format("{}", fmt::join(words.begin(), std::prev(words.end()), " "));
}

// True if the argument is given between the words of the command.
bool IsGivenToGroup(const Procedure& procedure, const Argument& argument) {
  return procedure.command.size() > 2 && &argument == procedure.arguments.data();
}

// Names the argument that stands between the words of a command.
class UsageFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    constexpr std::string_view kGroup = "table alter ";
    const size_t at = name.find(kGroup);
    if (at != std::string::npos) name.insert(at + kGroup.size(), "TABLE ");
    return CLI::Formatter::make_usage(app, std::move(name));
  }
};

class CommandParser {
 public:
  CommandParser();
  Result<ParsedCommand> Parse(const std::vector<std::string>& arguments);

 private:
  void AddGlobals();
  void AddGroup(const std::string& name, const std::string& summary);
  CLI::App* AddCommandApp(const Procedure& procedure);
  static void AddArgument(Command& command, const Argument& argument);
  std::string FlagBefore(const std::string& word) const;
  Error Explain(const CLI::ParseError& error) const;
  bool IsGroup(const CLI::App& app) const;
  Error UnknownCommand(const CLI::App& parent, const std::string& word) const;
  static std::string FormatCommand(const CLI::App& app);
  static Error UnknownOption(const CLI::App& app, const std::string& option);
  Result<ParsedCommand> Collect() const;

  CLI::App app_{"Apache Iceberg tables without a cluster: read, change, maintain.", "firn"};
  std::deque<Command> commands_;
  std::map<std::string, Group> groups_;
  GlobalOptions globals_;
  std::vector<std::string> arguments_;
};

CommandParser::CommandParser() {
  app_.formatter(std::make_shared<UsageFormatter>());
  AddGlobals();
  for (const auto& [name, summary] : kGroups)
    AddGroup(name, summary);
  for (const Procedure& procedure : Procedures()) {
    Command& command = commands_.emplace_back();
    command.procedure = &procedure;
    command.app = AddCommandApp(procedure);
    for (const Argument& argument : procedure.arguments) {
      if (!IsGivenToGroup(procedure, argument)) AddArgument(command, argument);
    }
    // Spark has an argument of that name for one of them, which means the same.
    const bool has_argument =
        std::any_of(procedure.arguments.begin(), procedure.arguments.end(),
                    [](const Argument& argument) { return argument.name == "dry_run"; });
    if (procedure.can_dry_run && !has_argument) {
      command.app->add_flag("--dry-run", command.is_dry_run,
                            "Only print what would be done; change nothing.");
    }
    if (procedure.can_report) {
      command.app
          ->add_option("--report", command.report,
                       "Write what was done, as --dry-run prints it, to this file (JSON lines, or "
                       "as its name ends).")
          ->type_name("FILE");
    }
  }
}

void CommandParser::AddGlobals() {
  // One command at most: a table may be called as a command is.
  app_.require_subcommand(1);
  app_.set_version_flag("--version", "firn " + std::string(Version()));
  app_.add_option("--catalog", globals_.catalog, "The catalog of names that begin with none.")
      ->type_name("NAME");
  app_.add_option("--conf", globals_.conf, "A setting, also one of Spark's; may be repeated.")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app_.add_option("--config", globals_.config, "The configuration file instead of firn.toml.")
      ->type_name("FILE");
  app_.add_option("--output", globals_.output,
                  "table, json, csv, parquet or arrow; by default table on a terminal, else json.")
      ->type_name("FORMAT");
  app_.add_option("--to", globals_.to, "Write rows to this file instead of standard output.")
      ->type_name("FILE");
  app_.add_option("--memory", globals_.memory, "Cap of all buffers, such as 512MiB. Default: 1GiB.")
      ->type_name("SIZE");
  app_.add_option("--threads", globals_.threads,
                  "Threads that work at the same time. Default: cores.")
      ->type_name("N");
  app_.add_flag("--quiet", globals_.is_quiet, "No progress, notes and warnings.");
}

void CommandParser::AddGroup(const std::string& name, const std::string& summary) {
  const size_t space = name.rfind(' ');
  const bool is_inner = space != std::string::npos;
  CLI::App* parent = is_inner ? groups_.at(name.substr(0, space)).app : &app_;
  Group& group = groups_[name];
  group.app = parent->add_subcommand(is_inner ? name.substr(space + 1) : name, summary);
  group.app->require_subcommand(1)->fallthrough();
  if (!is_inner) return;
  group.app->add_option("table", group.table, "The table.")
      ->type_name(TypeLabel(ArgumentType::kTable))
      ->expected(1)
      ->allow_extra_args(false)
      ->required();
}

CLI::App* CommandParser::AddCommandApp(const Procedure& procedure) {
  const std::string group = GroupName(procedure);
  CLI::App* parent = group.empty() ? &app_ : groups_.at(group).app;
  CLI::App* app = parent->add_subcommand(procedure.command.back(), procedure.summary);
  app->fallthrough();
  return app;
}

void CommandParser::AddArgument(Command& command, const Argument& argument) {
  std::vector<std::string>& texts = command.texts.emplace_back();
  const std::string name =
      WithDashes(argument.option_name.empty() ? argument.name : argument.option_name);
  if (argument.type == ArgumentType::kBoolean) {
    command.app->add_flag("--" + name, texts, HelpOf(argument));
    // The other way to say `--name=false`, which needs no place in the help.
    command.app->add_flag_callback("--no-" + name, [&texts] { texts.emplace_back("false"); })
        ->group("");
    return;
  }
  const std::string names = argument.is_positional ? WithDashes(argument.name) : "--" + name;
  CLI::Option* option = command.app->add_option(names, texts, HelpOf(argument));
  option->type_name(TypeLabel(argument.type));
  const bool takes_rest = argument.is_positional && IsMany(argument.type);
  option->expected(1, takes_rest ? CLI::detail::expected_max_vector_size : 1);
  // Else a value would take the words behind it.
  option->allow_extra_args(takes_rest);
  if (!argument.is_positional) option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  option->required(argument.is_required);
}

Result<ParsedCommand> CommandParser::Parse(const std::vector<std::string>& arguments) {
  arguments_ = arguments;
  // CLI11 takes them last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app_.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    ParsedCommand parsed;
    parsed.help = app_.help();
    return parsed;
  } catch (const CLI::CallForVersion&) {
    ParsedCommand parsed;
    parsed.help = app_.version() + "\n";
    return parsed;
  } catch (const CLI::ParseError& error) {
    return Explain(error);
  }
  return Collect();
}

Result<ParsedCommand> CommandParser::Collect() const {
  ParsedCommand parsed;
  parsed.globals = globals_;
  for (const Command& command : commands_) {
    if (!command.app->parsed()) continue;
    parsed.procedure = command.procedure;
    parsed.is_dry_run = command.is_dry_run;
    parsed.report = command.report;
    size_t own = 0;
    for (const Argument& argument : command.procedure->arguments) {
      const std::vector<std::string>& texts = IsGivenToGroup(*command.procedure, argument)
                                                  ? groups_.at(GroupName(*command.procedure)).table
                                                  : command.texts[own++];
      if (!texts.empty()) parsed.texts[argument.name] = texts;
    }
  }
  return parsed;
}

// "table describe"
std::string CommandParser::FormatCommand(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  if (parent == nullptr) return "";
  const std::string outer = FormatCommand(*parent);
  const std::string name = app.get_name() == "alter" ? "alter TABLE" : app.get_name();
  return outer.empty() ? name : outer + " " + name;
}

bool CommandParser::IsGroup(const CLI::App& app) const {
  return &app == &app_ || std::any_of(groups_.begin(), groups_.end(),
                                      [&](const auto& group) { return group.second.app == &app; });
}

Error CommandParser::UnknownCommand(const CLI::App& parent, const std::string& word) const {
  std::vector<std::string> names;
  for (const CLI::App* app : parent.get_subcommands(nullptr))
    names.push_back(app->get_name());
  std::sort(names.begin(), names.end());
  const auto near = SuggestName(word, names);
  const std::string outer = FormatCommand(parent);
  const std::string prefix = outer.empty() ? "" : outer + " ";
  return MakeError(ErrorCode::kInvalidInput, "unknown command '{}{}'{}, expected one of {}", prefix,
                   word, near ? " (did you mean '" + prefix + *near + "'?)" : std::string(),
                   fmt::join(names, ", "));
}

Error CommandParser::UnknownOption(const CLI::App& app, const std::string& option) {
  std::vector<std::string> names;
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    for (const CLI::Option* known : level->get_options()) {
      if (known->get_group().empty()) continue;
      for (const std::string& name : known->get_lnames())
        names.push_back("--" + name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto near = SuggestName(option.substr(0, option.find('=')), names);
  return MakeError(ErrorCode::kInvalidInput, "unknown option '{}'{}, expected one of {}", option,
                   near ? " (did you mean '" + *near + "'?)" : std::string(),
                   fmt::join(names, ", "));
}

// The flag that a word such as `false` seems to be the value of; empty: none.
std::string CommandParser::FlagBefore(const std::string& word) const {
  const std::string lower = LowerAscii(word);
  if (lower != "true" && lower != "false" && lower != "yes" && lower != "no") return "";
  const auto at = std::find(arguments_.begin(), arguments_.end(), word);
  if (at == arguments_.begin() || at == arguments_.end()) return "";
  return std::prev(at)->starts_with("--") ? *std::prev(at) : "";
}

Error CommandParser::Explain(const CLI::ParseError& error) const {
  // The command that was reached, and what was left over.
  const CLI::App* reached = &app_;
  while (!reached->get_subcommands().empty())
    reached = reached->get_subcommands().back();
  const bool is_group = IsGroup(*reached);
  for (const std::string& word : app_.remaining(true)) {
    if (word.size() > 1 && word.starts_with('-')) return UnknownOption(*reached, word);
    if (is_group) return UnknownCommand(*reached, word);
    if (const std::string flag = FlagBefore(word); !flag.empty()) {
      return MakeError(ErrorCode::kInvalidInput, "unexpected argument '{}'; write {}={}", word,
                       flag, word);
    }
    return MakeError(ErrorCode::kInvalidInput, "unexpected argument '{}'; try 'firn {} --help'",
                     word, FormatCommand(*reached));
  }
  if (is_group) {
    std::vector<std::string> names;
    for (const CLI::App* app : reached->get_subcommands(nullptr))
      names.push_back(app->get_name());
    return MakeError(ErrorCode::kInvalidInput,
                     "a command is missing, expected one of {}; try 'firn --help'",
                     fmt::join(names, ", "));
  }
  constexpr std::string_view kRequired = " is required";
  std::string_view text = error.what();
  if (text.ends_with(kRequired)) {
    text.remove_suffix(kRequired.size());
    return MakeError(ErrorCode::kInvalidInput, "argument '{}' is missing; try 'firn {} --help'",
                     text, FormatCommand(*reached));
  }
  return MakeError(ErrorCode::kInvalidInput, "{}; try 'firn {} --help'", text,
                   FormatCommand(*reached));
}

}  // namespace

Result<ParsedCommand> ParseCommand(const std::vector<std::string>& arguments) {
  return CommandParser().Parse(arguments);
}

}  // namespace firn
