#pragma once

#include "firn/base/result.h"
#include "firn/data/read/reader.h"
#include "firn/format/manifest/manifest.h"
#include "firn/io/io.h"

namespace firn {

/// Whether a file of `size` bytes can be the one that `file` was committed as. Stores that are told
/// a size tell the same again; local disks know it. Errors: kCorrupt.
Status CheckCommittedSize(const DataFile& file, int64_t size);

/// The same of an open file; where the read allows it, the error is a warning only.
Status CheckCommittedSize(const ReadContext& context, const DataFile& file, InputFile& input);

/// Likewise whether one of `rows` rows can be. Errors: kCorrupt.
Status CheckCommittedRows(const DataFile& file, int64_t rows);

}  // namespace firn
