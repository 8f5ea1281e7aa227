#include <span>

#include <fmt/format.h>

#include "firn/io/discard_files.h"
#include "firn/io/uri.h"
#include "firn/maintain/statistics/register_statistics_internal.h"

namespace firn {

Result<const Snapshot*> FindStatisticsSnapshot(const TableMetadata& metadata,
                                               std::optional<SnapshotId> id) {
  if (!id) return metadata.current_snapshot();
  if (const Snapshot* snapshot = metadata.FindSnapshot(*id)) return snapshot;
  return MakeError(ErrorCode::kNotFound,
                   "snapshot_id is {}, which is no snapshot of the table (it may have expired)",
                   *id);
}

Status RegisterStatistics(const MaintainContext& context, const Table& table,
                          SnapshotId snapshot_id, const std::string& path,
                          const TableUpdate& update) {
  const CommitContext& commit = context.commit;
  const auto plan = [&](const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
    FIRN_RETURN_IF_ERROR(FindStatisticsSnapshot(metadata, snapshot_id));
    return std::vector<TableUpdate>{update};
  };
  const auto changed = ChangeTable({.catalog = commit.catalog,
                                    .clock = commit.clock,
                                    .random = commit.random,
                                    .cancel = commit.cancel},
                                   table, plan);
  if (changed.ok()) return {};
  if (changed.error().code() != ErrorCode::kCommitUnknown) {
    DiscardFiles(*table.io, std::span(&path, 1), "statistics file");
  }
  return changed.error();
}

std::string StatisticsLocation(const MaintainContext& context, const TableMetadata& metadata,
                               std::string_view prefix, SnapshotId snapshot_id,
                               std::string_view suffix) {
  const std::string uuid = FormatUuid(MakeUuid(*context.commit.random));
  return JoinUri(metadata.MetadataLocation(),
                 fmt::format("{}{}-{}{}", prefix, snapshot_id, uuid, suffix));
}

}  // namespace firn
