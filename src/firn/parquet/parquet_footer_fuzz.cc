#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "firn/base/check.h"
#include "firn/parquet/footer.h"

// Any bytes as the footer of a Parquet file, and as a whole file. What is accepted has leaves and
// chunks that fit together, and says the same when it is written and parsed again.

namespace firn {
namespace {

void CheckFooter(const FileFooter& footer) {
  const auto leaves = LeavesOf(footer.schema);
  FIRN_CHECK(leaves.ok());
  bool is_elsewhere = false;
  for (const RowGroup& group : footer.row_groups) {
    FIRN_CHECK(group.columns.size() == leaves->size() && group.num_rows >= 0);
    for (const ColumnChunk& chunk : group.columns) {
      is_elsewhere |= chunk.is_elsewhere;
      FIRN_CHECK(chunk.is_elsewhere || (chunk.num_values >= 0 && chunk.start_offset() >= 0));
    }
  }
  if (is_elsewhere) return;  // Such chunks are not written.
  const std::string written = FormatFooter(footer);
  const auto again = ParseFooter(AsBytes(written));
  FIRN_CHECK(again.ok() && FormatFooter(*again) == written);
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const auto footer = firn::ParseFooter(bytes); footer.ok()) firn::CheckFooter(*footer);
  if (const auto footer = firn::ReadFooter(bytes); footer.ok()) firn::CheckFooter(*footer);
  return 0;
}
