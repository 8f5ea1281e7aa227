#pragma once

#include "firn/data/write/writer.h"
#include "firn/maintain/copy/manifest_copy_internal.h"

namespace firn {

/// Write a position delete file, or a Puffin file of deletion vectors, to `to` with the names that
/// data files have in the copy. Errors: kCorrupt, kNotFound naming the file; kInvalidInput: a path
/// outside the prefix.
Result<CopiedDeletes> CopyDeleteFile(const WriteContext& context, const DataFile& file,
                                     const std::string& to, const PathPrefix& prefix);

}  // namespace firn
