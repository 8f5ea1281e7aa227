#include <cstddef>
#include <cstdint>
#include <string_view>

#include "firn/procedure/procedure.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)firn::ParseCall(text, firn::Timestamp());
  return 0;
}
