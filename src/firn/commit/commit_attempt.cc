#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "firn/base/text.h"
#include "firn/base/version.h"
#include "firn/catalog/table_evolution.h"
#include "firn/commit/commit_attempt_internal.h"
#include "firn/commit/summary_keys_internal.h"

namespace firn {
namespace {

// Two snapshots with one name could not be told apart when one is to be published.
Status CheckWapId(const TableMetadata& metadata, const std::string& wap_id) {
  if (!EqualsIgnoreCase(metadata.Property("write.wap.enabled", "false"), "true")) {
    return MakeError(ErrorCode::kInvalidInput,
                     "a snapshot is to be staged under the WAP id '{}', but the table does not "
                     "allow it; set its property write.wap.enabled=true",
                     wap_id);
  }
  for (const Snapshot& snapshot : metadata.snapshots) {
    for (const std::string_view key : {kWapId, kPublishedWapId}) {
      if (snapshot.summary.Find(key) != wap_id) continue;
      return MakeError(ErrorCode::kAlreadyExists,
                       "WAP id '{}' was used by snapshot {}; choose another one", wap_id,
                       snapshot.snapshot_id);
    }
  }
  return {};
}

// A manifest list of version 1 cannot say that a manifest holds delete files: written again, these
// would be read as data.
Status CheckNoDeletesInVersion1(const TableMetadata& metadata, const Snapshot& head,
                                const std::vector<ManifestFile>& manifests) {
  if (metadata.format_version >= 2) return {};
  const auto found = std::find_if(
      manifests.begin(), manifests.end(),
      [](const ManifestFile& manifest) { return manifest.content == ManifestContent::kDeletes; });
  if (found == manifests.end()) return {};
  return MakeError(ErrorCode::kCorrupt,
                   "the table's metadata says format version 1, but manifest list '{}' names "
                   "manifest '{}' of delete files, which begin with version 2; nothing was "
                   "committed: put 'format-version' in the metadata right",
                   head.manifest_list, found->manifest_path);
}

}  // namespace

Status CommitAttempt::Take(std::vector<TableUpdate> updates, bool is_last) {
  if (!is_last && !updates.empty()) {
    FIRN_ASSIGN(TableMetadata changed, ApplyUpdates(table_.metadata.get(), table_.metadata_location,
                                                    updates, context_.clock->Now()));
    table_.metadata = std::make_shared<const TableMetadata>(std::move(changed));
  }
  updates_.insert(updates_.end(), std::make_move_iterator(updates.begin()),
                  std::make_move_iterator(updates.end()));
  return {};
}

Result<CommitBase> CommitAttempt::BaseOf(const std::string& branch) const {
  const TableMetadata& metadata = *table_.metadata;
  CommitBase base{.table = &table_, .head = nullptr, .manifests = {}};
  const auto ref = metadata.refs.find(branch);
  if (ref == metadata.refs.end()) {
    if (branch == kMainBranch) return base;
    return MakeError(ErrorCode::kNotFound,
                     "branch '{}' does not exist; create it first (create-branch)", branch);
  }
  if (ref->second.type != RefType::kBranch) {
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' is a tag, expected a branch: a commit cannot move a tag", branch);
  }
  base.head = metadata.FindSnapshot(ref->second.snapshot_id);
  if (base.head != nullptr) {
    FIRN_ASSIGN(base.manifests, ReadManifests(*table_.io, *base.head));
    FIRN_RETURN_IF_ERROR(CheckNoDeletesInVersion1(metadata, *base.head, base.manifests));
  }
  return base;
}

Result<Snapshot> CommitAttempt::Stage(const CommitBase& base, const CommitStep& step) {
  FIRN_RETURN_IF_ERROR(step.operation->Validate(base));
  FIRN_ASSIGN(StagedSnapshot staged, step.operation->Stage(base, files_));
  const TableMetadata& metadata = *table_.metadata;
  HoldSpecs(base, staged.manifests);
  const bool has_row_ids = metadata.format_version >= 3;
  Snapshot snapshot;
  snapshot.snapshot_id = step.snapshot_id;
  if (base.head != nullptr) snapshot.parent_snapshot_id = base.head->snapshot_id;
  snapshot.sequence_number = metadata.format_version >= 2 ? metadata.last_sequence_number + 1 : 0;
  // A writer with a slow clock must not step behind the table's log.
  snapshot.timestamp = std::max(context_.clock->Now(), metadata.last_updated);
  snapshot.manifest_list = files_.ManifestList(metadata, snapshot.snapshot_id, number_);
  snapshot.operation = step.operation->operation();
  snapshot.schema_id = metadata.current_schema_id;
  FIRN_ASSIGN(const int64_t next_row_id,
              WriteManifestList(
                  *table_.io, snapshot.manifest_list,
                  {.format_version = metadata.format_version,
                   .snapshot_id = snapshot.snapshot_id,
                   .parent_snapshot_id = snapshot.parent_snapshot_id,
                   .sequence_number = snapshot.sequence_number,
                   .first_row_id = has_row_ids ? std::optional(metadata.next_row_id) : std::nullopt,
                   .compression = metadata.Property("write.manifest.compression-codec", "gzip")},
                  staged.manifests));
  if (has_row_ids) {
    snapshot.first_row_id = metadata.next_row_id;
    snapshot.added_rows = next_row_id - metadata.next_row_id;
  }
  const auto set = [&](std::string_view key, std::string value) {
    staged.summary.Set(std::string(key), std::move(value));
  };
  for (const auto& [key, value] : step.options.summary_properties)
    set(key, value);
  if (step.options.idempotency_key) set(kIdempotencyKey, *step.options.idempotency_key);
  if (step.options.wap_id) set(kWapId, *step.options.wap_id);
  set("engine-name", "firn");
  set("engine-version", std::string(Version()));
  snapshot.summary = staged.summary.Build(base.head);
  return snapshot;
}

// Nothing keeps expiry from forgetting the spec of a new manifest meanwhile, if no manifest of the
// branch has it, and it is not the default one or is so no longer. No requirement of the catalog
// protocol tells of another spec than the default one; but to make it that fails then. Afterwards
// the default one is what it was.
void CommitAttempt::HoldSpecs(const CommitBase& base, const std::vector<ManifestFile>& manifests) {
  const int32_t default_id = table_.metadata->default_spec_id;
  std::set<int32_t> kept;
  for (const ManifestFile& manifest : base.manifests)
    kept.insert(manifest.partition_spec_id);
  holds_.clear();
  for (const ManifestFile& manifest : manifests) {
    if (!kept.insert(manifest.partition_spec_id).second) continue;
    needs_default_spec_ = true;
    if (manifest.partition_spec_id == default_id) continue;
    holds_.emplace_back(SetDefaultSpec{manifest.partition_spec_id});
  }
  if (!holds_.empty()) holds_.emplace_back(SetDefaultSpec{default_id});
}

std::vector<TableUpdate> CommitAttempt::UpdatesOf(const CommitStep& step, Snapshot snapshot) const {
  const SnapshotId id = snapshot.snapshot_id;
  std::vector<TableUpdate> updates = holds_;
  updates.emplace_back(AddSnapshot{std::move(snapshot)});
  if (step.options.is_staged) return updates;
  SnapshotRef ref;  // Retention settings of an existing branch are kept.
  const auto& refs = table_.metadata->refs;
  if (const auto existing = refs.find(step.options.branch); existing != refs.end()) {
    ref = existing->second;
  }
  ref.snapshot_id = id;
  updates.emplace_back(SetSnapshotRef{step.options.branch, ref});
  return updates;
}

Status CommitAttempt::Add(const CommitStep& step, bool is_last) {
  if (step.options.wap_id) {
    FIRN_RETURN_IF_ERROR(CheckWapId(*base_.metadata, *step.options.wap_id));
  }
  if (step.options.table_changes) {
    FIRN_ASSIGN(std::vector<TableUpdate> updates, step.options.table_changes(*table_.metadata));
    FIRN_RETURN_IF_ERROR(Take(std::move(updates), is_last && step.operation == nullptr));
  }
  if (step.operation == nullptr) return {};
  branches_.push_back(step.options.branch);
  FIRN_ASSIGN(const CommitBase base, BaseOf(step.options.branch));
  FIRN_ASSIGN(Snapshot snapshot, Stage(base, step));
  return Take(UpdatesOf(step, std::move(snapshot)), is_last);
}

std::vector<TableRequirement> CommitAttempt::Requirements() const {
  const TableMetadata& base = *base_.metadata;
  std::vector<TableRequirement> requirements = MakeRequirements(base, updates_);
  const bool has_spec = std::any_of(
      requirements.begin(), requirements.end(), [](const TableRequirement& requirement) {
        return std::holds_alternative<AssertDefaultSpecId>(requirement);
      });
  if (needs_default_spec_ && !has_spec) {
    requirements.emplace_back(AssertDefaultSpecId{base.default_spec_id});
  }
  // Of a staged snapshot, too: it was made for this head.
  for (const std::string& branch : branches_) {
    const bool is_there =
        std::any_of(requirements.begin(), requirements.end(), [&](const TableRequirement& other) {
          const auto* ref = std::get_if<AssertRefSnapshotId>(&other);
          return ref != nullptr && ref->ref == branch;
        });
    if (is_there) continue;
    requirements.emplace_back(AssertRefSnapshotId{branch, base.RefSnapshotId(branch)});
  }
  return requirements;
}

}  // namespace firn
