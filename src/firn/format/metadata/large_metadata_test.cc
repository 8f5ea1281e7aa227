#include <fstream>
#include <string>

#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/testing/matchers.h"

// Metadata of tables that nobody ever cleaned up.

namespace firn {
namespace {

// A line of /proc/self/status in bytes; 0 where there is no such file.
int64_t ProcessStatusBytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stoll(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

std::string ManySchemas(int schemas, int columns) {
  std::string text;
  for (int schema = 0; schema < schemas; ++schema) {
    text += fmt::format(R"({}{{"type":"struct","schema-id":{},"fields":[)", schema > 0 ? "," : "",
                        schema);
    for (int column = 1; column <= columns; ++column) {
      text += fmt::format(R"({}{{"id":{},"name":"column_{}","required":false,"type":"long"}})",
                          column > 1 ? "," : "", column, column);
    }
    text += "]}";
  }
  return text;
}

std::string ManySnapshots(int snapshots, int keys) {
  std::string text;
  for (int id = 1; id <= snapshots; ++id) {
    text += fmt::format(
        R"({}{{"snapshot-id":{},"sequence-number":{},"timestamp-ms":{},"schema-id":0,)"
        R"("manifest-list":"s3://bkt/t/metadata/snap-{}.avro","summary":{{"operation":"append")",
        id > 1 ? "," : "", id, id, 1700000000000 + id, id);
    for (int key = 0; key < keys; ++key)
      text += fmt::format(R"(,"summary-key-{}":"{}")", key, id * key);
    text += "}}";
  }
  return text;
}

std::string MakeMetadata(int snapshots) {
  return fmt::format(
      R"({{"format-version":2,"table-uuid":"9c12d441-03fe-4693-9a96-a0705ddf69c1",)"
      R"("location":"s3://bkt/t","last-sequence-number":{0},"last-updated-ms":1800000000000,)"
      R"("last-column-id":300,"current-schema-id":499,"schemas":[{1}],"default-spec-id":0,)"
      R"("partition-specs":[{{"spec-id":0,"fields":[]}}],"last-partition-id":999,)"
      R"("default-sort-order-id":0,"sort-orders":[{{"order-id":0,"fields":[]}}],)"
      R"("current-snapshot-id":{0},"snapshots":[{2}]}})",
      snapshots, ManySchemas(500, 300), ManySnapshots(snapshots, 40));
}

// B130
TEST(LargeMetadataTest, TakesAtMostFourTimesTheFileInMemory) {
  const std::string text = MakeMetadata(20000);
  ASSERT_GT(text.size(), size_t{30} << 20);
  std::ofstream("/proc/self/clear_refs") << "5";  // Forget the peak so far.
  const int64_t before = ProcessStatusBytes("VmRSS");

  const auto metadata = ParseTableMetadata(AsBytes(text), "big.metadata.json");

  const int64_t peak = ProcessStatusBytes("VmHWM");
  ASSERT_THAT(metadata, IsOk());
  EXPECT_EQ(metadata->snapshots.size(), 20000U);
  EXPECT_EQ(metadata->snapshots.back().summary.size(), 40U);
  EXPECT_EQ(metadata->schemas.size(), 500U);
  EXPECT_EQ(metadata->current_schema()->fields().size(), 300U);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(peak - before, 4 * static_cast<int64_t>(text.size()));
#else
  EXPECT_GE(peak, before);  // The sanitizers' own memory counts too.
#endif
}

}  // namespace
}  // namespace firn
