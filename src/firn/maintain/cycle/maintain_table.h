#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/maintain/content_folders.h"
#include "firn/maintain/cycle/maintenance_policy.h"
#include "firn/maintain/maintain_context.h"

namespace firn {

enum class StepOutcome { kDone, kPlanned, kSkipped, kFailed };

/// "done", "planned", "skipped", "failed".
std::string_view FormatStepOutcome(StepOutcome outcome);

/// What became of one step, and why.
struct StepReport {
  MaintenanceStep step = MaintenanceStep::kCompact;
  StepOutcome outcome = StepOutcome::kDone;
  std::string reason;
  /// Of compaction, read from data files; planned ones are estimates.
  std::optional<int64_t> bytes;
  /// Files that were, or would be, taken out or deleted.
  std::optional<int64_t> files;
  double seconds = 0;
  /// What the step takes, told before it begins; empty where that shows only as it goes.
  std::optional<StepCost> estimate;
  StepCost measured;  ///< What it took; in a dry run, the look.
  /// Of a dry run: an earlier step is planned, and what it would do to the table is not in here.
  bool ignores_planned_steps = false;
  std::optional<Error> error;
};

/// What is left of the budgets of a run over several tables, what counts that it is spent, and what
/// the run has found out about the catalog.
struct MaintenanceBudget {
  std::optional<int64_t> bytes;
  std::optional<std::chrono::nanoseconds> ends;  ///< By the clock's Elapsed.
  /// Of the files of tables that the catalog loads; see MakeMeteredCatalog. Null: not measured.
  std::shared_ptr<const IoMeter> meter;
  std::shared_ptr<ContentFolders> content_folders;  ///< Null: each table is looked at alone.
};

/// Do to `table` what its policy says and what pays, in the safe order: old rows, compaction,
/// rewriting of delete files, manifests, expiry, old metadata, orphans. `report` hears of each step
/// as it ends. After a step that failed no further one begins: what it left is for the next run to
/// look at.
/// A dry run only looks; later steps then see the table as it is, without what earlier ones would
/// do, such as snapshots and files that these add, and say so. Errors: none that a report does not
/// tell.
void MaintainTable(const MaintainContext& context, const Table& table,
                   const MaintenancePolicy& policy, MaintenanceBudget& budget, bool is_dry_run,
                   const std::function<void(const StepReport&)>& report);

}  // namespace firn
