#include <cstddef>
#include <cstdint>
#include <span>

#include "firn/base/check.h"
#include "firn/base/clock.h"
#include "firn/format/puffin/deletion_vector.h"
#include "firn/format/puffin/puffin.h"

// Any bytes as a Puffin file: footer, every blob, deletion vectors among them.

namespace firn {
namespace {

void ReadWhole(std::span<const std::byte> bytes) {
  const auto io = MakeMemoryFileIO(SystemClock());
  FIRN_CHECK(WriteFile(*io, "memory:/f", bytes).ok());
  auto file = *io->Open("memory:/f");
  const auto footer = ReadPuffinFooter(*file);
  if (!footer.ok()) return;
  for (const PuffinBlob& blob : footer->blobs) {
    const auto content = ReadPuffinBlob(*file, blob);
    if (content.ok()) {
      const auto positions = ParseDeletionVector(content->span());
      FIRN_CHECK(!positions.ok() || positions->cardinality() >= 0);
    }
  }
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  firn::ReadWhole({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
