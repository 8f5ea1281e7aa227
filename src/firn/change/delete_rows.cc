#include "firn/change/delete_rows.h"

#include <utility>

#include "firn/change/find_rows_internal.h"

namespace firn {

Result<ReplaceRowsResult> DeleteRows(const ChangeContext& context, const Table& table,
                                     const DeleteRowsRequest& request) {
  FIRN_ASSIGN(ReplaceRowsRequest replace,
              PrepareReplacement(*table.metadata, "delete", request.mode, request));
  replace.condition = request.condition;
  FIRN_RETURN_IF_ERROR(FindRows(context, table, replace));
  return ReplaceRows(context, table, std::move(replace));
}

}  // namespace firn
