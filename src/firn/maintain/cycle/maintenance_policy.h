#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/format/metadata/table_metadata.h"
#include "firn/maintain/cycle/step_cost.h"

namespace firn {

/// The steps of a maintenance cycle, in the order in which they are safe and pay most.
enum class MaintenanceStep { kRows, kCompact, kDeletes, kManifests, kExpire, kMetadata, kOrphans };

/// "rows", "compact", "deletes", "manifests", "expire", "metadata", "orphans".
std::string_view FormatMaintenanceStep(MaintenanceStep step);

/// Which rows are too old, see ExpireRows.
struct RowRetention {
  std::string column;
  int64_t keep_days = 0;
};

/// What `firn maintain` does to one table.
struct MaintenancePolicy {
  bool is_enabled = true;
  /// In their order; by default all, kRows only where `expire_rows` is said.
  std::vector<MaintenanceStep> steps;

  std::optional<RowRetention> expire_rows;  ///< Empty: rows stay (decision 0049).

  /// Options of rewrite_data_files by their names.
  std::map<std::string, std::string> compact_options;
  std::optional<std::string> compact_strategy;
  std::optional<std::string> compact_sort_order;

  /// Equality deletes that have data files in common are converted from so many files on.
  int64_t deletes_min_equality_files = 5;

  std::optional<std::chrono::milliseconds> expire_older_than;  ///< Else the table's properties.
  std::optional<int64_t> expire_retain_last;

  std::optional<std::chrono::milliseconds> orphans_older_than;  ///< Else three days.
  bool orphans_quarantine = true;
  double orphans_max_fraction = 0.5;

  std::optional<int64_t> budget_bytes;   ///< Read by compaction, at most.
  std::optional<double> budget_seconds;  ///< No step of a run begins later.

  CostRates cost;  ///< For estimates, and for what a run cost.

  /// Whether the step is among those that are done at all.
  bool Does(MaintenanceStep step) const {
    return is_enabled && std::find(steps.begin(), steps.end(), step) != steps.end();
  }
};

/// The keys that a policy may have: "enabled", "expire.older-than", ...
const std::vector<std::string>& MaintenancePolicyKeys();

/// Whether a key may have the value, as far as one setting tells without the others and the table.
/// Errors: kInvalidInput naming the key.
Status CheckMaintenanceSetting(const std::string& key, const std::string& value);

/// Settings by key, later ones of a policy file first put over earlier ones, and then the table's
/// properties `firn.maintain.<key>` over all. Errors: kInvalidInput naming the key.
Result<MaintenancePolicy> MakeMaintenancePolicy(Properties settings, const Properties& properties);

/// "7d", "12h", "1d12h". Nullopt: no duration.
std::optional<std::chrono::milliseconds> ParsePolicyDuration(std::string_view text);

}  // namespace firn
