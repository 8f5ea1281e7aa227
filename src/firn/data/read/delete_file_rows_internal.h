#pragma once

#include <memory>

#include "firn/data/arrow/budget_pool.h"
#include "firn/data/formats/file_rows_internal.h"
#include "firn/data/read/reader.h"

namespace firn {

/// Read a whole position or equality delete file on the calling thread and make sure that it is the
/// one that was committed: deleted rows would come back otherwise. `request` tells which columns.
/// Errors: kCorrupt: another size (see ReadContext) or another number of rows than the manifest
/// tells; those of reading and of `visit`.
Status VisitDeleteFile(const ReadContext& context, const DataFile& deletes, DataFileRequest request,
                       const ColumnVisitor& visit);

}  // namespace firn
