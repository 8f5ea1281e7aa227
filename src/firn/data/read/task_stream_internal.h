#pragma once

#include <memory>
#include <vector>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/read/reader.h"

namespace firn {

/// The rows of `tasks`, read in parallel on the executor with bounded look-ahead.
Result<std::unique_ptr<BatchStream>> MakeTaskStream(const ReadContext& context,
                                                    std::vector<FileScanTask> tasks,
                                                    const ReadOptions& options);

}  // namespace firn
