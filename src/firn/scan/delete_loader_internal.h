#pragma once

#include <vector>

#include "firn/scan/delete_index_internal.h"
#include "firn/scan/spec_plan_internal.h"

/// Reads delete manifests into a delete index. For this module only.

namespace firn {

struct DeleteLoad {
  FileIO* io = nullptr;
  const TableMetadata* metadata = nullptr;
  const SpecPlans* specs = nullptr;
  std::vector<const ManifestFile*> manifests;
  Executor* executor = nullptr;
  CancelToken cancel;
  size_t parallel_max = 0;
};

/// Delete files in partitions that the filter excludes are left out. Errors: kCorrupt naming
/// manifest and file, kNotFound, kCancelled.
Result<DeleteIndex> LoadDeleteIndex(const DeleteLoad& load);

}  // namespace firn
