#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/cancel.h"
#include "firn/data/formats/data_file_internal.h"

namespace firn {

/// Called with the wanted columns of consecutive rows, of which the first is at `first_position`.
using ColumnVisitor =
    std::function<Status(int64_t first_position, int64_t rows,
                         const std::vector<std::shared_ptr<arrow::Array>>& columns)>;

/// Read a whole file (a delete file) on the calling thread.
Status VisitFileRows(const DataFileRequest& request, const CancelToken& cancel,
                     const ColumnVisitor& visit);

}  // namespace firn
