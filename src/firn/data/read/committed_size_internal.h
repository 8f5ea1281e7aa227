#pragma once

#include "firn/base/result.h"
#include "firn/format/manifest/manifest.h"

namespace firn {

/// Whether a file of `size` bytes can be the one that `file` was committed as. Stores that are told
/// a size tell the same again; local disks know it. Errors: kCorrupt.
Status CheckCommittedSize(const DataFile& file, int64_t size);

}  // namespace firn
