#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "firn/cli/command_parser_internal.h"
#include "firn/procedure/argument_help.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Without the spaces, of which there may be any number where a line is full.
std::string Packed(std::string text) {
  std::erase_if(text, [](unsigned char letter) { return std::isspace(letter) != 0; });
  return text;
}

std::string ScreenOf(const Procedure& procedure) {
  std::vector<std::string> words = procedure.command;
  if (words.size() > 2) words.insert(words.end() - 1, "db.t");
  words.emplace_back("--help");
  const auto parsed = ParseCommand(words);
  EXPECT_THAT(parsed, IsOk());
  return parsed.ok() ? parsed->help : "";
}

TEST(CommandHelpTest, TellsTheDefaultOfEveryArgumentThatHasOne) {
  for (const Procedure& procedure : Procedures()) {
    const std::string help = Packed(ScreenOf(procedure));
    for (const Argument& argument : procedure.arguments) {
      const bool is_before = procedure.command.size() > 2 && &argument == &procedure.arguments[0];
      if (is_before) continue;
      EXPECT_THAT(help, HasSubstr(Packed(HelpOf(argument))))
          << procedure.command.back() << ": " << argument.name;
    }
  }
}

TEST(CommandHelpTest, HasNoArgumentThatHidesItsDefault) {
  for (const Procedure& procedure : Procedures()) {
    for (const Argument& argument : procedure.arguments) {
      const std::string where = procedure.command.back() + ": " + argument.name;
      EXPECT_THAT(argument.help, Not(HasSubstr("by default"))) << where;
      EXPECT_THAT(argument.help, Not(HasSubstr("without it the default"))) << where;
      const bool is_number =
          argument.type == ArgumentType::kInteger || argument.type == ArgumentType::kNumber;
      if (argument.is_required || !is_number) continue;
      EXPECT_NE(DefaultOf(argument), "") << where << ": something holds if no number is given";
    }
  }
}

TEST(CommandHelpTest, TellsThatFlagsAreFalseUnlessTheyAreGiven) {
  Argument argument{.name = "purge", .type = ArgumentType::kBoolean, .help = "Files, too."};
  EXPECT_EQ(HelpOf(argument), "Files, too. Default: false.");
  argument.default_text = "true; in CALL false";
  EXPECT_EQ(HelpOf(argument), "Files, too. Default: true; in CALL false.");
  argument.is_required = true;
  EXPECT_EQ(HelpOf(argument), "Files, too.");
}

}  // namespace
}  // namespace firn
