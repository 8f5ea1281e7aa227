#pragma once

#include <cstddef>
#include <memory>

#include "firn/base/executor.h"
#include "firn/data/arrow/batch_stream.h"

namespace firn {

/// The batches of `rows`, made by the executor up to `batches_max` ahead of the consumer, one after
/// the other; the consumer makes the next one itself where no thread has come to it.
std::unique_ptr<BatchStream> ReadAhead(Executor& executor, std::unique_ptr<BatchStream> rows,
                                       size_t batches_max);

}  // namespace firn
