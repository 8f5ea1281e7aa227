#pragma once

#include <cstdint>

/// How rows cross modules: the C stream interface of Apache Arrow, whose layout is a public ABI.
/// Declared here so that modules above `data` need no Arrow header.

#ifndef ARROW_C_DATA_INTERFACE
struct ArrowSchema;
struct ArrowArray;
#endif
#ifndef ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream;
#endif

#include <memory>

namespace firn {

/// Releases a stream, as the interface demands, and frees it.
struct RowStreamDeleter {
  void operator()(ArrowArrayStream* stream) const;
};

/// One pass over record batches; a single consumer. A failed `get_next` carries firn's error text
/// in `get_last_error`.
using RowStream = std::unique_ptr<ArrowArrayStream, RowStreamDeleter>;

}  // namespace firn
