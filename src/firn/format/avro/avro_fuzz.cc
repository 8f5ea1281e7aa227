#include <cstddef>
#include <cstdint>
#include <span>

#include "firn/base/check.h"
#include "firn/base/clock.h"
#include "firn/format/avro/avro_reader.h"

// Any bytes as an Avro file: header, schema, blocks; every record is skipped by its schema, and a
// schema that parses is stable when it is written and parsed again.

namespace firn {
namespace {

void ReadWhole(std::span<const std::byte> bytes) {
  const auto io = MakeMemoryFileIO(SystemClock());
  FIRN_CHECK(WriteFile(*io, "memory:/f", bytes).ok());
  auto reader = AvroReader::Open(*io->Open("memory:/f"));
  if (!reader.ok()) return;
  const std::string schema = FormatAvroSchema(*(*reader)->schema());
  const auto again = ParseAvroSchema(schema, "f");
  FIRN_CHECK(!again.ok() || FormatAvroSchema(**again) == schema);
  AvroBlock block;
  while (true) {
    const auto has_block = (*reader)->NextBlock(block);
    if (!has_block.ok() || !*has_block) return;
    AvroCursor cursor(block.bytes);
    for (int64_t i = 0; i < block.record_count && cursor.ok(); ++i) {
      cursor.Skip(*(*reader)->schema());
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
