#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/maintain_context.h"

namespace firn {

/// What a purge leaves where it is.
struct PurgeRemains {
  int64_t adopted_files_count = 0;  ///< Of others' folders (`firn.adopted-folders`).
  /// What other tables need as well, perhaps the same table by another name; and these tables.
  int64_t shared_files_count = 0;
  std::vector<TableName> sharing_tables;
};

/// What dropping with purge deletes: all that a table's metadata reaches, content, manifests and
/// lists of all snapshots, statistics, the version hint, and all metadata files, older ones through
/// their logs and in Hadoop layout all versions; and, unless another table is in the same folders,
/// what firn has written beside the metadata (`_firn`), with the outputs of rewrites that were not
/// committed. Each once. Lists and metadata that are not there are left out, and so is what another
/// table of the catalog in the same folders needs, and content in folders of others
/// (`firn.adopted-folders`).
/// Errors: those of reading, but what is missing is passed over.
Result<PurgeRemains> VisitReachableFiles(const MaintainContext& context, const Table& table,
                                         const std::function<Status(FileToDelete)>& visit);

struct PurgeTableResult {
  int64_t deleted_files_count = 0;
  int64_t failed_files_count = 0;
  PurgeRemains remains;
  std::optional<Error> first_failure;
};

/// Drop the table from its catalog, then delete what VisitReachableFiles tells, which is found out
/// before, and folders of the table that are empty then.
/// Errors: kInvalidInput: gc.enabled is false; those of reading and of Catalog::Drop: no file was
/// deleted.
Result<PurgeTableResult> PurgeTable(const MaintainContext& context, const Table& table);

}  // namespace firn
