#pragma once

#include <string>
#include <string_view>

#include "firn/session/session.h"

namespace firn {

/// True if an argument is a location rather than a name: it has a '/' outside backquotes or a
/// scheme.
bool IsLocation(std::string_view text);

/// What `session` does for `Session::ResolveTable` with a name.
Result<TableReference> ResolveTableName(Session& session, std::string_view text);

/// The same for a name that need not exist.
Result<TableReference> ResolveNewTableName(Session& session, std::string_view text);

/// The same for a namespace; one part that is a catalog's name is the root of that catalog.
Result<Session::NamespaceReference> ResolveNamespaceName(Session& session, std::string_view text);

}  // namespace firn
