#pragma once

#include <span>

#include "firn/parquet/byte_store.h"
#include "firn/parquet/flat_column.h"

namespace firn {

/// Whether `encoding` is one that ToPlain turns into PLAIN.
bool IsRewritten(ParquetEncoding encoding);

/// The values of a page of another encoding as PLAIN has them: deltas and split byte streams of the
/// types that they are made for. There are at most `count_max`. The result is in `to`, with
/// ByteStore::kSlack bytes behind it; as many can be read behind `values`.
/// Errors: kCorrupt; kUnsupported: the encoding, or more bytes than a page may have; those of
/// memory.
Result<std::span<const std::byte>> ToPlain(ParquetEncoding encoding, const FlatLeaf& leaf,
                                           std::span<const std::byte> values, size_t count_max,
                                           ByteStore& to);

}  // namespace firn
