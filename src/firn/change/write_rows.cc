#include <utility>

#include "firn/change/write_rows_internal.h"

namespace firn {

Result<std::vector<DataFile>> WriteTableRows(const ChangeContext& context, const Table& table,
                                             RowStream rows) {
  FIRN_ASSIGN(const DataWriteOptions options, TableWriteOptions(*table.metadata));
  return WriteDataFiles(context.WriteTo(table), options, std::move(rows));
}

}  // namespace firn
