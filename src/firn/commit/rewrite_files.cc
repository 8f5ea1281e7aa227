#include "firn/commit/rewrite_files.h"

#include <map>
#include <utility>

#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/conflict_check_internal.h"
#include "firn/commit/manifest_exchange_internal.h"
#include "firn/commit/operations_internal.h"

namespace firn {
namespace {

class RewriteFiles final : public SnapshotOperation {
 public:
  /// Without numbers all files were read in the starting snapshot.
  RewriteFiles(const CommitContext& context, const RewriteFilesRequest& request, SnapshotId id,
               std::span<const int64_t> read_sequence_numbers = {})
      : context_(context),
        request_(request),
        read_sequence_numbers_(read_sequence_numbers),
        data_(ManifestContent::kData, request.removed_data_files, request.added_data_files, id,
              request.data_sequence_number),
        deletes_(ManifestContent::kDeletes, FilesOf(request.removed_delete_files),
                 added_delete_files_, id) {}

  std::string operation() const override { return "replace"; }
  Status Validate(const CommitBase& base) override;
  Result<StagedSnapshot> Stage(const CommitBase& base, CommitFiles& files) override;
  int64_t removed_delete_files() const { return removed_delete_files_; }

 private:
  Status CheckDeletesSince(const CommitBase& base, const std::vector<DataFile>& files,
                           int64_t sequence_number) const;

  const CommitContext& context_;
  const RewriteFilesRequest& request_;
  const std::span<const int64_t> read_sequence_numbers_;
  const std::vector<DataFile> added_delete_files_;  // None.
  ManifestExchange data_;
  ManifestExchange deletes_;
  int64_t removed_delete_files_ = 0;
};

Status RewriteFiles::Validate(const CommitBase& base) {
  const TableMetadata& metadata = *base.table->metadata;
  FIRN_RETURN_IF_ERROR(HistorySince(metadata, base.head, request_.starting_snapshot_id));
  const Snapshot* start = metadata.FindSnapshot(request_.starting_snapshot_id);
  FIRN_CHECK(start != nullptr);
  FIRN_RETURN_IF_ERROR(CheckRowIdsStay(base.head, *start, request_.removed_data_files));
  if (read_sequence_numbers_.empty()) {
    return CheckDeletesSince(base, request_.removed_data_files, start->sequence_number);
  }
  std::map<int64_t, std::vector<DataFile>> read;  // By number.
  for (size_t i = 0; i < request_.removed_data_files.size(); ++i)
    read[read_sequence_numbers_[i]].push_back(request_.removed_data_files[i]);
  for (const auto& [number, files] : read)
    FIRN_RETURN_IF_ERROR(CheckDeletesSince(base, files, number));
  return {};
}

Status RewriteFiles::CheckDeletesSince(const CommitBase& base, const std::vector<DataFile>& files,
                                       int64_t sequence_number) const {
  return CheckNoNewDeletes(context_, *base.table, base.manifests, files,
                           {.starting_sequence_number = sequence_number,
                            .ignores_equality_deletes = request_.data_sequence_number.has_value()});
}

Result<StagedSnapshot> RewriteFiles::Stage(const CommitBase& base, CommitFiles& files) {
  StagedSnapshot staged;
  FIRN_ASSIGN(staged.manifests, data_.Stage(context_, base, files, staged.summary));
  FIRN_ASSIGN(const std::vector<ManifestFile> deletes,
              deletes_.Stage(context_, base, files, staged.summary));
  staged.manifests.insert(staged.manifests.end(), deletes.begin(), deletes.end());
  if (staged.summary.added_records() > staged.summary.removed_records()) {
    return MakeError(ErrorCode::kInternal,
                     "a rewrite adds {} records for {} removed ones, expected at most as many",
                     staged.summary.added_records(), staged.summary.removed_records());
  }
  removed_delete_files_ = staged.summary.removed_delete_files();
  return staged;
}

}  // namespace

Result<std::unique_ptr<SnapshotOperation>> MakeRewriteFiles(const CommitContext& context,
                                                            const RewriteFilesRequest& request,
                                                            SnapshotId id) {
  FIRN_CHECK(!request.removed_data_files.empty() || request.added_data_files.empty());
  return std::make_unique<RewriteFiles>(context, request, id);
}

Result<CommitResult> CommitRewriteFiles(const CommitContext& context, const Table& planned,
                                        const RewriteFilesRequest& request) {
  return CommitRewriteFiles(context, planned, request, {});
}

Result<CommitResult> CommitRewriteFiles(const CommitContext& context, const Table& planned,
                                        const RewriteFilesRequest& request,
                                        std::span<const int64_t> read_sequence_numbers) {
  FIRN_CHECK(!request.removed_data_files.empty() || request.added_data_files.empty());
  FIRN_CHECK(read_sequence_numbers.empty() ||
             read_sequence_numbers.size() == request.removed_data_files.size());
  const SnapshotId id = NewSnapshotId(*planned.metadata, *context.random);
  RewriteFiles operation(context, request, id, read_sequence_numbers);
  Result<CommitResult> result = RunCommitLoop(context, planned, {id, request, &operation});
  if (!result.ok()) return result.error();
  result->removed_delete_files = operation.removed_delete_files();
  return result;
}

}  // namespace firn
