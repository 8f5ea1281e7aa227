#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firn/procedure/snapshot_arguments_internal.h"
#include "firn/procedure/table_read_internal.h"
#include "firn/procedure/where_argument_internal.h"

namespace firn {
namespace {

constexpr std::string_view kAppend = "append";

Result<const Snapshot*> FindSnapshot(const TableMetadata& metadata, SnapshotId id,
                                     std::string_view argument) {
  if (const Snapshot* snapshot = metadata.FindSnapshot(id)) return snapshot;
  return MakeError(ErrorCode::kNotFound,
                   "{} is {}, which is no snapshot of the table (it may have "
                   "expired)",
                   argument, id);
}

// The snapshots after `from` up to `to`, oldest first, that appended rows.
Result<std::vector<SnapshotId>> ListAppends(const TableMetadata& metadata, SnapshotId from,
                                            SnapshotId to) {
  FIRN_ASSIGN(const Snapshot* snapshot, FindSnapshot(metadata, to, "to_snapshot_id"));
  std::vector<SnapshotId> appends;
  // Not longer than there are snapshots, so that a cycle of parents ends as well.
  for (size_t steps = 0; steps <= metadata.snapshots.size(); ++steps) {
    if (snapshot->snapshot_id == from) {
      std::reverse(appends.begin(), appends.end());
      return appends;
    }
    if (snapshot->operation == kAppend) appends.push_back(snapshot->snapshot_id);
    const Snapshot* parent = snapshot->parent_snapshot_id
                                 ? metadata.FindSnapshot(*snapshot->parent_snapshot_id)
                                 : nullptr;
    if (parent == nullptr) break;
    snapshot = parent;
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "from_snapshot_id is {}, which is not among the ancestors of {} that are known "
                   "(snapshots between may have expired)",
                   from, to);
}

Result<TableRead> PrepareAppends(const Arguments& arguments, const TableMetadata& metadata,
                                 TableRead read) {
  for (const std::string_view other : {"snapshot_id", "as_of", "ref"}) {
    if (!arguments.Has(other)) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "from_snapshot_id and to_snapshot_id cannot be used together with {}", other);
  }
  const auto from = arguments.Integer("from_snapshot_id");
  if (!from) return MakeError(ErrorCode::kInvalidInput, "to_snapshot_id needs from_snapshot_id");
  const auto to = arguments.Has("to_snapshot_id") ? arguments.Integer("to_snapshot_id")
                                                  : metadata.current_snapshot_id;
  if (!to) return MakeError(ErrorCode::kNotFound, "the table has no snapshot");
  FIRN_ASSIGN(read.appended_by, ListAppends(metadata, *from, *to));
  read.schema = metadata.current_schema();
  return read;
}

Result<std::vector<FileScanTask>> PlanTasks(ProcedureContext& context,
                                            const TableReference& reference,
                                            const TableRead& read) {
  Session& session = *context.session;
  const auto plan = [&](SnapshotId snapshot_id) {
    return PlanAllFiles(*reference.table.io, *reference.table.metadata,
                        MakeScanOptions(read, snapshot_id), session.executor(), session.cancel());
  };
  if (!read.appended_by) {
    if (!read.snapshot_id) return std::vector<FileScanTask>();
    return plan(*read.snapshot_id);
  }
  std::vector<FileScanTask> tasks;
  for (const SnapshotId snapshot_id : *read.appended_by) {
    FIRN_ASSIGN(auto planned, plan(snapshot_id));
    for (FileScanTask& task : planned) {
      if (task.added_snapshot_id != snapshot_id) continue;
      task.deletes.clear();
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

}  // namespace

Argument ColumnsArgument(std::string_view also) {
  return {.name = "columns",
          .type = ArgumentType::kTextList,
          .help = fmt::format("Columns in this order, nested ones as a.b{}.", also),
          .default_text = "all"};
}

Argument RowFilterArgument() {
  return {.name = "where",
          .type = ArgumentType::kText,
          .help = "Read only the rows for which this SQL predicate is true."};
}

Argument LimitArgument() {
  return {.name = "limit",
          .type = ArgumentType::kInteger,
          .help = "Stop after this many rows.",
          .default_text = "all"};
}

Result<int64_t> ReadLimit(const Arguments& arguments) {
  const auto limit = arguments.Integer("limit");
  if (!limit) return int64_t{-1};
  if (*limit >= 0) return *limit;
  return MakeError(ErrorCode::kInvalidInput, "limit is {}, expected >= 0", *limit);
}

ScanOptions MakeScanOptions(const TableRead& read, SnapshotId snapshot_id) {
  ScanOptions options;
  options.snapshot_id = snapshot_id;
  options.schema = read.schema;
  options.filter = read.filter;
  options.with_metrics = true;
  return options;
}

Result<TableRead> PrepareRead(const Arguments& arguments, const TableReference& reference) {
  const TableMetadata& metadata = *reference.table.metadata;
  TableRead read;
  if (arguments.Has("from_snapshot_id") || arguments.Has("to_snapshot_id")) {
    FIRN_ASSIGN(read, PrepareAppends(arguments, metadata, std::move(read)));
    FIRN_ASSIGN(read.filter, ParseWhere(arguments, *read.schema));
    return read;
  }
  FIRN_ASSIGN(const SnapshotSelector selector, SelectSnapshot(arguments, reference));
  FIRN_ASSIGN(const ResolvedSnapshot resolved, ResolveSnapshot(metadata, selector));
  read.schema = resolved.schema;
  FIRN_ASSIGN(read.filter, ParseWhere(arguments, *read.schema));
  if (resolved.snapshot != nullptr) read.snapshot_id = resolved.snapshot->snapshot_id;
  return read;
}

Result<RowStream> OpenRows(ProcedureContext& context, const TableReference& reference,
                           const TableRead& read, SchemaPtr projection) {
  Session& session = *context.session;
  ReadOptions options;
  options.projection = std::move(projection);
  if (read.filter) {
    FIRN_ASSIGN(options.filter, Bind(read.filter, *read.schema), "where");
  }
  FIRN_ASSIGN(auto tasks, PlanTasks(context, reference, read));
  ReadContext files;
  files.io = reference.table.io;
  files.metadata = reference.table.metadata;
  files.executor = &session.executor();
  files.budget = &session.budget();
  files.cancel = session.cancel();
  files.size_warning = std::make_shared<std::once_flag>();
  return ReadTasks(files, std::move(tasks), options);
}

}  // namespace firn
