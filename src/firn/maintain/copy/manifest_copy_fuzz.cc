#include <cstddef>
#include <cstdint>
#include <span>

#include "firn/base/check.h"
#include "firn/base/clock.h"
#include "firn/format/manifest/manifest.h"
#include "firn/maintain/copy/manifest_copy_internal.h"

// Any bytes as a manifest or a manifest list of a table that moves. What is copied can be copied
// back.

namespace firn {
namespace {

constexpr const char* kInput = "memory:/f";
constexpr const char* kCopy = "memory:/g";
constexpr const char* kBack = "memory:/h";

void CopyBoth(std::span<const std::byte> bytes) {
  const auto io = MakeMemoryFileIO(SystemClock());
  FIRN_CHECK(WriteFile(*io, kInput, bytes).ok());
  const auto there = PathPrefix::Make("memory:/d", "memory:/e");
  const auto back = PathPrefix::Make("memory:/e", "memory:/d");
  FIRN_CHECK(there.ok() && back.ok());
  const auto copied = CopyManifest(*io, kInput, kCopy, *there, {});
  if (copied.ok()) {
    const auto again = CopyManifest(*io, kCopy, kBack, *back, {});
    FIRN_CHECK(again.ok());
  }
  CopiedDeleteFiles deletes;
  for (const char* path : {"memory:/d/0.parquet", "memory:/d/1.parquet", "memory:/d/2.puffin"})
    deletes[path] = {.file_size = 77, .vectors = {{4, {8, 15}}}};
  const auto with_deletes = CopyManifest(*io, kInput, kCopy, *there, deletes);
  FIRN_CHECK(with_deletes.ok() || !with_deletes.error().message().empty());
  std::map<std::string, int64_t, std::less<>> lengths;
  if (const auto manifests = ReadManifestList(*io, kInput); manifests.ok()) {
    for (const ManifestFile& manifest : *manifests)
      lengths[manifest.manifest_path] = 5;
  }
  const auto list = CopyManifestList(*io, kInput, kCopy, *there, lengths);
  FIRN_CHECK(list.ok() || !list.error().message().empty());
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  firn::CopyBoth({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
