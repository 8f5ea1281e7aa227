#pragma once

#include "firn/procedure/procedure.h"

namespace firn {

/// Let the namespace of a table that is about to be made exist: the catalog `local`, which needs no
/// set-up, makes it and says so; true if it was made. Errors: kNotFound elsewhere, with the command
/// to type.
Result<bool> PrepareNamespace(ProcedureContext& context, const TableReference& reference);

/// The table was not made after all: take back the namespace that was made for it.
void TakeBackNamespace(ProcedureContext& context, const TableReference& reference);

/// An argument `format_version`. Errors: kInvalidInput.
Result<int> CheckFormatVersion(int64_t version);

}  // namespace firn
