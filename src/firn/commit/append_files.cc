#include <string_view>
#include <unordered_set>
#include <utility>

#include "firn/commit/added_manifests_internal.h"
#include "firn/commit/commit.h"
#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/conflict_check_internal.h"
#include "firn/commit/manifest_merge_internal.h"
#include "firn/commit/operations_internal.h"

namespace firn {
namespace {

class AppendFiles final : public SnapshotOperation {
 public:
  AppendFiles(const CommitContext& context, const Table& planned, const AppendFilesRequest& request,
              SnapshotId id)
      : context_(context),
        planned_(planned),
        request_(request),
        added_(ManifestContent::kData, request.data_files, id),
        data_merger_(id),
        delete_merger_(id) {}

  std::string operation() const override { return "append"; }
  Status Validate(const CommitBase& base) override;
  Result<StagedSnapshot> Stage(const CommitBase& base, CommitFiles& files) override;

 private:
  const CommitContext& context_;
  const Table& planned_;
  const AppendFilesRequest& request_;
  AddedManifests added_;
  ManifestMerger data_merger_;
  ManifestMerger delete_merger_;
};

// The files were written for the planned schema. Columns may come and go meanwhile, but not the
// whole table; and a column that became required is what such files cannot promise to fill.
Status AppendFiles::Validate(const CommitBase& base) {
  const TableMetadata& before = *planned_.metadata;
  const TableMetadata& now = *base.table->metadata;
  if (before.current_schema_id == now.current_schema_id) return {};
  const SchemaPtr written = before.current_schema();
  FIRN_RETURN_IF_ERROR(
      CheckNotReplaced(now, base.head, *written, before.RefSnapshotId(request_.branch)));
  for (const NestedField& field : now.current_schema()->fields()) {
    const NestedField* known = written->FindField(field.id);
    const bool has_default = field.initial_default && !field.initial_default->is_null();
    if (field.required && (known == nullptr ? !has_default : !known->required)) {
      return MakeError(ErrorCode::kCommitConflict,
                       "column '{}' became required after the rows were written; run the append "
                       "again",
                       field.name);
    }
  }
  return {};
}

Result<StagedSnapshot> AppendFiles::Stage(const CommitBase& base, CommitFiles& files) {
  StagedSnapshot staged;
  FIRN_ASSIGN(staged.manifests, added_.Get(context_, *base.table, files));
  if (request_.is_fast) {
    staged.manifests.insert(staged.manifests.end(), base.manifests.begin(), base.manifests.end());
  } else {
    for (const ManifestFile& manifest : base.ManifestsOf(ManifestContent::kData)) {
      if (manifest.has_live_files()) staged.manifests.push_back(manifest);
    }
    FIRN_ASSIGN(staged.manifests,
                data_merger_.Merge(context_, *base.table, files, staged.manifests));
    FIRN_ASSIGN(const std::vector<ManifestFile> deletes,
                delete_merger_.Merge(context_, *base.table, files,
                                     base.ManifestsOf(ManifestContent::kDeletes)));
    staged.manifests.insert(staged.manifests.end(), deletes.begin(), deletes.end());
  }
  for (const DataFile& file : request_.data_files) {
    staged.summary.Add(*base.table->metadata, file);
  }
  return staged;
}

Status CheckAppendedFiles(const std::vector<DataFile>& files) {
  if (files.empty()) {
    return Error(ErrorCode::kInvalidInput, "an append without files, expected one at least");
  }
  std::unordered_set<std::string_view> paths;
  for (const DataFile& file : files) {
    if (file.content != FileContent::kData) {
      return MakeError(ErrorCode::kInvalidInput, "'{}' is a delete file, expected data files",
                       file.file_path);
    }
    if (!paths.insert(file.file_path).second) {
      return MakeError(ErrorCode::kInvalidInput,
                       "file '{}' is named twice in one append: its rows would be doubled",
                       file.file_path);
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<SnapshotOperation>> MakeAppendFiles(const CommitContext& context,
                                                           const Table& planned,
                                                           const AppendFilesRequest& request,
                                                           SnapshotId id) {
  FIRN_RETURN_IF_ERROR(CheckAppendedFiles(request.data_files));
  return std::make_unique<AppendFiles>(context, planned, request, id);
}

Result<CommitResult> CommitAppendFiles(const CommitContext& context, const Table& planned,
                                       const AppendFilesRequest& request) {
  const SnapshotId id = NewSnapshotId(*planned.metadata, *context.random);
  FIRN_ASSIGN(const auto operation, MakeAppendFiles(context, planned, request, id));
  return RunCommitLoop(context, planned, {id, request, operation.get()});
}

}  // namespace firn
