#include <cstddef>
#include <cstdint>
#include <span>

#include "firn/base/check.h"
#include "firn/format/metadata/metadata_builder.h"

// Table metadata of any bytes, plain or gzip: what is read is written to a text that reads as the
// same, and bears an update.

namespace firn {
namespace {

void CheckRoundTrip(const TableMetadata& metadata) {
  const std::string text = FormatTableMetadata(metadata);
  const auto again = ParseTableMetadata(AsBytes(text), "written");
  FIRN_CHECK(again.ok());
  FIRN_CHECK(FormatTableMetadata(*again) == text);
  FIRN_CHECK(again->snapshots == metadata.snapshots);
  FIRN_CHECK(again->refs == metadata.refs);
}

void CheckUpdate(const TableMetadata& metadata) {
  MetadataBuilder builder(metadata, "previous.metadata.json");
  FIRN_CHECK(builder.RemoveSnapshotRef("main").ok());
  if (!metadata.snapshots.empty()) {
    FIRN_CHECK(builder.RemoveSnapshots({metadata.snapshots.front().snapshot_id}).ok());
  }
  const auto next = std::move(builder).Build(metadata.last_updated);
  // Properties that steer the build may hold anything.
  if (next.ok()) CheckRoundTrip(*next);
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto metadata = firn::ParseTableMetadata(std::as_bytes(std::span(data, size)), "fuzz");
  if (!metadata.ok()) return 0;
  firn::CheckRoundTrip(*metadata);
  for (const firn::Snapshot& snapshot : metadata->snapshots)
    firn::AncestorsOf(*metadata, snapshot.snapshot_id);
  firn::CheckUpdate(*metadata);
  return 0;
}
