#pragma once

#include <functional>

#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/maintain_context.h"

namespace firn {

/// What dropping with purge deletes: all that a table's metadata reaches, content, manifests and
/// lists of all snapshots, statistics, the version hint, and all metadata files, older ones through
/// their logs and in Hadoop layout all versions. Each once. Lists and metadata that are not there
/// are left out, and so is what another table of the catalog in the same folders needs, and content
/// in folders of others (`firn.adopted-folders`).
/// Errors: those of reading, but what is missing is passed over.
Status VisitReachableFiles(const MaintainContext& context, const Table& table,
                           const std::function<Status(FileToDelete)>& visit);

struct PurgeTableResult {
  int64_t deleted_files_count = 0;
  int64_t failed_files_count = 0;
  int64_t left_files_count = 0;  ///< Of others' folders (`firn.adopted-folders`).
  std::optional<Error> first_failure;
};

/// Drop the table from its catalog, then delete what VisitReachableFiles tells, which is found out
/// before.
/// Errors: kInvalidInput: gc.enabled is false; those of reading and of Catalog::Drop: no file was
/// deleted.
Result<PurgeTableResult> PurgeTable(const MaintainContext& context, const Table& table);

}  // namespace firn
