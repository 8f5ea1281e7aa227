#include <cstddef>
#include <cstdint>
#include <span>

#include "firn/base/check.h"
#include "firn/base/clock.h"
#include "firn/format/manifest/manifest.h"

// Any bytes as a manifest list and as a manifest of data and of deletes. What can be read can be
// written and read again with the same result.

namespace firn {
namespace {

constexpr std::string_view kInput = "memory:/f";
constexpr std::string_view kCopy = "memory:/g";

const TypePtr& PartitionFields() {
  static const TypePtr kType = Type::Struct({
      {.id = 1000, .name = "a", .type = Type::Primitive(TypeId::kInt)},
      {.id = 1001, .name = "b", .type = Type::Primitive(TypeId::kString)},
      {.id = 1002, .name = "c", .type = Type::Decimal(9, 2)},
      {.id = 1003, .name = "d", .type = Type::Primitive(TypeId::kTimestamptz)},
  });
  return kType;
}

void ReadList(FileIO& io) {
  auto manifests = ReadManifestList(io, kInput);
  if (!manifests.ok()) return;
  ManifestListOptions options{.format_version = 3, .first_row_id = 0};
  bool has_counts = true;
  for (const ManifestFile& manifest : *manifests) {
    has_counts = has_counts && manifest.added_files_count && manifest.existing_files_count &&
                 manifest.deleted_files_count && manifest.added_rows_count &&
                 manifest.existing_rows_count && manifest.deleted_rows_count;
  }
  if (!has_counts) options = {.format_version = 1};
  if (!WriteManifestList(io, kCopy, options, *manifests).ok()) return;
  const auto again = ReadManifestList(io, kCopy);
  FIRN_CHECK(again.ok() && again->size() == manifests->size());
}

void ReadEntries(FileIO& io, ManifestContent content, const ManifestReadOptions& options) {
  ManifestFile manifest{.manifest_path = std::string(kInput), .content = content};
  manifest.sequence_number = 3;
  manifest.first_row_id = 100;
  int64_t entries = 0;
  const Status status =
      ReadManifest(io, manifest, *PartitionFields(), options, [&](ManifestEntry& entry) {
        FIRN_CHECK(entry.file.partition.fields.size() == PartitionFields()->fields().size());
        ++entries;
        return Status();
      });
  FIRN_CHECK(status.ok() || !status.error().message().empty());
}

void ReadAll(std::span<const std::byte> bytes) {
  const auto io = MakeMemoryFileIO(SystemClock());
  FIRN_CHECK(WriteFile(*io, kInput, bytes).ok());
  ReadList(*io);
  const std::vector<int32_t> ids = {1, 3};
  ReadEntries(*io, ManifestContent::kData, {});
  ReadEntries(*io, ManifestContent::kData, {.metrics_field_ids = &ids, .with_deleted = false});
  ReadEntries(*io, ManifestContent::kDeletes, {.with_metrics = false});
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  firn::ReadAll({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
