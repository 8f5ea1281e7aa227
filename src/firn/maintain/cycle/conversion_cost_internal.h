#pragma once

#include "firn/io/metered_file_io.h"
#include "firn/maintain/deletes/delete_rewrite.h"

namespace firn {

/// What converting the equality deletes of `plan` reads and writes, without the manifests of its
/// commit: the deletes, the key columns of the data files that they apply to, by the sizes of
/// columns that manifests tell, as often as memory makes necessary, and a position for each key.
/// Reads manifests only. Errors: those of a scan.
Result<IoTotals> EstimateConversion(const MaintainContext& context, const Table& table,
                                    const DeleteRewritePlan& plan);

}  // namespace firn
