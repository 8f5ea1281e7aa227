#include "firn/io/read_plan.h"

#include <algorithm>
#include <numeric>

namespace firn {
namespace {

Status CheckRange(const ByteRange& range, int64_t file_size) {
  if (range.offset >= 0 && range.length >= 0 && range.offset <= file_size &&
      range.length <= file_size - range.offset) {
    return {};
  }
  return MakeError(ErrorCode::kCorrupt,
                   "range of {} bytes at offset {} does not lie within the {} bytes of the file",
                   range.length, range.offset, file_size);
}

}  // namespace

Result<std::vector<MergedRead>> PlanReads(std::span<const ByteRange> ranges, int64_t file_size,
                                          const CoalesceOptions& options) {
  for (const ByteRange& range : ranges)
    FIRN_RETURN_IF_ERROR(CheckRange(range, file_size));
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return ranges[i].length == 0; });
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return ranges[a].offset < ranges[b].offset; });

  std::vector<MergedRead> reads;
  for (const size_t i : order) {
    const ByteRange& range = ranges[i];
    const int64_t range_end = range.offset + range.length;
    if (!reads.empty()) {
      ByteRange& last = reads.back().range;
      const int64_t last_end = last.offset + last.length;
      const int64_t merged_length = std::max(last_end, range_end) - last.offset;
      const bool is_near = range.offset - last_end <= options.gap_max_bytes;
      const bool is_inside = range_end <= last_end;
      if (is_inside || (is_near && merged_length <= options.request_max_bytes)) {
        last.length = merged_length;
        reads.back().parts.push_back(i);
        continue;
      }
    }
    reads.push_back({.range = range, .parts = {i}});
  }
  return reads;
}

}  // namespace firn
