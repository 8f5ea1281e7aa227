#pragma once

#include <vector>

#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/maintain_context.h"

namespace firn {

/// Ask the store for the sizes of those files of which none is known, several at a time. A file
/// that is not there is left out. Errors: those of asking.
Status LookUpSizes(const MaintainContext& context, FileIO& io, std::vector<FileToDelete>& files);

/// The metadata files that `commit_count` commits to the table delete as its property
/// `write.metadata.delete-after-commit.enabled` says.
Result<std::vector<FileToDelete>> FindMetadataToDrop(const MaintainContext& context,
                                                     const Table& table, int64_t commit_count);

}  // namespace firn
