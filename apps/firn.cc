#include <string>

#include <unistd.h>

#include "firn/cli/cli.h"

int main(int argument_count, char** arguments) {
  firn::CommandLine command_line;
  command_line.arguments.assign(arguments + (argument_count > 0 ? 1 : 0),
                                arguments + argument_count);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) {
      command_line.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return firn::RunCommandLine(command_line);
}
