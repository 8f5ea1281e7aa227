#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "firn/procedure/procedure.h"

/// For the tests of this module.

namespace firn {

/// Run the procedure that CALL knows by `call_name`, with one text for each argument that is given,
/// at the time of the session's clock. Errors: kNotFound: there is none; those of the procedure.
inline Status RunProcedure(ProcedureContext& context, const std::string& call_name,
                           const std::map<std::string, std::string>& texts) {
  const auto procedure =
      std::find_if(Procedures().begin(), Procedures().end(),
                   [&](const Procedure& known) { return known.call_name == call_name; });
  if (procedure == Procedures().end()) return Error(ErrorCode::kNotFound, call_name);
  Arguments arguments;
  for (const Argument& argument : procedure->arguments) {
    const auto text = texts.find(argument.name);
    if (text == texts.end()) continue;
    FIRN_ASSIGN(auto value,
                ParseArgument(argument, {text->second}, context.session->clock().Now()));
    arguments.Set(argument.name, std::move(value));
  }
  FIRN_ASSIGN(const ProcedureOutput output, procedure->run(context, arguments));
  return output.failure ? Status(*output.failure) : Status();
}

}  // namespace firn
