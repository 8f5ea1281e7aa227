#include <algorithm>
#include <utility>

#include "firn/commit/added_manifests_internal.h"
#include "firn/commit/commit.h"
#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/conflict_check_internal.h"
#include "firn/commit/manifest_filter_internal.h"
#include "firn/commit/manifest_merge_internal.h"

namespace firn {
namespace {

class RewriteFiles final : public SnapshotOperation {
 public:
  RewriteFiles(const CommitContext& context, const RewriteFilesRequest& request, SnapshotId id)
      : context_(context),
        request_(request),
        added_(ManifestContent::kData, request.added_data_files, id, request.data_sequence_number),
        data_filter_(ManifestContent::kData, request.removed_data_files, id),
        delete_filter_(ManifestContent::kDeletes, FilesOf(request.removed_delete_files), id),
        data_merger_(id),
        delete_merger_(id) {}

  std::string operation() const override { return "replace"; }
  Status Validate(const CommitBase& base) override;
  Result<StagedSnapshot> Stage(const CommitBase& base, CommitFiles& files) override;
  int64_t removed_delete_files() const { return removed_delete_files_; }

 private:
  const CommitContext& context_;
  const RewriteFilesRequest& request_;
  AddedManifests added_;
  ManifestFilter data_filter_;
  ManifestFilter delete_filter_;
  ManifestMerger data_merger_;
  ManifestMerger delete_merger_;
  int64_t removed_delete_files_ = 0;
};

Status RewriteFiles::Validate(const CommitBase& base) {
  const TableMetadata& metadata = *base.table->metadata;
  FIRN_RETURN_IF_ERROR(HistorySince(metadata, base.head, request_.starting_snapshot_id));
  const Snapshot* start = metadata.FindSnapshot(request_.starting_snapshot_id);
  FIRN_CHECK(start != nullptr);
  return CheckNoNewDeletes(context_, *base.table, base.manifests, request_.removed_data_files,
                           {.starting_sequence_number = start->sequence_number,
                            .ignores_equality_deletes = request_.data_sequence_number.has_value()});
}

Result<StagedSnapshot> RewriteFiles::Stage(const CommitBase& base, CommitFiles& files) {
  const TableMetadata& metadata = *base.table->metadata;
  FIRN_ASSIGN(
      const ManifestFilter::Outcome data,
      data_filter_.Apply(context_, *base.table, files, base.ManifestsOf(ManifestContent::kData)));
  if (!data.missing.empty()) {
    return MakeError(ErrorCode::kCommitConflict,
                     "data file '{}' ({} in all) was removed or rewritten by another writer after "
                     "the operation began; run it again",
                     data.missing.front(), data.missing.size());
  }
  // A delete file that is gone already needs no removal: new deletes were ruled out by `Validate`.
  FIRN_ASSIGN(const ManifestFilter::Outcome deletes,
              delete_filter_.Apply(context_, *base.table, files,
                                   base.ManifestsOf(ManifestContent::kDeletes)));
  StagedSnapshot staged;
  FIRN_ASSIGN(std::vector<ManifestFile> data_manifests, added_.Get(context_, *base.table, files));
  data_manifests.insert(data_manifests.end(), data.manifests.begin(), data.manifests.end());
  FIRN_ASSIGN(staged.manifests, data_merger_.Merge(context_, *base.table, files, data_manifests));
  FIRN_ASSIGN(const std::vector<ManifestFile> delete_manifests,
              delete_merger_.Merge(context_, *base.table, files, deletes.manifests));
  staged.manifests.insert(staged.manifests.end(), delete_manifests.begin(), delete_manifests.end());
  for (const auto& [key, value] : request_.summary_properties) {
    staged.summary.Set(key, value);
  }
  for (const DataFile& file : request_.added_data_files) {
    staged.summary.Add(metadata, file);
  }
  for (const auto* removed : {&data.removed, &deletes.removed}) {
    for (const DataFile& file : *removed) {
      staged.summary.Remove(metadata, file);
    }
  }
  if (staged.summary.added_records() > staged.summary.removed_records()) {
    return MakeError(ErrorCode::kInternal,
                     "a rewrite adds {} records for {} removed ones, expected at most as many",
                     staged.summary.added_records(), staged.summary.removed_records());
  }
  removed_delete_files_ = staged.summary.removed_delete_files();
  return staged;
}

}  // namespace

Result<CommitResult> CommitRewriteFiles(const CommitContext& context, const Table& planned,
                                        const RewriteFilesRequest& request) {
  FIRN_CHECK(!request.removed_data_files.empty() || request.added_data_files.empty());
  const CommitTarget target{.table = planned.name,
                            .branch = request.branch,
                            .snapshot_id = NewSnapshotId(*planned.metadata, *context.random),
                            .idempotency_key = {}};
  RewriteFiles operation(context, request, target.snapshot_id);
  Result<CommitResult> result = RunCommitLoop(context, target, operation);
  if (!result.ok()) {
    if (result.error().code() != ErrorCode::kCommitUnknown) {
      DiscardOutputs(*planned.io, request.added_data_files);
    }
    return result.error();
  }
  result->removed_delete_files = operation.removed_delete_files();
  return result;
}

}  // namespace firn
