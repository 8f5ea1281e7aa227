#pragma once

#include <functional>

#include "firn/data/read/reader.h"
#include "firn/format/types/value.h"

/// What files of partition statistics hold, as a metadata table.

namespace firn {

/// Columns: `snapshot_id`, whose file it is, and those of the file.
TypePtr PartitionStatisticsTableType(const TableMetadata& metadata);

/// The rows of the statistics of `snapshot`, or of its nearest ancestor that has some; none without
/// them, or without a snapshot. Errors: kNotFound, kCorrupt, naming the file; those of `visit`.
Status VisitPartitionStatistics(const ReadContext& context, const Snapshot* snapshot,
                                const std::function<Status(StructValue&&)>& visit);

}  // namespace firn
