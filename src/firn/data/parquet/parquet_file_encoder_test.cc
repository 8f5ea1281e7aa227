#include <arrow/io/memory.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/parquet/parquet_file_encoder_internal.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/data/write/writer.h"
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

// Errors of columns that are encoded behind the caller's back.
TEST(ParquetEncoderTest, NamesANestedFieldThatLacksAValue) {
  RowTable table({Optional(1, "s", Type::Struct({Required(2, "x", Primitive(TypeId::kLong))})),
                  Optional(3, "n", Primitive(TypeId::kLong))});
  std::vector<StructValue> rows(1000, StructValue{{Value::Struct({int64_t{1}}), int64_t{2}}});
  rows.push_back({{Value(), int64_t{2}}});  // A struct that is null is none that lacks a field.
  const auto write = [&] {
    return WriteDataFiles(table.write_context(), *TableWriteOptions(table.metadata()),
                          *MakeRowStream(table.metadata().current_schema()->as_struct(), rows));
  };
  EXPECT_THAT(write(), IsOk());
  rows.push_back({{Value::Struct({Value()}), int64_t{2}}});
  EXPECT_THAT(write(), IsError(ErrorCode::kInvalidInput, "column 'x' is required"));
}

TEST(ParquetEncoderTest, GivesAFileUpThatCannotBeWritten) {
  const Schema schema(0, {Optional(1, "n", Primitive(TypeId::kLong))});
  const auto pool = BudgetPool::Make(int64_t{1} << 30);
  PageCodecPool codecs;
  int64_t room = 100;
  const ByteSink sink = [&room](std::span<const std::byte> bytes) -> Status {
    room -= static_cast<int64_t>(bytes.size());
    return room >= 0 ? Status() : Error(ErrorCode::kUnavailable, "the disk is gone");
  };
  const auto executor = MakeThreadPool(2);
  const auto encoder = MakeParquetEncoder({.schema = &schema,
                                           .sink = &sink,
                                           .pool = pool.get(),
                                           .executor = executor.get(),
                                           .codecs = &codecs},
                                          {});
  ASSERT_THAT(encoder, IsOk());
  std::vector<StructValue> rows;
  for (int64_t i = 0; i < 1000; ++i)
    rows.push_back({{i * i * 7919}});
  auto stream = RowStreamReader::Open(*MakeRowStream(schema.as_struct(), rows));
  EXPECT_THAT((*encoder)->Write(*stream->Next()), IsOk());
  EXPECT_GT(pool->bytes_allocated(), 0);
  EXPECT_THAT((*encoder)->Flush(), IsError(ErrorCode::kUnavailable, "the disk is gone"));
  EXPECT_EQ(pool->bytes_allocated(), 0);
  EXPECT_THAT((*encoder)->Finish(), IsError(ErrorCode::kInternal, "given up"));
}

}  // namespace
}  // namespace firn
