#include "firn/change/append_rows.h"

#include <utility>

#include "firn/change/write_rows_internal.h"

namespace firn {
namespace {

Result<CommitResult> CommitAppend(const ChangeContext& context, const Table& table,
                                  const AppendRowsRequest& request,
                                  const std::vector<DataFile>& files) {
  AppendFilesRequest append;
  append.SnapshotOptions::operator=(request);
  append.data_files = files;
  append.is_fast = request.is_fast;
  return CommitAppendFiles(context.commit, table, append);
}

Result<CommitResult> CommitOverwrite(const ChangeContext& context, const Table& table,
                                     const AppendRowsRequest& request,
                                     const std::vector<DataFile>& files) {
  ChangeFilesRequest change;
  change.SnapshotOptions::operator=(request);
  change.added_data_files = files;
  if (request.overwrite == Overwrite::kTable ||
      table.metadata->default_spec()->is_unpartitioned()) {
    change.replaces_table = true;
  } else {
    for (const DataFile& file : files)
      change.replaced_partitions.push_back({file.partition_spec_id, file.partition});
  }
  // As Java marks a dynamic overwrite.
  if (request.overwrite == Overwrite::kPartitions) {
    change.summary_properties["replace-partitions"] = "true";
  }
  return CommitChangeFiles(context.commit, table, change);
}

}  // namespace

Result<AppendRowsResult> AppendRows(const ChangeContext& context, const Table& table,
                                    RowStream rows, const AppendRowsRequest& request) {
  FIRN_ASSIGN(const std::vector<DataFile> files, WriteTableRows(context, table, std::move(rows)));
  AppendRowsResult result;
  result.snapshot_id = table.metadata->RefSnapshotId(request.branch);
  result.table = table;
  const bool empties_table = request.overwrite == Overwrite::kTable && result.snapshot_id;
  if (files.empty() && !empties_table) return result;
  const Result<CommitResult> committed = request.overwrite == Overwrite::kNothing
                                             ? CommitAppend(context, table, request, files)
                                             : CommitOverwrite(context, table, request, files);
  const bool is_unused =
      committed.ok() ? committed->is_repeat : committed.error().code() != ErrorCode::kCommitUnknown;
  if (is_unused) DiscardOutputs(*table.io, files);
  if (!committed.ok()) return committed.error();
  result.snapshot_id = committed->snapshot_id;
  result.table = committed->table;
  result.attempts = committed->attempts;
  result.is_repeat = committed->is_repeat;
  for (const DataFile& file : files) {
    if (result.is_repeat) break;
    ++result.added_files;
    result.added_rows += file.record_count;
    result.added_bytes += file.file_size_in_bytes;
  }
  return result;
}

}  // namespace firn
