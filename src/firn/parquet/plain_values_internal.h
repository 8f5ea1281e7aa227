#pragma once

#include <memory>
#include <span>

#include "firn/parquet/byte_store.h"
#include "firn/parquet/flat_column.h"
#include "firn/parquet/page_header_internal.h"

namespace firn {

/// What values are rewritten in; the second block only for texts.
struct PlainMemory {
  std::unique_ptr<ByteStore> values;
  std::unique_ptr<ByteStore> lengths;
  int64_t bytes_max = kPageBytesMax;  ///< Larger results are refused.
};

/// Whether a page may end with these bytes behind its last value: none, or the eight zeros of
/// fastparquet. Levels that the footer does not tell of would be taken for values and leave
/// others.
bool IsPagePadding(std::span<const std::byte> rest);

/// Whether `encoding` is one that ToPlain turns into PLAIN.
bool IsRewritten(ParquetEncoding encoding);

/// The values of a page of another encoding as PLAIN has them: deltas and split byte streams of the
/// types that they are made for. There are at most `count_max`. The result is in `memory`, with
/// ByteStore::kSlack bytes behind it; as many can be read behind `values`.
/// Errors: kCorrupt; kUnsupported: the encoding, or more bytes than a page may have; those of
/// memory.
Result<std::span<const std::byte>> ToPlain(ParquetEncoding encoding, const FlatLeaf& leaf,
                                           std::span<const std::byte> values, size_t count_max,
                                           PlainMemory& memory);

}  // namespace firn
