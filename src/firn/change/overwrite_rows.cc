#include "firn/change/overwrite_rows.h"

#include <utility>

#include "firn/change/find_rows_internal.h"
#include "firn/data/read/matching_rows.h"

namespace firn {

Result<ReplaceRowsResult> OverwriteRows(const ChangeContext& context, const Table& table,
                                        RowStream rows, const OverwriteRowsRequest& request) {
  const TableMetadata& metadata = *table.metadata;
  ReplaceRowsRequest replace;
  FIRN_ASSIGN(replace.mode, ChooseWriteMode(metadata, "delete", request.mode));
  FIRN_ASSIGN(replace.isolation, ChooseIsolation(metadata, "delete"));
  FIRN_ASSIGN(replace.head, FindHead(metadata, request.branch));
  replace.SnapshotOptions::operator=(request);
  replace.condition = request.condition;
  FIRN_RETURN_IF_ERROR(FindRows(context, table, replace));
  replace.rows = std::move(rows);
  if (request.rows_must_match) {
    FIRN_ASSIGN(replace.rows, RequireMatch(std::move(replace.rows), request.condition,
                                           *metadata.current_schema(), *context.budget));
  }
  return ReplaceRows(context, table, std::move(replace));
}

}  // namespace firn
