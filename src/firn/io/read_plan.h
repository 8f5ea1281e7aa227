#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/base/result.h"
#include "firn/io/io.h"

/// How the ranges of `ReadRanges` become requests.

namespace firn {

struct CoalesceOptions {
  /// Ranges this near to each other, in bytes, share a request and the gap is read in vain. What a
  /// request costs against a byte decides: little on disk, much on an object store.
  int64_t gap_max_bytes = 64 * 1024;
  /// A request grows no larger by merging; a larger single range stays one request.
  int64_t request_max_bytes = 8 * 1024 * 1024;
};

/// One request and the ranges that it serves, as indices.
struct MergedRead {
  ByteRange range;
  std::vector<size_t> parts;
};

/// Merge near and overlapping ranges; empty ones need no request. Requests are sorted by offset.
/// Errors  kCorrupt: a range is negative or ends beyond `file_size`.
Result<std::vector<MergedRead>> PlanReads(std::span<const ByteRange> ranges, int64_t file_size,
                                          const CoalesceOptions& options = {});

}  // namespace firn
