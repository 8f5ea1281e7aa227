#include <string_view>
#include <unordered_set>
#include <utility>

#include "firn/commit/commit.h"
#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/concurrent_changes_internal.h"
#include "firn/commit/conflict_check_internal.h"
#include "firn/commit/manifest_exchange_internal.h"
#include "firn/commit/operations_internal.h"
#include "firn/format/puffin/delete_reference.h"

namespace firn {
namespace {

class ChangeFiles final : public SnapshotOperation {
 public:
  ChangeFiles(const CommitContext& context, SchemaPtr planned, const ChangeFilesRequest& request,
              SnapshotId id)
      : context_(context),
        planned_(std::move(planned)),
        request_(request),
        data_(ManifestContent::kData, request.removed_data_files, request.added_data_files, id),
        deletes_(ManifestContent::kDeletes, FilesOf(request.removed_delete_files),
                 request.added_delete_files, id) {
    for (ManifestExchange* exchange : {&data_, &deletes_}) {
      exchange->filter().DropPartitions(request.replaced_partitions);
      if (request.replaces_table) exchange->filter().DropAll();
    }
  }

  std::string operation() const override;
  Status Validate(const CommitBase& base) override;
  Result<StagedSnapshot> Stage(const CommitBase& base, CommitFiles& files) override;

 private:
  Result<History> HistoryOf(const CommitBase& base) const;
  Status CheckDeletes(const CommitBase& base, const History& history) const;
  const CommitContext& context_;
  const SchemaPtr planned_;
  const ChangeFilesRequest& request_;
  ManifestExchange data_;
  ManifestExchange deletes_;
};

// As Java: what only takes rows away is a delete, whichever way it does so.
std::string ChangeFiles::operation() const {
  const bool takes = !request_.removed_data_files.empty() || !request_.added_delete_files.empty() ||
                     !request_.replaced_partitions.empty() || request_.replaces_table;
  if (request_.added_data_files.empty()) return "delete";
  return takes ? "overwrite" : "append";
}

Result<History> ChangeFiles::HistoryOf(const CommitBase& base) const {
  const TableMetadata& metadata = *base.table->metadata;
  if (!request_.starting_snapshot_id) return WholeHistory(metadata, base.head);
  return HistorySince(metadata, base.head, *request_.starting_snapshot_id);
}

Status ChangeFiles::Validate(const CommitBase& base) {
  FIRN_RETURN_IF_ERROR(CheckDeletesFit(*base.table->metadata, request_.added_delete_files));
  if (!request_.starting_snapshot_id && !request_.starts_empty) return {};
  FIRN_ASSIGN(const History history, HistoryOf(base));
  if (history.empty()) return {};
  if (request_.isolation == Isolation::kSerializable) {
    FIRN_RETURN_IF_ERROR(
        CheckNoConflictingData(context_, *base.table, history, request_.condition, *planned_));
  }
  return CheckDeletes(base, history);
}

// Of rows in files that are replaced, or of which rows are deleted or updated.
Status ChangeFiles::CheckDeletes(const CommitBase& base, const History& history) const {
  int64_t starting_sequence_number = 0;
  if (request_.starting_snapshot_id) {
    const Snapshot* start = base.table->metadata->FindSnapshot(*request_.starting_snapshot_id);
    FIRN_CHECK(start != nullptr);
    starting_sequence_number = start->sequence_number;
    for (const auto* moved : {&request_.removed_data_files, &request_.updated_data_files}) {
      if (request_.added_data_files.empty()) break;
      FIRN_RETURN_IF_ERROR(CheckRowIdsStay(base.head, *start, *moved));
    }
  }
  for (const std::vector<DataFile>* files :
       {&request_.removed_data_files, &request_.updated_data_files}) {
    if (files->empty()) continue;
    FIRN_RETURN_IF_ERROR(CheckNoNewDeletes(
        context_, *base.table, base.manifests, *files,
        {.starting_sequence_number = starting_sequence_number, .ignores_equality_deletes = false}));
  }
  std::unordered_set<std::string_view> named;
  std::unordered_set<std::string_view> with_vector;
  for (const DataFile& file : request_.added_delete_files) {
    if (file.content == FileContent::kEqualityDeletes) continue;
    named.insert(ReferencedDataFile(file));
    if (file.is_deletion_vector()) with_vector.insert(ReferencedDataFile(file));
  }
  const DeletedFiles deleted =
      request_.updated_data_files.empty() ? DeletedFiles::kIgnore : DeletedFiles::kConflict;
  FIRN_RETURN_IF_ERROR(CheckDataFilesStay(context_, *base.table, history, named, deleted));
  return CheckNoNewVectors(context_, *base.table, history, with_vector);
}

Result<StagedSnapshot> ChangeFiles::Stage(const CommitBase& base, CommitFiles& files) {
  StagedSnapshot staged;
  FIRN_ASSIGN(staged.manifests, data_.Stage(context_, base, files, staged.summary));
  FIRN_ASSIGN(const std::vector<ManifestFile> deletes,
              deletes_.Stage(context_, base, files, staged.summary));
  staged.manifests.insert(staged.manifests.end(), deletes.begin(), deletes.end());
  return staged;
}

}  // namespace

Result<std::unique_ptr<SnapshotOperation>> MakeChangeFiles(const CommitContext& context,
                                                           const Table& planned,
                                                           const ChangeFilesRequest& request,
                                                           SnapshotId id) {
  for (const DataFile& file : request.added_delete_files) {
    if (file.content == FileContent::kPositionDeletes && ReferencedDataFile(file).empty()) {
      return MakeError(ErrorCode::kInternal, "delete file '{}' names no data file", file.file_path);
    }
  }
  return std::make_unique<ChangeFiles>(context, planned.metadata->current_schema(), request, id);
}

Result<CommitResult> CommitChangeFiles(const CommitContext& context, const Table& planned,
                                       const ChangeFilesRequest& request) {
  const SnapshotId id = NewSnapshotId(*planned.metadata, *context.random);
  FIRN_ASSIGN(const auto operation, MakeChangeFiles(context, planned, request, id));
  return RunCommitLoop(context, planned, {id, request, operation.get()});
}

}  // namespace firn
