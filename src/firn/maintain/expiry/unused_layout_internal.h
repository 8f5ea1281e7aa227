#pragma once

#include <vector>

#include "firn/maintain/maintain_context.h"

namespace firn {

/// Partition specs and schemas that a table can forget.
struct UnusedLayout {
  std::vector<int32_t> spec_ids;
  std::vector<int32_t> schema_ids;
};

/// Those that neither the table nor one of `kept` snapshots uses. A schema that the partition
/// values of a kept spec need to be read stays, and all do if a kept snapshot does not tell its
/// own. Reads manifest lists, unless there is only one spec.
Result<UnusedLayout> FindUnusedLayout(const MaintainContext& context, FileIO& io,
                                      const TableMetadata& metadata,
                                      const std::vector<const Snapshot*>& kept);

}  // namespace firn
