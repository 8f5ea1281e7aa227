#include "firn/change/append_rows.h"

#include <utility>

namespace firn {
namespace {

Result<std::vector<DataFile>> WriteRows(const ChangeContext& context, const Table& table,
                                        RowStream rows) {
  const TableMetadata& metadata = *table.metadata;
  FIRN_ASSIGN(const int64_t target_bytes, TargetFileBytes(metadata));
  const DataWriteOptions options{.schema = metadata.current_schema(),
                                 .spec = metadata.default_spec(),
                                 .partition = std::nullopt,
                                 .target_file_bytes = target_bytes,
                                 .sort_order_id = std::nullopt};
  return WriteDataFiles(context.WriteTo(table), options, std::move(rows));
}

std::optional<SnapshotId> HeadOf(const TableMetadata& metadata, const std::string& branch) {
  const auto ref = metadata.refs.find(branch);
  if (ref == metadata.refs.end()) return std::nullopt;
  return ref->second.snapshot_id;
}

}  // namespace

Result<AppendRowsResult> AppendRows(const ChangeContext& context, const Table& table,
                                    RowStream rows, const AppendRowsRequest& request) {
  AppendFilesRequest append{.branch = request.branch,
                            .data_files = {},
                            .is_fast = request.is_fast,
                            .summary_properties = request.summary_properties,
                            .idempotency_key = request.idempotency_key};
  FIRN_ASSIGN(append.data_files, WriteRows(context, table, std::move(rows)));
  AppendRowsResult result;
  if (append.data_files.empty()) {
    result.snapshot_id = HeadOf(*table.metadata, request.branch);
    result.table = table;
    return result;
  }
  for (const DataFile& file : append.data_files) {
    ++result.added_files;
    result.added_rows += file.record_count;
    result.added_bytes += file.file_size_in_bytes;
  }
  Result<CommitResult> committed = CommitAppendFiles(context.commit, table, append);
  if (!committed.ok()) {
    if (committed.error().code() != ErrorCode::kCommitUnknown) {
      DiscardOutputs(*table.io, append.data_files);
    }
    return committed.error();
  }
  if (committed->is_repeat) {
    DiscardOutputs(*table.io, append.data_files);
    result.added_files = result.added_rows = result.added_bytes = 0;
  }
  result.snapshot_id = committed->snapshot_id;
  result.table = std::move(committed->table);
  result.attempts = committed->attempts;
  result.is_repeat = committed->is_repeat;
  return result;
}

}  // namespace firn
