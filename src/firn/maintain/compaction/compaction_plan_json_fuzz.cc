#include <cstddef>
#include <cstdint>
#include <string_view>

#include "firn/base/check.h"
#include "firn/maintain/compaction/compaction_plan_json.h"

// Plans and results of groups of any text, for one table: what is read is written to a text that
// reads as the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr std::string_view kMetadata = R"({
  "format-version": 2, "table-uuid": "11111111-2222-3333-4444-555555555555",
  "location": "file:///t", "last-sequence-number": 0, "last-updated-ms": 1, "last-column-id": 2,
  "current-schema-id": 0, "schemas": [{"type": "struct", "schema-id": 0, "fields": [
    {"id": 1, "name": "id", "required": true, "type": "long"},
    {"id": 2, "name": "cat", "required": false, "type": "string"}]}],
  "default-spec-id": 0, "last-partition-id": 1000, "partition-specs": [{"spec-id": 0, "fields": [
    {"source-id": 2, "field-id": 1000, "name": "cat", "transform": "identity"}]}],
  "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto kTable = firn::ParseTableMetadata(firn::AsBytes(kMetadata), "table");
  FIRN_CHECK(kTable.ok());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto work = firn::ParseCompactionWork(text, "fuzz", *kTable); work.ok()) {
    const auto written = firn::FormatCompactionWork(*work, *kTable);
    if (written.ok()) {
      const auto again = firn::ParseCompactionWork(*written, "written", *kTable);
      FIRN_CHECK(again.ok());
      FIRN_CHECK(*firn::FormatCompactionWork(*again, *kTable) == *written);
    }
  }
  if (const auto result = firn::ParseGroupResult(text, "fuzz", *kTable); result.ok()) {
    const auto written = firn::FormatGroupResult(*result, *kTable);
    if (written.ok()) {
      FIRN_CHECK(firn::ParseGroupResult(*written, "written", *kTable).ok());
    }
  }
  return 0;
}
