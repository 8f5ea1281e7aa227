#include <cstddef>
#include <cstdint>

#include "firn/data/formats/data_file_fuzz_internal.h"

// Any bytes as an Avro data file.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  firn::ReadFuzzedFile(firn::FileFormat::kAvro, "memory:/f.avro",
                       {reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
