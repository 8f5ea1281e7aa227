#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "firn/commit/commit.h"
#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/conflict_check_internal.h"
#include "firn/commit/manifest_filter_internal.h"
#include "firn/commit/manifest_merge_internal.h"
#include "firn/commit/open_manifest_internal.h"
#include "firn/io/discard_files.h"

namespace firn {
namespace {

std::vector<DataFile> FilesOf(const std::vector<DeleteFilePtr>& deletes) {
  std::vector<DataFile> files;
  files.reserve(deletes.size());
  for (const DeleteFilePtr& file : deletes) {
    files.push_back(file->file);
  }
  return files;
}

std::vector<ManifestFile> OfContent(const std::vector<ManifestFile>& manifests,
                                    ManifestContent content) {
  std::vector<ManifestFile> chosen;
  std::copy_if(manifests.begin(), manifests.end(), std::back_inserter(chosen),
               [&](const ManifestFile& manifest) { return manifest.content == content; });
  return chosen;
}

class RewriteFiles final : public SnapshotOperation {
 public:
  RewriteFiles(const CommitContext& context, const RewriteFilesRequest& request, SnapshotId id)
      : context_(context),
        request_(request),
        snapshot_id_(id),
        data_filter_(ManifestContent::kData, request.removed_data_files, id),
        delete_filter_(ManifestContent::kDeletes, FilesOf(request.removed_delete_files), id),
        data_merger_(id),
        delete_merger_(id) {}

  std::string operation() const override { return "replace"; }
  Status Validate(const CommitBase& base) override;
  Result<StagedSnapshot> Stage(const CommitBase& base, CommitFiles& files) override;
  int64_t removed_delete_files() const { return removed_delete_files_; }

 private:
  /// Manifests of the added files, one per partition spec; written by the first attempt.
  Status WriteAdded(const CommitBase& base, CommitFiles& files);
  Result<ManifestFile> WriteAddedOfSpec(const Table& table, const std::string& uri,
                                        int32_t spec_id);

  const CommitContext& context_;
  const RewriteFilesRequest& request_;
  SnapshotId snapshot_id_;
  ManifestFilter data_filter_;
  ManifestFilter delete_filter_;
  ManifestMerger data_merger_;
  ManifestMerger delete_merger_;
  std::optional<std::vector<ManifestFile>> added_;
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

Result<ManifestFile> RewriteFiles::WriteAddedOfSpec(const Table& table, const std::string& uri,
                                                    int32_t spec_id) {
  FIRN_ASSIGN(const OpenManifest added, OpenNewManifest(table, {.uri = uri,
                                                                .content = ManifestContent::kData,
                                                                .partition_spec_id = spec_id,
                                                                .snapshot_id = snapshot_id_}));
  for (const DataFile& file : request_.added_data_files) {
    if (file.partition_spec_id == spec_id) {
      FIRN_RETURN_IF_ERROR(added.writer->Add({.status = EntryStatus::kAdded,
                                              .snapshot_id = snapshot_id_,
                                              .sequence_number = request_.data_sequence_number,
                                              .file_sequence_number = std::nullopt,
                                              .file = file}));
    }
  }
  return added.writer->Finish();
}

Status RewriteFiles::WriteAdded(const CommitBase& base, CommitFiles& files) {
  std::set<int32_t> spec_ids;
  for (const DataFile& file : request_.added_data_files) {
    spec_ids.insert(file.partition_spec_id);
  }
  std::vector<ManifestFile> added;
  for (const int32_t spec_id : spec_ids) {
    if (base.table->metadata->FindSpec(spec_id) == nullptr) {
      return MakeError(ErrorCode::kCommitConflict,
                       "partition spec {} of the rewritten files is no longer in the table",
                       spec_id);
    }
    FIRN_ASSIGN(ManifestFile manifest,
                WriteAddedOfSpec(*base.table, files.NextManifest(*base.table->metadata), spec_id));
    added.push_back(std::move(manifest));
  }
  added_ = std::move(added);
  return {};
}

Result<StagedSnapshot> RewriteFiles::Stage(const CommitBase& base, CommitFiles& files) {
  const TableMetadata& metadata = *base.table->metadata;
  FIRN_ASSIGN(const ManifestFilter::Outcome data,
              data_filter_.Apply(context_, *base.table, files,
                                 OfContent(base.manifests, ManifestContent::kData)));
  if (!data.missing.empty()) {
    return MakeError(ErrorCode::kCommitConflict,
                     "data file '{}' ({} in all) was removed or rewritten by another writer after "
                     "the operation began; run it again",
                     data.missing.front(), data.missing.size());
  }
  // A delete file that is gone already needs no removal: new deletes were ruled out by `Validate`.
  FIRN_ASSIGN(const ManifestFilter::Outcome deletes,
              delete_filter_.Apply(context_, *base.table, files,
                                   OfContent(base.manifests, ManifestContent::kDeletes)));
  if (!added_) {
    FIRN_RETURN_IF_ERROR(WriteAdded(base, files));
  }
  StagedSnapshot staged;
  std::vector<ManifestFile> data_manifests = *added_;
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

void DiscardOutputs(FileIO& io, const std::vector<DataFile>& files) {
  std::vector<std::string> paths;
  for (const DataFile& file : files) {
    paths.push_back(file.file_path);
  }
  DiscardFiles(io, paths, "an output of a failed rewrite");
}

Result<CommitResult> CommitRewriteFiles(const CommitContext& context, const Table& planned,
                                        const RewriteFilesRequest& request) {
  FIRN_CHECK(!request.removed_data_files.empty() || request.added_data_files.empty());
  const CommitTarget target{.table = planned.name,
                            .branch = request.branch,
                            .snapshot_id = NewSnapshotId(*planned.metadata, *context.random)};
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
