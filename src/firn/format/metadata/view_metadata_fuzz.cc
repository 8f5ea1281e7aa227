#include <cstddef>
#include <cstdint>
#include <span>

#include "firn/base/check.h"
#include "firn/format/metadata/view_metadata.h"

// View metadata of any bytes, plain or gzip: what is read is written to a text that reads as the
// same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto view = firn::ParseViewMetadata(std::as_bytes(std::span(data, size)), "fuzz");
  if (!view.ok()) return 0;
  const std::string text = firn::FormatViewMetadata(*view);
  const auto again = firn::ParseViewMetadata(firn::AsBytes(text), "written");
  FIRN_CHECK(again.ok());
  FIRN_CHECK(again->versions == view->versions);
  FIRN_CHECK(firn::FormatViewMetadata(*again) == text);
  return 0;
}
