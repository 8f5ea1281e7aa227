#include <map>
#include <string>
#include <utility>

#include "firn/base/number.h"
#include "firn/procedure/changelog_range_internal.h"
#include "firn/scan/snapshot_changes.h"

namespace firn {
namespace {

constexpr std::string_view kStartId = "start-snapshot-id";
constexpr std::string_view kEndId = "end-snapshot-id";
constexpr std::string_view kStartTime = "start-timestamp";
constexpr std::string_view kEndTime = "end-timestamp";

/// One end of the range: a snapshot or a time.
struct Bound {
  std::optional<SnapshotId> snapshot_id;
  std::optional<Timestamp> time;

  bool is_set() const { return snapshot_id || time; }
};

using Options = std::map<std::string, std::string>;

Result<std::optional<int64_t>> ReadOption(const Options& options, std::string_view key) {
  const auto found = options.find(std::string(key));
  if (found == options.end()) return std::optional<int64_t>();
  if (const auto number = ParseInt64(found->second)) return number;
  return MakeError(ErrorCode::kInvalidInput, "option '{}' is '{}', expected a whole number", key,
                   found->second);
}

Status CheckOptionNames(const Options& options) {
  for (const auto& [key, value] : options) {
    if (key == kStartId || key == kEndId || key == kStartTime || key == kEndTime) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "option '{}' is not known, expected one of {}, {}, {}, {}", key, kEndId,
                     kEndTime, kStartId, kStartTime);
  }
  return {};
}

// A snapshot id, a ref or a time.
Result<Bound> ReadText(const std::string& argument, const std::string& text,
                       const TableMetadata& metadata, Timestamp now) {
  if (const auto id = ParseInt64(text)) return Bound{.snapshot_id = *id};
  if (const auto id = metadata.RefSnapshotId(text)) return Bound{.snapshot_id = *id};
  const auto value =
      ParseArgument({.name = argument, .type = ArgumentType::kTimestamp}, {text}, now);
  if (value.ok()) return Bound{.time = std::get<Timestamp>(*value)};
  return MakeError(ErrorCode::kInvalidInput,
                   "{} is '{}', expected a snapshot id, a branch, a tag, or a time such as "
                   "2026-01-31T10:00:00Z or 7d",
                   argument, text);
}

Result<Bound> ReadBound(const Arguments& arguments, const std::string& argument,
                        std::string_view id_option, std::string_view time_option,
                        const TableMetadata& metadata, Timestamp now) {
  const Options options = arguments.TextMap("options");
  Bound bound;
  FIRN_ASSIGN(bound.snapshot_id, ReadOption(options, id_option));
  FIRN_ASSIGN(const auto milliseconds, ReadOption(options, time_option));
  if (milliseconds) bound.time = Timestamp(std::chrono::milliseconds(*milliseconds));
  const auto text = arguments.OptionalText(argument);
  if ((bound.snapshot_id && bound.time) || (text && bound.is_set())) {
    return MakeError(ErrorCode::kInvalidInput,
                     "{}, {} and {} cannot be given together: each says where the changes {}",
                     argument, id_option, time_option, argument);
  }
  return text ? ReadText(argument, *text, metadata, now) : bound;
}

// The snapshot after which changes are shown: the oldest one at or after the time is the first to
// be shown, unless it is of that very time.
std::optional<SnapshotId> StartAt(const std::vector<const Snapshot*>& ancestors, Timestamp time) {
  std::optional<SnapshotId> start;
  for (const Snapshot* ancestor : ancestors) {
    if (ancestor->timestamp == time) return ancestor->snapshot_id;
    if (ancestor->timestamp < time) return ancestor->snapshot_id;
    start = ancestor->parent_snapshot_id;
  }
  return start;
}

const Snapshot* EndAt(const std::vector<const Snapshot*>& ancestors, Timestamp time) {
  for (const Snapshot* ancestor : ancestors) {
    if (ancestor->timestamp <= time) return ancestor;
  }
  return nullptr;
}

Result<std::optional<SnapshotId>> HeadOf(const TableReference& reference) {
  const TableMetadata& metadata = *reference.table.metadata;
  const auto& ref = reference.branch ? reference.branch : reference.tag;
  FIRN_ASSIGN(const auto resolved,
              ResolveSnapshot(metadata, {.ref = ref ? std::optional(*ref) : std::nullopt}));
  if (resolved.snapshot == nullptr) return std::optional<SnapshotId>();
  return std::optional(resolved.snapshot->snapshot_id);
}

}  // namespace

std::vector<Argument> ChangelogRangeArguments() {
  return {{.name = "start",
           .type = ArgumentType::kText,
           .help = "Changes after this snapshot, branch or tag, or from this time on.",
           .default_text = "the first snapshot's changes, too"},
          {.name = "end",
           .type = ArgumentType::kText,
           .help = "Changes up to this snapshot, branch or tag, or up to this time.",
           .default_text = "the current snapshot"}};
}

Result<std::vector<const Snapshot*>> FindChangelogSnapshots(const ProcedureContext& context,
                                                            const Arguments& arguments,
                                                            const TableReference& reference) {
  const TableMetadata& metadata = *reference.table.metadata;
  const Timestamp now = context.session->clock().Now();
  FIRN_RETURN_IF_ERROR(CheckOptionNames(arguments.TextMap("options")));
  FIRN_ASSIGN(const Bound start,
              ReadBound(arguments, "start", kStartId, kStartTime, metadata, now));
  FIRN_ASSIGN(const Bound end, ReadBound(arguments, "end", kEndId, kEndTime, metadata, now));
  FIRN_ASSIGN(const auto head, HeadOf(reference));
  using Snapshots = std::vector<const Snapshot*>;
  if (!head) return Snapshots();
  std::optional<SnapshotId> last = end.snapshot_id ? end.snapshot_id : head;
  if (end.time) {
    const Snapshot* snapshot = EndAt(AncestorsOf(metadata, *head), *end.time);
    if (snapshot == nullptr) return Snapshots();
    last = snapshot->snapshot_id;
  }
  std::optional<SnapshotId> first = start.snapshot_id;
  if (start.time) {
    const auto ancestors = AncestorsOf(metadata, *last);
    if (!ancestors.empty() && ancestors.front()->timestamp < *start.time) return Snapshots();
    first = StartAt(ancestors, *start.time);
  }
  return FindChangingSnapshots(metadata, first, *last);
}

}  // namespace firn
