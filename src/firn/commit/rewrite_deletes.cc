#include "firn/commit/rewrite_deletes.h"

#include <string_view>
#include <unordered_set>
#include <utility>

#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/concurrent_changes_internal.h"
#include "firn/commit/conflict_check_internal.h"
#include "firn/commit/manifest_exchange_internal.h"
#include "firn/format/puffin/delete_reference.h"

namespace firn {
namespace {

std::vector<DataFile> AddedFiles(const RewriteDeletesRequest& request) {
  std::vector<DataFile> files;
  for (const DeleteFile& added : request.added_delete_files)
    files.push_back(added.file);
  return files;
}

class RewriteDeletes final : public SnapshotOperation {
 public:
  RewriteDeletes(const CommitContext& context, const RewriteDeletesRequest& request, SnapshotId id)
      : context_(context),
        request_(request),
        added_(AddedFiles(request)),
        data_(ManifestContent::kData, no_data_, no_data_, id),
        deletes_(ManifestContent::kDeletes, FilesOf(request.removed_delete_files), added_, id) {
    std::vector<int64_t> numbers;
    for (const DeleteFile& added : request.added_delete_files)
      numbers.push_back(added.sequence_number);
    deletes_.PinSequenceNumbers(std::move(numbers));
    deletes_.RequireDeletes();
  }

  std::string operation() const override { return "replace"; }
  Status Validate(const CommitBase& base) override;
  Result<StagedSnapshot> Stage(const CommitBase& base, CommitFiles& files) override;
  int64_t removed_delete_files() const { return removed_delete_files_; }

 private:
  Status CheckVectors(const CommitBase& base, const History& history,
                      int64_t starting_sequence_number) const;

  const CommitContext& context_;
  const RewriteDeletesRequest& request_;
  const std::vector<DataFile> no_data_;
  const std::vector<DataFile> added_;
  ManifestExchange data_;
  ManifestExchange deletes_;
  int64_t removed_delete_files_ = 0;
};

Status RewriteDeletes::Validate(const CommitBase& base) {
  const TableMetadata& metadata = *base.table->metadata;
  FIRN_RETURN_IF_ERROR(CheckDeletesFit(metadata, added_));
  FIRN_ASSIGN(const History history,
              HistorySince(metadata, base.head, request_.starting_snapshot_id));
  if (history.empty()) return {};
  const Snapshot* start = metadata.FindSnapshot(request_.starting_snapshot_id);
  FIRN_CHECK(start != nullptr);
  FIRN_RETURN_IF_ERROR(
      CheckNoDataUnderDeletes(context_, *base.table, history, request_.removed_delete_files));
  return CheckVectors(base, history, start->sequence_number);
}

// A file has one vector, and nothing but it counts: any delete by position that came to the file
// since would be undone.
Status RewriteDeletes::CheckVectors(const CommitBase& base, const History& history,
                                    int64_t starting_sequence_number) const {
  std::unordered_set<std::string_view> paths;
  std::vector<DataFile> data_files;
  for (const DataFile& file : added_) {
    if (!file.is_deletion_vector()) continue;
    const std::string_view path = ReferencedDataFile(file);
    paths.insert(path);
    DataFile& data_file = data_files.emplace_back();
    data_file.file_path = path;
    data_file.partition_spec_id = file.partition_spec_id;
    data_file.partition = file.partition;
  }
  if (paths.empty()) return {};
  FIRN_RETURN_IF_ERROR(CheckNoNewVectors(context_, *base.table, history, paths));
  return CheckNoNewDeletes(
      context_, *base.table, base.manifests, data_files,
      {.starting_sequence_number = starting_sequence_number, .ignores_equality_deletes = true});
}

Result<StagedSnapshot> RewriteDeletes::Stage(const CommitBase& base, CommitFiles& files) {
  StagedSnapshot staged;
  FIRN_ASSIGN(staged.manifests, data_.Stage(context_, base, files, staged.summary));
  FIRN_ASSIGN(const std::vector<ManifestFile> deletes,
              deletes_.Stage(context_, base, files, staged.summary));
  staged.manifests.insert(staged.manifests.end(), deletes.begin(), deletes.end());
  removed_delete_files_ = staged.summary.removed_delete_files();
  return staged;
}

}  // namespace

Result<CommitResult> CommitRewriteDeletes(const CommitContext& context, const Table& planned,
                                          const RewriteDeletesRequest& request) {
  for (const DeleteFile& added : request.added_delete_files) {
    if (added.file.content == FileContent::kPositionDeletes) continue;
    return MakeError(ErrorCode::kInternal, "delete file '{}' does not delete by position",
                     added.file.file_path);
  }
  const SnapshotId id = NewSnapshotId(*planned.metadata, *context.random);
  RewriteDeletes operation(context, request, id);
  Result<CommitResult> result = RunCommitLoop(context, planned, {id, request, &operation});
  if (!result.ok()) return result.error();
  result->removed_delete_files = operation.removed_delete_files();
  return result;
}

}  // namespace firn
