#include <cstddef>
#include <cstdint>
#include <span>

#include "firn/base/bytes.h"
#include "firn/base/check.h"
#include "firn/format/puffin/theta_sketch.h"

// Any bytes as a theta sketch: what is read is stable when it is written and read again, and adds
// nothing to itself.

namespace firn {
namespace {

void ReadWhole(std::span<const std::byte> bytes) {
  auto sketch = ThetaSketch::Parse(bytes);
  if (!sketch.ok()) return;
  const std::string text = sketch->Serialize();
  const auto again = ThetaSketch::Parse(AsBytes(text));
  FIRN_CHECK(again.ok());
  FIRN_CHECK(again->Serialize() == text);
  sketch->Merge(*again);
  FIRN_CHECK(sketch->Serialize() == text);
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  firn::ReadWhole({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
