#pragma once

#include <cstdint>

#include "firn/base/result.h"
#include "firn/io/io.h"

namespace firn {

/// Memory that a footer takes when it is parsed, for each of its bytes: names, paths and statistics
/// of every column chunk become objects.
constexpr int64_t kFooterMemoryFactor = 10;

/// Bytes of the footer of a Parquet file of `size` bytes, as its end tells; 0 if that is damaged,
/// which is for whoever parses it to say. Errors: those of the file.
Result<int64_t> ReadFooterSize(InputFile& file, int64_t size);

}  // namespace firn
