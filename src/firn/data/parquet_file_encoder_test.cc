#include <arrow/io/memory.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/batch_stream.h"
#include "firn/data/budget_pool.h"
#include "firn/data/parquet_file_encoder_internal.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

// B97
TEST(ParquetEncoderTest, GivesEachTimeTypeItsUnitAndSaysWhetherItIsAnInstant) {
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

TEST(ParquetEncoderTest, IsNotTouchedAgainAfterItRanOutOfMemory) {
  const Schema schema(0, {Optional(1, "n", Primitive(TypeId::kLong)),
                          Optional(2, "s", Primitive(TypeId::kString))});
  PageCodecPool codecs;
  std::vector<StructValue> rows;
  for (int64_t i = 0; i < 40000; ++i)
    rows.push_back({{i, "text " + std::to_string(i)}});
  // Wherever the memory ends: in values, dictionaries, pages, compression or the footer.
  for (int64_t bytes = 1 << 10; bytes < 64 << 20; bytes += bytes / 4) {
    const auto pool = BudgetPool::Make(bytes);
    const ByteSink sink = [](std::span<const std::byte>) -> Status { return {}; };
    const auto writer = MakeParquetEncoder(
        {.schema = &schema, .sink = &sink, .pool = pool.get(), .codecs = &codecs}, {});
    if (!writer.ok()) continue;
    auto stream = RowStreamReader::Open(*MakeRowStream(schema.as_struct(), rows));
    ASSERT_THAT(stream, IsOk());
    Status status;
    while (status.ok()) {
      const auto batch = stream->Next();
      ASSERT_THAT(batch, IsOk());
      if (*batch == nullptr) break;
      status = (*writer)->Write(*batch);
      if (status.ok() && (*writer)->buffered_bytes() > 200000) status = (*writer)->Flush();
    }
    if (status.ok()) {
      const auto summary = (*writer)->Finish();
      if (!summary.ok()) status = summary.error();
    }
    EXPECT_TRUE(status.ok() || status.error().code() == ErrorCode::kResourceExhausted)
        << status.error().Format();
  }
}

}  // namespace
}  // namespace firn
