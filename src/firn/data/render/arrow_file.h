#pragma once

#include <memory>

#include <arrow/io/interfaces.h>

#include "firn/data/render/render.h"
#include "firn/io/io.h"

/// firn's files as Arrow sees them. Errors of the files below come back through
/// `FromArrowStatus` unchanged.

namespace firn {

/// `file` for Arrow's readers. Thread-safe for `ReadAt`, as `file` is. Buffers come from `pool`,
/// which outlives them. Errors: those of `file->Size()`.
Result<std::shared_ptr<arrow::io::RandomAccessFile>> MakeArrowInput(std::shared_ptr<InputFile> file,
                                                                    arrow::MemoryPool* pool);

/// `sink` for Arrow's writers; it outlives the stream.
std::shared_ptr<arrow::io::OutputStream> MakeArrowOutput(const ByteSink& sink);

}  // namespace firn
