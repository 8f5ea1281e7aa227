#include <utility>

#include "firn/change/find_rows_internal.h"
#include "firn/scan/scan.h"

namespace firn {

Status FindFiles(const ChangeContext& context, const Table& table, ReplaceRowsRequest& request) {
  if (!request.head) return {};
  const SchemaPtr schema = table.metadata->current_schema();
  ScanOptions scan;
  scan.snapshot_id = request.head;
  scan.schema = schema;
  scan.filter = request.condition;
  scan.with_metrics = true;
  const CommitContext& commit = context.commit;
  FIRN_ASSIGN(std::vector<FileScanTask> tasks,
              PlanAllFiles(*table.io, *table.metadata, scan, *commit.executor, commit.cancel));
  for (FileScanTask& task : tasks) {
    const bool is_whole =
        task.residual->kind() == ExpressionKind::kTrue ||
        AllMatchMetrics(*task.residual, *schema,
                        {.metrics = &task.file.metrics, .record_count = task.file.record_count});
    task.file.metrics = {};
    (is_whole ? request.whole_files : request.files).push_back(std::move(task));
  }
  return {};
}

Status FindRows(const ChangeContext& context, const Table& table, ReplaceRowsRequest& request) {
  FIRN_ASSIGN(const ExpressionPtr bound,
              Bind(request.condition, *table.metadata->current_schema()));
  FIRN_RETURN_IF_ERROR(FindFiles(context, table, request));
  if (request.files.empty()) return {};
  FIRN_ASSIGN(request.positions, FindPositions(context.ReadFrom(table), request.files, bound));
  return {};
}

}  // namespace firn
