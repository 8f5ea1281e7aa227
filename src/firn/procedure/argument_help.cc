#include "firn/procedure/argument_help.h"

namespace firn {

std::string DefaultOf(const Argument& argument) {
  if (argument.is_required) return "";
  const bool is_flag = argument.type == ArgumentType::kBoolean;
  return is_flag && argument.default_text.empty() ? "false" : argument.default_text;
}

std::string HelpOf(const Argument& argument) {
  const std::string text = DefaultOf(argument);
  return text.empty() ? argument.help : argument.help + " Default: " + text + ".";
}

}  // namespace firn
