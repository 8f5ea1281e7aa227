#pragma once

#include "firn/procedure/procedure.h"

namespace firn {

/// Let the namespace of a table that is about to be made exist: the catalog `local`, which needs no
/// set-up, makes it and says so. Errors: kNotFound elsewhere, with the command to type.
Status PrepareNamespace(ProcedureContext& context, const TableReference& reference);

}  // namespace firn
