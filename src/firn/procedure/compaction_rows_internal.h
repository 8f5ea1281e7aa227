#pragma once

#include <chrono>
#include <string>

#include "firn/maintain/compaction/rewrite_data_files.h"
#include "firn/procedure/procedure.h"

namespace firn {

/// For people, in a line: how many files of which sizes a rewrite would take, and took.
std::string DescribePlan(const CompactionPlan& plan);
std::string DescribeRewrite(const RewriteDataFilesResult& result, std::chrono::nanoseconds elapsed);

/// One row per group: what a dry run prints.
Result<ProcedureOutput> MakePlanRows(const CompactionPlan& plan);

/// One row with Spark's columns.
Result<ProcedureOutput> MakeResultRows(const RewriteDataFilesResult& result);

}  // namespace firn
