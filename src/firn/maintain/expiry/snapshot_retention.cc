#include "firn/maintain/expiry/snapshot_retention.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/ranges.h>

namespace firn {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kDefaultSnapshotAgeMs = 5LL * 24 * 60 * 60 * 1000;

// `now` less an age, which may be "for ever".
Timestamp Before(Timestamp now, int64_t age_ms) {
  constexpr int64_t kEarliest = std::numeric_limits<int64_t>::min();
  const int64_t time = now.time_since_epoch().count();
  const bool is_for_ever = age_ms > 0 && time < kEarliest + age_ms;
  return Timestamp(milliseconds(is_for_ever ? kEarliest : time - age_ms));
}

class RetentionPlanner {
 public:
  RetentionPlanner(const TableMetadata& metadata, const RetentionOptions& options)
      : metadata_(metadata), options_(options), snapshots_(IndexSnapshots(metadata)) {}

  Result<ExpiredHistory> Plan();

 private:
  Status ReadDefaults();
  void DropOldRefs();
  /// Null if it is not there (any more).
  const Snapshot* Find(std::optional<SnapshotId> id) const;
  void KeepBranch(const SnapshotRef& ref);
  void KeepUnreferenced();
  Status TakeListed();

  const TableMetadata& metadata_;
  const RetentionOptions& options_;
  const std::unordered_map<SnapshotId, const Snapshot*> snapshots_;
  Timestamp cut_off_{};
  int64_t count_min_ = 1;
  int64_t ref_age_ms_ = std::numeric_limits<int64_t>::max();
  std::vector<std::pair<std::string, SnapshotRef>> refs_;  // That stay.
  std::unordered_set<SnapshotId> kept_;
  ExpiredHistory expired_;
};

Status RetentionPlanner::ReadDefaults() {
  FIRN_ASSIGN(const RetentionLimits limits, RetentionLimitsOf(metadata_));
  cut_off_ = options_.older_than.value_or(Before(options_.now, limits.age.count()));
  count_min_ = options_.retain_last.value_or(limits.count);
  if (count_min_ < 1) {
    return MakeError(ErrorCode::kInvalidInput, "{} is {}, expected 1 or more",
                     options_.retain_last ? "retain_last" : "history.expire.min-snapshots-to-keep",
                     count_min_);
  }
  FIRN_ASSIGN(ref_age_ms_, metadata_.IntProperty("history.expire.max-ref-age-ms", ref_age_ms_));
  return {};
}

void RetentionPlanner::DropOldRefs() {
  for (const auto& [name, ref] : metadata_.refs) {
    const auto named = snapshots_.find(ref.snapshot_id);
    const Timestamp oldest = Before(options_.now, ref.max_ref_age_ms.value_or(ref_age_ms_));
    const bool stays =
        name == kMainBranch || (named != snapshots_.end() && named->second->timestamp >= oldest);
    if (stays) {
      refs_.emplace_back(name, ref);
    } else {
      expired_.refs.push_back(name);
    }
  }
}

const Snapshot* RetentionPlanner::Find(std::optional<SnapshotId> id) const {
  const auto found = id ? snapshots_.find(*id) : snapshots_.end();
  return found == snapshots_.end() ? nullptr : found->second;
}

void RetentionPlanner::KeepBranch(const SnapshotRef& ref) {
  const Timestamp cut_off =
      ref.max_snapshot_age_ms ? Before(options_.now, *ref.max_snapshot_age_ms) : cut_off_;
  const int64_t count_min = ref.min_snapshots_to_keep ? *ref.min_snapshots_to_keep : count_min_;
  int64_t count = 0;
  for (const Snapshot* snapshot = Find(ref.snapshot_id); snapshot != nullptr;
       snapshot = Find(snapshot->parent_snapshot_id)) {
    // The head stays, whatever its branch says.
    if (count > 0 && count >= count_min && snapshot->timestamp < cut_off) return;
    kept_.insert(snapshot->snapshot_id);
    ++count;
  }
}

void RetentionPlanner::KeepUnreferenced() {
  std::unordered_set<SnapshotId> referenced;
  for (const auto& [name, ref] : refs_) {
    if (ref.type == RefType::kTag) continue;
    for (const Snapshot* snapshot = Find(ref.snapshot_id); snapshot != nullptr;
         snapshot = Find(snapshot->parent_snapshot_id)) {
      // The rest of the line is there already.
      if (!referenced.insert(snapshot->snapshot_id).second) break;
    }
  }
  for (const auto& [name, ref] : refs_)
    referenced.insert(ref.snapshot_id);
  for (const Snapshot& snapshot : metadata_.snapshots) {
    const bool stays = !referenced.contains(snapshot.snapshot_id) && snapshot.timestamp >= cut_off_;
    if (stays) kept_.insert(snapshot.snapshot_id);
  }
}

Status RetentionPlanner::TakeListed() {
  for (const SnapshotId id : options_.snapshot_ids) {
    std::vector<std::string_view> names;
    for (const auto& [name, ref] : refs_) {
      if (ref.snapshot_id == id) names.push_back(name);
    }
    if (!names.empty()) {
      return MakeError(ErrorCode::kInvalidInput,
                       "snapshot {} cannot be expired: it is the one that is named by {}; drop or "
                       "move these branches and tags before",
                       id, fmt::join(names, ", "));
    }
    kept_.erase(id);
  }
  return {};
}

Result<ExpiredHistory> RetentionPlanner::Plan() {
  FIRN_RETURN_IF_ERROR(ReadDefaults());
  DropOldRefs();
  for (const auto& [name, ref] : refs_) {
    if (ref.type == RefType::kBranch) KeepBranch(ref);
    kept_.insert(ref.snapshot_id);
  }
  KeepUnreferenced();
  FIRN_RETURN_IF_ERROR(TakeListed());
  for (const Snapshot& snapshot : metadata_.snapshots) {
    if (!kept_.contains(snapshot.snapshot_id)) {
      expired_.snapshot_ids.push_back(snapshot.snapshot_id);
    }
  }
  return std::move(expired_);
}

}  // namespace

Result<RetentionLimits> RetentionLimitsOf(const TableMetadata& metadata) {
  RetentionLimits limits;
  FIRN_ASSIGN(const int64_t age,
              metadata.IntProperty("history.expire.max-snapshot-age-ms", kDefaultSnapshotAgeMs));
  limits.age = milliseconds(age);
  FIRN_ASSIGN(limits.count, metadata.IntProperty("history.expire.min-snapshots-to-keep", 1));
  return limits;
}

std::string DescribeDroppedRefs(const std::vector<std::string>& refs) {
  constexpr size_t kShownMax = 20;
  if (refs.empty()) return "";
  const size_t shown = std::min(refs.size(), kShownMax);
  std::string text = fmt::format(
      "{} branches and tags dropped: {}", refs.size(),
      fmt::join(refs.begin(), std::next(refs.begin(), static_cast<std::ptrdiff_t>(shown)), ", "));
  if (shown < refs.size()) text += fmt::format(" and {} more", refs.size() - shown);
  return text;
}

Result<ExpiredHistory> PlanRetention(const TableMetadata& metadata,
                                     const RetentionOptions& options) {
  return RetentionPlanner(metadata, options).Plan();
}

}  // namespace firn
