#include "firn/change/delete_rows.h"

#include <utility>

#include "firn/change/find_rows_internal.h"

namespace firn {

Result<DeleteRowsResult> DeleteRows(const ChangeContext& context, const Table& table,
                                    const DeleteRowsRequest& request) {
  const TableMetadata& metadata = *table.metadata;
  ReplaceRowsRequest replace;
  FIRN_ASSIGN(replace.mode, ChooseWriteMode(metadata, "delete", request.mode));
  FIRN_ASSIGN(replace.isolation, ChooseIsolation(metadata, "delete"));
  FIRN_ASSIGN(replace.head, FindHead(metadata, request.branch));
  replace.SnapshotOptions::operator=(request);
  replace.condition = request.condition;
  FIRN_RETURN_IF_ERROR(FindRows(context, table, replace));
  FIRN_ASSIGN(const ReplaceRowsResult replaced, ReplaceRows(context, table, std::move(replace)));
  return DeleteRowsResult{.deleted_rows = replaced.deleted_rows,
                          .snapshot_id = replaced.snapshot_id,
                          .table = replaced.table,
                          .removed_data_files = replaced.removed_data_files,
                          .added_data_files = replaced.added_data_files,
                          .added_delete_files = replaced.added_delete_files};
}

}  // namespace firn
