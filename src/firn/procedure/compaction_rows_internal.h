#pragma once

#include "firn/maintain/rewrite_data_files.h"
#include "firn/procedure/procedure.h"

namespace firn {

/// One row per group: what a dry run prints.
Result<ProcedureOutput> MakePlanRows(const CompactionPlan& plan);

/// One row with Spark's columns.
Result<ProcedureOutput> MakeResultRows(const RewriteDataFilesResult& result);

}  // namespace firn
