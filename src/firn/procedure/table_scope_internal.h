#pragma once

#include <string>
#include <vector>

#include "firn/procedure/procedure.h"

namespace firn {

/// The tables that the text of a catalog, a namespace or a table means: as texts for
/// `Session::ResolveTable`, sorted. A location is a table. Errors: kNotFound: it is none of these;
/// kInvalidInput: it could be two.
Result<std::vector<std::string>> FindTablesOf(Session& session, const std::string& text);

/// The argument of commands over many tables; positional.
Argument TableScopeArgument();

/// "catalog.ns.t" or the location, for people and policies.
std::string NameOf(const TableReference& reference, const std::string& text);

}  // namespace firn
