#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "firn/base/check.h"
#include "firn/parquet/page_header_internal.h"

// Any bytes as the header of a page. What is accepted has no negative size, and pages of the kinds
// that are written say the same when they are written and parsed again.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parsed = firn::ParsePageHeader({reinterpret_cast<const std::byte*>(data), size});
  if (!parsed.ok()) return 0;
  const firn::PageHeader& header = parsed->header;
  FIRN_CHECK(parsed->header_bytes <= size && header.compressed_size >= 0 &&
             header.uncompressed_size >= 0 && header.num_values >= 0);
  const std::string written = firn::FormatPageHeader(header);
  const auto again = firn::ParsePageHeader(firn::AsBytes(written));
  FIRN_CHECK(again.ok() && again->header_bytes == written.size());
  FIRN_CHECK(firn::FormatPageHeader(again->header) == written);
  return 0;
}
