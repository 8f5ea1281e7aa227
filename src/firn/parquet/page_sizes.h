#pragma once

#include <cstdint>

#include "firn/base/result.h"
#include "firn/io/io.h"
#include "firn/parquet/footer.h"

namespace firn {

/// Bytes of the largest pages of a column chunk.
struct PageSizes {
  int64_t dictionary = 0;  ///< Decompressed.
  int64_t data = 0;        ///< Likewise.
  int64_t stored = 0;      ///< Of either kind, as it is in the file.
};

/// What a footer does not tell, and what decides how much memory reading takes: the heads of pages
/// are read, until what is left of the chunk is smaller than the largest page, or than `bytes_min`.
/// `plain_bytes` are those of all pages, decompressed. Errors: kCorrupt; those of the file.
Result<PageSizes> MeasurePages(InputFile& file, const ByteRange& chunk, int64_t plain_bytes,
                               int64_t bytes_min);

}  // namespace firn
