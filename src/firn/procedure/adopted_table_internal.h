#pragma once

#include "firn/ingest/adoption/adopt_table.h"
#include "firn/procedure/procedure.h"

namespace firn {

/// Make the table of the argument `table` from `source_table`, as `request` and the arguments that
/// `snapshot` and `migrate` share say; `count_column` names the only column of the result.
Result<ProcedureOutput> RunAdoptTable(ProcedureContext& context, const Arguments& arguments,
                                      AdoptTableRequest request, const std::string& count_column);

/// The arguments `properties` and `ignore_missing_files`.
Argument AdoptedPropertiesArgument();
Argument IgnoreMissingFilesArgument();

}  // namespace firn
