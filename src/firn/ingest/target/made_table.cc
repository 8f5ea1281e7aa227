#include "firn/base/log.h"
#include "firn/ingest/target/made_table_internal.h"

namespace firn {

std::optional<Table> TakeBackMadeTable(Catalog& catalog, const Table& made) {
  const Result<Table> now = catalog.Load(made.name);
  if (!now.ok() || now->metadata->table_uuid != made.metadata->table_uuid ||
      !now->metadata->snapshots.empty()) {
    return std::nullopt;
  }
  const Status dropped = catalog.Drop(made.name, DropFiles::kDelete);
  if (!dropped.ok()) {
    Log(LogLevel::kWarning, "table '{}' stays, empty: {}", FormatTableName(made.name),
        dropped.error().Format());
    return std::nullopt;
  }
  const Status deleted = now->io->Delete(now->metadata_location);
  if (!deleted.ok() && deleted.error().code() != ErrorCode::kNotFound) {
    Log(LogLevel::kWarning, "file '{}' stays: {}", now->metadata_location,
        deleted.error().Format());
  }
  return *now;
}

}  // namespace firn
