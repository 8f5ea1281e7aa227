#pragma once

#include <string>

#include "firn/procedure/procedure.h"

namespace firn {

/// What holds where an argument is not given, for people: "false" of what is true or false, else as
/// its descriptor says. Empty: it has to be given, or nothing comes in its place.
std::string DefaultOf(const Argument& argument);

/// The help of an argument with its default.
std::string HelpOf(const Argument& argument);

}  // namespace firn
