#include <algorithm>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/procedure/argument_help.h"
#include "firn/procedure/reference_page_internal.h"
#include "firn/procedure/rewrite_options_internal.h"

namespace firn {
namespace {

constexpr std::string_view kIntroduction =
    "# Commands and procedures\n"
    "\n"
    "Every command line below is also a procedure: `firn call \"CALL catalog.system.NAME(argument "
    "=> value, …)\"` runs it as Spark's SQL would, also with arguments in order. Global options "
    "(`--catalog`, `--conf`, `--config`, `--output`, `--to`, `--memory`, `--threads`, `--quiet`) "
    "may "
    "stand before or after the command.\n"
    "\n"
    "These pages are made from the descriptors in `src/firn/procedure`; a test keeps them up to "
    "date "
    "(`FIRN_UPDATE_GOLDEN=1` writes them).\n"
    "\n"
    "| command | procedure | what it does |\n"
    "| --- | --- | --- |\n";

std::string_view TypeName(ArgumentType type) {
  switch (type) {
    case ArgumentType::kText:
      return "text";
    case ArgumentType::kTable:
      return "table name or location";
    case ArgumentType::kNamespace:
      return "catalog or namespace";
    case ArgumentType::kInteger:
      return "integer";
    case ArgumentType::kNumber:
      return "number";
    case ArgumentType::kBoolean:
      return "true or false";
    case ArgumentType::kTimestamp:
      return "time";
    case ArgumentType::kTextList:
      return "list of texts";
    case ArgumentType::kIntegerList:
      return "list of integers";
    case ArgumentType::kTextMap:
      return "map of texts";
  }
  return "";
}

std::string OptionName(const Argument& argument) {
  const std::string& name = argument.option_name.empty() ? argument.name : argument.option_name;
  return "--" + ReplaceText(name, "_", "-");
}

// "firn table set TABLE PROPERTIES…": arguments with a place of their own. Commands of three words
// have the table before the last one: "firn table alter TABLE upgrade FORMAT_VERSION".
std::string FormatUsage(const Procedure& procedure) {
  std::string usage = "firn";
  const bool is_split = procedure.command.size() > 2;
  for (const std::string& word : procedure.command) {
    if (is_split && &word == &procedure.command.back()) usage += " TABLE";
    usage += " " + word;
  }
  for (const Argument& argument : procedure.arguments) {
    const bool is_before = is_split && &argument == procedure.arguments.data();
    if (!argument.is_positional || is_before) continue;
    const bool is_many =
        argument.type == ArgumentType::kTextMap || argument.type == ArgumentType::kTextList;
    const std::string word = UpperAscii(argument.name) + (is_many ? "…" : "");
    usage += argument.is_required ? " " + word : " [" + word + "]";
  }
  return usage + (procedure.can_dry_run ? " [--dry-run]" : "");
}

std::string FormatArgument(const Argument& argument) {
  std::string text = ReplaceText(HelpOf(argument), "|", "\\|");
  if (argument.is_required) text += " Required.";
  return fmt::format("| `{}` | {} | {} | {} |\n", argument.name,
                     argument.is_positional ? "in order" : "`" + OptionName(argument) + "`",
                     TypeName(argument.type), text);
}

std::string FormatCall(const Procedure& procedure) {
  std::vector<std::string> arguments;
  for (const Argument& argument : procedure.arguments) {
    const std::string text = argument.name + " => …";
    arguments.push_back(argument.is_required ? text : "[" + text + "]");
  }
  return fmt::format("CALL catalog.system.{}({})\n", procedure.call_name,
                     fmt::join(arguments, ", "));
}

std::string FormatPage(const Procedure& procedure) {
  std::string page = fmt::format("# firn {}\n\n{}\n\n```\n{}\n", fmt::join(procedure.command, " "),
                                 procedure.summary, FormatUsage(procedure));
  if (!procedure.call_name.empty()) page += FormatCall(procedure);
  page += "```\n";
  if (!procedure.arguments.empty()) {
    page += "\n| argument | on the command line | type | meaning |\n| --- | --- | --- | --- |\n";
    for (const Argument& argument : procedure.arguments)
      page += FormatArgument(argument);
  }
  const auto options = RewriteOptionsOf(procedure.call_name);
  if (!options.empty()) {
    page += "\n| entry of `options` | default | meaning |\n| --- | --- | --- |\n";
    for (const RewriteOption& option : options) {
      page += fmt::format("| `{}` | {} | {} |\n", option.name, option.default_text, option.meaning);
    }
  }
  if (procedure.can_dry_run) {
    page += "\n`--dry-run` prints what would be done, and changes nothing.\n";
  }
  if (procedure.can_report) {
    page +=
        "\n`--report FILE` writes there what the change did to files, a row for each file; the "
        "ending of its name tells the format.\n";
  }
  return page;
}

std::string FileName(const Procedure& procedure) {
  return fmt::format("{}.md", fmt::join(procedure.command, "-"));
}

}  // namespace

std::map<std::string, std::string> FormatReferencePages() {
  std::map<std::string, std::string> pages;
  std::string& index = pages["README.md"] = kIntroduction;
  for (const Procedure& procedure : Procedures()) {
    pages[FileName(procedure)] = FormatPage(procedure);
    index += fmt::format(
        "| [`firn {}`]({}) | {} | {} |\n", fmt::join(procedure.command, " "), FileName(procedure),
        procedure.call_name.empty() ? "" : "`" + procedure.call_name + "`", procedure.summary);
  }
  return pages;
}

}  // namespace firn
