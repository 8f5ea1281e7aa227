#pragma once

#include "firn/maintain/cycle/maintain_table.h"

namespace firn {

/// The step `deletes` on `main`, as far as it pays: take out delete files that apply to nothing,
/// convert equality deletes where there are many, put position deletes together where fewer files
/// come of it. In this order, as each makes work for the next. A dry run only looks, and sees the
/// table as it is for all three. Errors: those of the operations.
Result<StepReport> MaintainDeletes(const MaintainContext& context, const Table& table,
                                   const MaintenancePolicy& policy, bool is_dry_run);

}  // namespace firn
