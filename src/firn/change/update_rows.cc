#include "firn/change/update_rows.h"

#include <utility>

#include "firn/change/assigned_columns_internal.h"
#include "firn/change/find_rows_internal.h"
#include "firn/change/updated_rows_internal.h"

namespace firn {
namespace {

// The rows that change, as they are, with their lineage.
Result<RowStream> ReadOldRows(const ChangeContext& context, const Table& table,
                              const ReplaceRowsRequest& replace) {
  ReadOptions options;
  options.projection = SchemaWithLineage(*table.metadata);
  options.is_ordered = true;
  FIRN_ASSIGN(options.filter, Bind(replace.condition, *table.metadata->current_schema()));
  std::vector<FileScanTask> tasks = replace.whole_files;
  for (const FileScanTask& task : replace.files) {
    if (replace.positions.contains(task.file.file_path)) tasks.push_back(task);
  }
  return ReadTasks(context.ReadFrom(table), std::move(tasks), options);
}

}  // namespace

Result<ReplaceRowsResult> UpdateRows(const ChangeContext& context, const Table& table,
                                     const UpdateRowsRequest& request) {
  const TableMetadata& metadata = *table.metadata;
  const SchemaPtr schema = metadata.current_schema();
  FIRN_ASSIGN(auto assigned, FindAssigned(*schema, request.assignments));
  FIRN_ASSIGN(ReplaceRowsRequest replace,
              PrepareReplacement(metadata, "update", request.mode, request));
  replace.condition = request.condition;
  replace.has_lineage = true;
  replace.is_update = true;
  // First, so that a wrong expression is told before, and whatever, the table is read.
  FIRN_ASSIGN(RowExpressions expressions, PrepareAssigned(context, *schema, assigned));
  FIRN_RETURN_IF_ERROR(FindRows(context, table, replace));
  FIRN_ASSIGN(RowStream old_rows, ReadOldRows(context, table, replace));
  FIRN_ASSIGN(replace.rows, SetColumns(context, metadata, std::move(old_rows), std::move(assigned),
                                       std::move(expressions)));
  return ReplaceRows(context, table, std::move(replace));
}

}  // namespace firn
