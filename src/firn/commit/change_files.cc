#include <string_view>
#include <unordered_set>
#include <utility>

#include "firn/commit/added_manifests_internal.h"
#include "firn/commit/commit.h"
#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/concurrent_changes_internal.h"
#include "firn/commit/conflict_check_internal.h"
#include "firn/commit/manifest_filter_internal.h"
#include "firn/commit/manifest_merge_internal.h"
#include "firn/format/delete_reference.h"

namespace firn {
namespace {

class ChangeFiles final : public SnapshotOperation {
 public:
  ChangeFiles(const CommitContext& context, const ChangeFilesRequest& request, SnapshotId id)
      : context_(context),
        request_(request),
        added_data_(ManifestContent::kData, request.added_data_files, id),
        added_deletes_(ManifestContent::kDeletes, request.added_delete_files, id),
        data_filter_(ManifestContent::kData, request.removed_data_files, id),
        delete_filter_(ManifestContent::kDeletes, FilesOf(request.removed_delete_files), id),
        data_merger_(id),
        delete_merger_(id) {
    for (ManifestFilter* filter : {&data_filter_, &delete_filter_}) {
      filter->DropPartitions(request.replaced_partitions);
      if (request.replaces_table) filter->DropAll();
    }
  }

  std::string operation() const override;
  Status Validate(const CommitBase& base) override;
  Result<StagedSnapshot> Stage(const CommitBase& base, CommitFiles& files) override;

 private:
  Result<std::vector<ManifestFile>> StageData(const CommitBase& base, CommitFiles& files,
                                              SnapshotSummary& summary);
  Result<std::vector<ManifestFile>> StageDeletes(const CommitBase& base, CommitFiles& files,
                                                 SnapshotSummary& summary);

  const CommitContext& context_;
  const ChangeFilesRequest& request_;
  AddedManifests added_data_;
  AddedManifests added_deletes_;
  ManifestFilter data_filter_;
  ManifestFilter delete_filter_;
  ManifestMerger data_merger_;
  ManifestMerger delete_merger_;
};

// As Java: what only takes rows away is a delete, whichever way it does so.
std::string ChangeFiles::operation() const {
  const bool takes = !request_.removed_data_files.empty() || !request_.added_delete_files.empty() ||
                     !request_.replaced_partitions.empty() || request_.replaces_table;
  if (request_.added_data_files.empty()) return "delete";
  return takes ? "overwrite" : "append";
}

Status ChangeFiles::Validate(const CommitBase& base) {
  if (!request_.starting_snapshot_id) return {};
  const TableMetadata& metadata = *base.table->metadata;
  FIRN_ASSIGN(const History history,
              HistorySince(metadata, base.head, *request_.starting_snapshot_id));
  if (history.empty()) return {};
  if (request_.isolation == Isolation::kSerializable) {
    FIRN_RETURN_IF_ERROR(
        CheckNoConflictingData(context_, *base.table, history, request_.condition));
  }
  if (!request_.removed_data_files.empty()) {
    const Snapshot* start = metadata.FindSnapshot(*request_.starting_snapshot_id);
    FIRN_CHECK(start != nullptr);
    FIRN_RETURN_IF_ERROR(CheckNoNewDeletes(
        context_, *base.table, base.manifests, request_.removed_data_files,
        {.starting_sequence_number = start->sequence_number, .ignores_equality_deletes = false}));
  }
  std::unordered_set<std::string_view> named;
  std::unordered_set<std::string_view> with_vector;
  for (const DataFile& file : request_.added_delete_files) {
    named.insert(ReferencedDataFile(file));
    if (file.is_deletion_vector()) with_vector.insert(ReferencedDataFile(file));
  }
  FIRN_RETURN_IF_ERROR(CheckDataFilesStay(context_, *base.table, history, named));
  return CheckNoNewVectors(context_, *base.table, history, with_vector);
}

Result<std::vector<ManifestFile>> ChangeFiles::StageData(const CommitBase& base, CommitFiles& files,
                                                         SnapshotSummary& summary) {
  FIRN_ASSIGN(
      const ManifestFilter::Outcome kept,
      data_filter_.Apply(context_, *base.table, files, base.ManifestsOf(ManifestContent::kData)));
  if (!kept.missing.empty()) {
    return MakeError(ErrorCode::kCommitConflict,
                     "data file '{}' ({} in all) was removed or rewritten by another writer after "
                     "the operation began; run it again",
                     kept.missing.front(), kept.missing.size());
  }
  FIRN_ASSIGN(std::vector<ManifestFile> manifests, added_data_.Get(context_, *base.table, files));
  manifests.insert(manifests.end(), kept.manifests.begin(), kept.manifests.end());
  for (const DataFile& file : request_.added_data_files) {
    summary.Add(*base.table->metadata, file);
  }
  for (const DataFile& file : kept.removed) {
    summary.Remove(*base.table->metadata, file);
  }
  return data_merger_.Merge(context_, *base.table, files, manifests);
}

Result<std::vector<ManifestFile>> ChangeFiles::StageDeletes(const CommitBase& base,
                                                            CommitFiles& files,
                                                            SnapshotSummary& summary) {
  // A delete file that is gone already needs no removal: what it deleted is in the added ones.
  FIRN_ASSIGN(const ManifestFilter::Outcome kept,
              delete_filter_.Apply(context_, *base.table, files,
                                   base.ManifestsOf(ManifestContent::kDeletes)));
  FIRN_ASSIGN(std::vector<ManifestFile> manifests,
              added_deletes_.Get(context_, *base.table, files));
  manifests.insert(manifests.end(), kept.manifests.begin(), kept.manifests.end());
  for (const DataFile& file : request_.added_delete_files) {
    summary.Add(*base.table->metadata, file);
  }
  for (const DataFile& file : kept.removed) {
    summary.Remove(*base.table->metadata, file);
  }
  return delete_merger_.Merge(context_, *base.table, files, manifests);
}

Result<StagedSnapshot> ChangeFiles::Stage(const CommitBase& base, CommitFiles& files) {
  StagedSnapshot staged;
  for (const auto& [key, value] : request_.summary_properties) {
    staged.summary.Set(key, value);
  }
  FIRN_ASSIGN(staged.manifests, StageData(base, files, staged.summary));
  FIRN_ASSIGN(const std::vector<ManifestFile> deletes, StageDeletes(base, files, staged.summary));
  staged.manifests.insert(staged.manifests.end(), deletes.begin(), deletes.end());
  return staged;
}

}  // namespace

Result<CommitResult> CommitChangeFiles(const CommitContext& context, const Table& planned,
                                       const ChangeFilesRequest& request) {
  for (const DataFile& file : request.added_delete_files) {
    if (ReferencedDataFile(file).empty()) {
      return MakeError(ErrorCode::kInternal, "delete file '{}' names no data file", file.file_path);
    }
  }
  const CommitTarget target{.table = planned.name,
                            .branch = request.branch,
                            .snapshot_id = NewSnapshotId(*planned.metadata, *context.random),
                            .idempotency_key = request.idempotency_key};
  ChangeFiles operation(context, request, target.snapshot_id);
  return RunCommitLoop(context, target, operation);
}

}  // namespace firn
