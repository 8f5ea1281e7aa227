#include "firn/maintain/cycle/maintenance_policy.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/ranges.h>

#include "firn/base/number.h"
#include "firn/base/suggest.h"
#include "firn/base/text.h"

namespace firn {
namespace {

constexpr std::string_view kPropertyPrefix = "firn.maintain.";

constexpr std::pair<std::string_view, MaintenanceStep> kSteps[] = {
    {"rows", MaintenanceStep::kRows},       {"compact", MaintenanceStep::kCompact},
    {"deletes", MaintenanceStep::kDeletes}, {"manifests", MaintenanceStep::kManifests},
    {"expire", MaintenanceStep::kExpire},   {"metadata", MaintenanceStep::kMetadata},
    {"orphans", MaintenanceStep::kOrphans},
};
constexpr std::string_view kRowsColumn = "expire-rows.column";
constexpr std::string_view kRowsDays = "expire-rows.keep-days";

Error Unexpected(std::string_view key, std::string_view value, std::string_view expected) {
  return MakeError(ErrorCode::kInvalidInput, "maintenance policy: '{}' is '{}', expected {}", key,
                   value, expected);
}

Result<bool> ReadBool(std::string_view key, const std::string& value) {
  if (EqualsIgnoreCase(value, "true")) return true;
  if (EqualsIgnoreCase(value, "false")) return false;
  return Unexpected(key, value, "true or false");
}

Result<int64_t> ReadCount(std::string_view key, const std::string& value) {
  const auto count = ParseInt64(value);
  if (count && *count >= 1) return *count;
  return Unexpected(key, value, "a number of 1 or more");
}

Result<double> ReadNumber(std::string_view key, const std::string& value, double max) {
  const auto number = ParseDouble(value);
  if (number && *number >= 0 && *number <= max) return *number;
  return Unexpected(key, value, fmt::format("a number from 0 to {}", max));
}

Result<std::chrono::milliseconds> ReadDuration(std::string_view key, const std::string& value) {
  const auto duration = ParsePolicyDuration(value);
  if (duration) return *duration;
  return Unexpected(key, value, "a duration such as 7d or 12h");
}

Result<std::vector<MaintenanceStep>> ReadSteps(const std::string& value) {
  std::vector<bool> chosen(std::size(kSteps));
  for (const std::string_view part : SplitText(value, ',')) {
    const auto step = std::find_if(std::begin(kSteps), std::end(kSteps), [&](const auto& known) {
      return known.first == TrimText(part);
    });
    if (step == std::end(kSteps)) {
      return Unexpected("steps", value,
                        "some of rows, compact, deletes, manifests, expire, metadata, orphans");
    }
    chosen[static_cast<size_t>(step - std::begin(kSteps))] = true;
  }
  std::vector<MaintenanceStep> steps;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) steps.push_back(kSteps[i].second);
  }
  return steps;
}

Result<int64_t> ReadDays(std::string_view key, const std::string& value) {
  const auto count = ParseInt64(value);
  if (count && *count >= 0) return *count;
  return Unexpected(key, value, "a number of 0 or more");
}

// Rows go only if it is said which.
Status ReadRowRetention(const Properties& settings, MaintenancePolicy& policy) {
  const auto column = settings.find(std::string(kRowsColumn));
  const auto days = settings.find(std::string(kRowsDays));
  const bool has_column = column != settings.end();
  const bool has_days = days != settings.end();
  if (has_column != has_days) {
    return MakeError(ErrorCode::kInvalidInput,
                     "maintenance policy: '{}' is set and '{}' is not, expected both",
                     has_column ? kRowsColumn : kRowsDays, has_column ? kRowsDays : kRowsColumn);
  }
  const bool has_steps = settings.contains("steps");
  if (has_column) {
    policy.expire_rows.emplace();
    policy.expire_rows->column = column->second;
    FIRN_ASSIGN(policy.expire_rows->keep_days, ReadDays(kRowsDays, days->second));
    if (!has_steps) policy.steps.insert(policy.steps.begin(), MaintenanceStep::kRows);
  } else if (has_steps && !policy.steps.empty() && policy.steps.front() == MaintenanceStep::kRows) {
    return MakeError(ErrorCode::kInvalidInput,
                     "maintenance policy: 'steps' has rows, but which rows are too old is not "
                     "said: set '{}' and '{}'",
                     kRowsColumn, kRowsDays);
  }
  return {};
}

Status ReadCompaction(const std::string& key, std::string_view name, const std::string& value,
                      MaintenancePolicy& policy) {
  if (name == "strategy") {
    policy.compact_strategy = value;
    return {};
  }
  if (name == "sort-order") {
    policy.compact_sort_order = value;
    return {};
  }
  if (name == "delete-ratio-threshold") {
    FIRN_RETURN_IF_ERROR(ReadNumber(key, value, 1));
  } else {
    FIRN_RETURN_IF_ERROR(ReadCount(key, value));
  }
  policy.compact_options.emplace(name, value);
  return {};
}

Status ReadCost(const std::string& key, const std::string& value, CostRates& cost) {
  constexpr double kMost = 1e15;
  FIRN_ASSIGN(const double number, ReadNumber(key, value, kMost));
  if (key == "cost.dollars-per-gib") {
    cost.dollars_per_gib = number;
  } else if (key == "cost.dollars-per-hour") {
    cost.dollars_per_hour = number;
  } else if (key == "cost.dollars-per-thousand-requests") {
    cost.dollars_per_thousand_requests = number;
  } else if (number >= 1) {
    cost.bytes_per_second = number;
  } else {
    return Unexpected(key, value, "1 or more");
  }
  return {};
}

Status ReadSetting(const std::string& key, const std::string& value, MaintenancePolicy& policy) {
  constexpr std::string_view kCompact = "compact.";
  if (key.starts_with(kCompact)) {
    return ReadCompaction(key, key.substr(kCompact.size()), value, policy);
  }
  if (key == "enabled") {
    FIRN_ASSIGN(policy.is_enabled, ReadBool(key, value));
  } else if (key == "steps") {
    FIRN_ASSIGN(policy.steps, ReadSteps(value));
  } else if (key == "deletes.min-equality-files") {
    FIRN_ASSIGN(policy.deletes_min_equality_files, ReadCount(key, value));
  } else if (key == kRowsDays) {
    FIRN_RETURN_IF_ERROR(ReadDays(key, value));
  } else if (key == "expire.older-than") {
    FIRN_ASSIGN(policy.expire_older_than, ReadDuration(key, value));
  } else if (key == "expire.retain-last") {
    FIRN_ASSIGN(policy.expire_retain_last, ReadCount(key, value));
  } else if (key == "orphans.older-than") {
    FIRN_ASSIGN(policy.orphans_older_than, ReadDuration(key, value));
  } else if (key == "orphans.quarantine") {
    FIRN_ASSIGN(policy.orphans_quarantine, ReadBool(key, value));
  } else if (key == "orphans.max-fraction") {
    FIRN_ASSIGN(policy.orphans_max_fraction, ReadNumber(key, value, 1));
  } else if (key == "budget.bytes") {
    FIRN_ASSIGN(policy.budget_bytes, ReadCount(key, value));
  } else if (key == "budget.seconds") {
    constexpr double kYear = 366.0 * 86'400;
    FIRN_ASSIGN(policy.budget_seconds, ReadNumber(key, value, kYear));
  } else if (key.starts_with("cost.")) {
    return ReadCost(key, value, policy.cost);
  }
  return {};
}

}  // namespace

std::string_view FormatMaintenanceStep(MaintenanceStep step) {
  for (const auto& [name, known] : kSteps) {
    if (known == step) return name;
  }
  return "";
}

const std::vector<std::string>& MaintenancePolicyKeys() {
  static const std::vector<std::string> kKeys = {"budget.bytes",
                                                 "budget.seconds",
                                                 "compact.delete-ratio-threshold",
                                                 "compact.min-input-files",
                                                 "compact.sort-order",
                                                 "compact.strategy",
                                                 "compact.target-file-size-bytes",
                                                 "cost.bytes-per-second",
                                                 "cost.dollars-per-gib",
                                                 "cost.dollars-per-hour",
                                                 "cost.dollars-per-thousand-requests",
                                                 "deletes.min-equality-files",
                                                 "enabled",
                                                 "expire-rows.column",
                                                 "expire-rows.keep-days",
                                                 "expire.older-than",
                                                 "expire.retain-last",
                                                 "orphans.max-fraction",
                                                 "orphans.older-than",
                                                 "orphans.quarantine",
                                                 "steps"};
  return kKeys;
}

std::optional<std::chrono::milliseconds> ParsePolicyDuration(std::string_view text) {
  constexpr std::pair<char, int64_t> kUnits[] = {
      {'w', 604'800'000}, {'d', 86'400'000}, {'h', 3'600'000}, {'m', 60'000}, {'s', 1'000}};
  constexpr int64_t kMillisecondsMax = int64_t{1000} * 366 * 86'400'000;
  int64_t total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto count = ParseInt64(text.substr(0, digits));
    if (!count || digits == text.size()) return std::nullopt;
    const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                   [&](const auto& known) { return known.first == text[digits]; });
    if (unit == std::end(kUnits) || *count > (kMillisecondsMax - total) / unit->second) {
      return std::nullopt;
    }
    total += *count * unit->second;
    text.remove_prefix(digits + 1);
  }
  return std::chrono::milliseconds(total);
}

Status CheckMaintenanceSetting(const std::string& key, const std::string& value) {
  MaintenancePolicy policy;
  return ReadSetting(key, value, policy);
}

Result<MaintenancePolicy> MakeMaintenancePolicy(Properties settings, const Properties& properties) {
  for (const auto& [key, value] : properties) {
    if (key.starts_with(kPropertyPrefix)) settings[key.substr(kPropertyPrefix.size())] = value;
  }
  MaintenancePolicy policy;
  for (const auto& [name, step] : kSteps) {
    if (step != MaintenanceStep::kRows) policy.steps.push_back(step);
  }
  const std::vector<std::string>& known = MaintenancePolicyKeys();
  const auto is_property = [&](const std::string& key) {
    return properties.count(std::string(kPropertyPrefix) + key) > 0;
  };
  for (const auto& [key, value] : settings) {
    if (!std::binary_search(known.begin(), known.end(), key)) {
      const auto near = SuggestName(key, known);
      return MakeError(
          ErrorCode::kInvalidInput, "maintenance policy: unknown key '{}{}'{}, expected one of {}",
          is_property(key) ? kPropertyPrefix : "", key,
          near ? " (did you mean '" + *near + "'?)" : std::string(), fmt::join(known, ", "));
    }
    FIRN_RETURN_IF_ERROR(ReadSetting(key, value, policy));
  }
  FIRN_RETURN_IF_ERROR(ReadRowRetention(settings, policy));
  return policy;
}

}  // namespace firn
