#include <utility>

#include "firn/change/write_rows_internal.h"

namespace firn {

Result<std::vector<DataFile>> WriteTableRows(const ChangeContext& context, const Table& table,
                                             RowStream rows) {
  const TableMetadata& metadata = *table.metadata;
  DataWriteOptions options;
  options.schema = metadata.current_schema();
  options.spec = metadata.default_spec();
  FIRN_ASSIGN(options.target_file_bytes, TargetFileBytes(metadata));
  return WriteDataFiles(context.WriteTo(table), options, std::move(rows));
}

}  // namespace firn
