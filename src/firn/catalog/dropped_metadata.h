#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/catalog/catalog.h"
#include "firn/format/metadata/table_metadata.h"

/// The housekeeping of a commit: where `write.metadata.delete-after-commit.enabled` says so, it
/// deletes metadata files that leave the table's log.

namespace firn {

/// The metadata files that the commit of `next`, made of `base`, deletes.
std::vector<std::string> FindDroppedMetadata(const TableMetadata& base, const TableMetadata& next);

/// Those that the next `commit_count` commits to the table delete, whatever else they change.
std::vector<std::string> PredictDroppedMetadata(const Table& table, int64_t commit_count);

}  // namespace firn
