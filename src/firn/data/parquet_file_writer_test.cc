#include <arrow/io/memory.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

// B97
TEST(ParquetFileWriterTest, GivesEachTimeTypeItsUnitAndSaysWhetherItIsAnInstant) {
  const std::vector<std::pair<TypeId, std::string>> cases = {
      {TypeId::kTimestamp, "isAdjustedToUTC=false, timeUnit=microseconds"},
      {TypeId::kTimestamptz, "isAdjustedToUTC=true, timeUnit=microseconds"},
      {TypeId::kTimestampNs, "isAdjustedToUTC=false, timeUnit=nanoseconds"},
      {TypeId::kTimestamptzNs, "isAdjustedToUTC=true, timeUnit=nanoseconds"},
      {TypeId::kTime, "isAdjustedToUTC=false, timeUnit=microseconds"}};
  std::vector<NestedField> fields;
  StructValue row;
  for (const auto& [type, layout] : cases) {
    const auto id = static_cast<int32_t>(fields.size()) + 1;
    fields.push_back(Optional(id, "c" + std::to_string(id), Primitive(type)));
    row.fields.emplace_back(int64_t{1});
  }
  RowTable table(fields);
  const DataFile written = table.Write({row}).file;
  const auto bytes = ReadFile(table.io(), written.file_path);
  ASSERT_THAT(bytes, IsOk());

  const auto file = parquet::ParquetFileReader::Open(
      arrow::io::BufferReader::FromString(std::string(bytes->view())));
  const parquet::SchemaDescriptor& columns = *file->metadata()->schema();
  ASSERT_EQ(columns.num_columns(), std::ssize(cases));
  for (int i = 0; i < columns.num_columns(); ++i) {
    EXPECT_THAT(columns.Column(i)->logical_type()->ToString(),
                testing::HasSubstr(cases[static_cast<size_t>(i)].second));
    EXPECT_EQ(columns.Column(i)->schema_node()->field_id(), i + 1);
  }
}

}  // namespace
}  // namespace firn
