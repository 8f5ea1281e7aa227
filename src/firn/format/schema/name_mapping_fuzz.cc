#include <cstddef>
#include <cstdint>
#include <string_view>

#include "firn/base/check.h"
#include "firn/format/schema/name_mapping.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// A mapping that is read can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto mapping = firn::ParseNameMapping(json);
  if (!mapping.ok()) return 0;
  const std::string written = firn::FormatNameMapping(*mapping);
  const auto again = firn::ParseNameMapping(written);
  FIRN_CHECK(again.ok());
  FIRN_CHECK(firn::FormatNameMapping(*again) == written);
  return 0;
}
