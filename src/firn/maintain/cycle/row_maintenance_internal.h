#pragma once

#include "firn/maintain/cycle/maintain_table.h"

namespace firn {

/// The step `rows` on `main`: delete rows that are too old, as `policy.expire_rows` says, which is
/// set. Skipped where no file may have such rows, or nothing tells when rows last came. Errors:
/// those of ExpireRows.
Result<StepReport> MaintainRows(const MaintainContext& context, const Table& table,
                                const MaintenancePolicy& policy, bool is_dry_run);

}  // namespace firn
