#include "firn/change/overwrite_rows.h"

#include <utility>

#include "firn/change/find_rows_internal.h"
#include "firn/data/read/matching_rows.h"

namespace firn {

Result<ReplaceRowsResult> OverwriteRows(const ChangeContext& context, const Table& table,
                                        RowStream rows, const OverwriteRowsRequest& request) {
  const TableMetadata& metadata = *table.metadata;
  FIRN_ASSIGN(ReplaceRowsRequest replace,
              PrepareReplacement(metadata, "delete", request.mode, request));
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
