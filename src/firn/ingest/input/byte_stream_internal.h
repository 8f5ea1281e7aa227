#pragma once

#include <memory>

#include <arrow/io/interfaces.h>

#include "firn/base/result.h"
#include "firn/ingest/input/source_files_internal.h"

namespace firn {

/// The bytes of a file from its start, taken out of gzip, zstd or bzip2 if its first bytes say that
/// it is packed so. `pool` outlives the stream. Errors: kNotFound.
Result<std::shared_ptr<arrow::io::InputStream>> OpenByteStream(FileIO& io, const SourceFile& file,
                                                               arrow::MemoryPool* pool);

}  // namespace firn
