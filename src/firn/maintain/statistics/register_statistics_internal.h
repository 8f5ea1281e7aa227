#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "firn/catalog/change_table.h"
#include "firn/maintain/maintain_context.h"

namespace firn {

/// The snapshot that statistics are asked of: `id`, or the current one; null if the table has none.
/// Errors: kNotFound.
Result<const Snapshot*> FindStatisticsSnapshot(const TableMetadata& metadata,
                                               std::optional<SnapshotId> id);

/// Commit `update`, which registers the file `path` with the snapshot `snapshot_id`. If that fails,
/// the file is deleted, unless the outcome is unknown. Errors: those of ChangeTable; kNotFound: the
/// snapshot has expired meanwhile.
Status RegisterStatistics(const MaintainContext& context, const Table& table,
                          SnapshotId snapshot_id, const std::string& path,
                          const TableUpdate& update);

/// The URI of a new file "<prefix><snapshot id>-<uuid><suffix>" beside the table's metadata.
std::string StatisticsLocation(const MaintainContext& context, const TableMetadata& metadata,
                               std::string_view prefix, SnapshotId snapshot_id,
                               std::string_view suffix);

}  // namespace firn
