#include "firn/data/write/writer.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/faulty_file_io.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

std::string Bound(const Value& value, const Type& type) { return *ToBoundBytes(value, type); }

const std::string* LowerOf(const DataFile& file, int32_t id) {
  return FindInFieldMap(file.metrics.lower_bounds, id);
}
const std::string* UpperOf(const DataFile& file, int32_t id) {
  return FindInFieldMap(file.metrics.upper_bounds, id);
}

TEST(WriteDataFilesTest, TellsWhatTheFileHolds) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt)),
                  Optional(2, "name", Primitive(TypeId::kString))});
  const DataFile file = table.Write({Row({3, "b"}), Row({1, {}}), Row({2, "a"})}).file;

  EXPECT_EQ(file.record_count, 3);
  EXPECT_EQ(file.content, FileContent::kData);
  EXPECT_EQ(file.file_format, FileFormat::kParquet);
  EXPECT_EQ(file.file_size_in_bytes, table.io().Stat(file.file_path)->size);
  EXPECT_THAT(file.split_offsets, ElementsAre(4));
  EXPECT_THAT(file.metrics.value_counts, ElementsAre(Pair(1, 3), Pair(2, 3)));
  EXPECT_THAT(file.metrics.null_value_counts, ElementsAre(Pair(1, 0), Pair(2, 1)));
  EXPECT_THAT(file.metrics.nan_value_counts, IsEmpty());
  EXPECT_NE(file.metrics.stored_empty & FileMetrics::kNanValueCounts, 0U);
  EXPECT_THAT(file.metrics.column_sizes,
              ElementsAre(Pair(1, testing::Gt(0)), Pair(2, testing::Gt(0))));
  EXPECT_EQ(*LowerOf(file, 1), Bound(1, *Primitive(TypeId::kInt)));
  EXPECT_EQ(*UpperOf(file, 1), Bound(3, *Primitive(TypeId::kInt)));
  EXPECT_EQ(*LowerOf(file, 2), "a");
  EXPECT_EQ(*UpperOf(file, 2), "b");
}

TEST(WriteDataFilesTest, OfNoRowsWritesNoFile) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  const SchemaPtr schema = table.metadata().current_schema();
  const auto context = table.write_context();

  const auto files = WriteDataFiles(
      context,
      {.schema = schema, .spec = table.metadata().default_spec(), .partition = StructValue{}},
      *MakeRowStream(schema->as_struct(), {}));

  EXPECT_THAT(files, IsOkAnd(IsEmpty()));
}

// B93
TEST(WriteDataFilesTest, WritesBoundsInTheExactWidthOfEachType) {
  const UuidBytes uuid = MakeUuid(SystemRandom());
  const std::vector<std::pair<TypePtr, Value>> cases = {
      {Primitive(TypeId::kBoolean), true},
      {Primitive(TypeId::kInt), -1},
      {Primitive(TypeId::kLong), int64_t{-1}},
      {Primitive(TypeId::kFloat), 1.5F},
      {Primitive(TypeId::kDouble), 1.5},
      {Primitive(TypeId::kDate), 19000},
      {Primitive(TypeId::kTime), int64_t{1}},
      {Primitive(TypeId::kTimestamp), int64_t{1}},
      {Primitive(TypeId::kTimestamptz), int64_t{1}},
      {Primitive(TypeId::kTimestampNs), int64_t{1}},
      {Primitive(TypeId::kTimestamptzNs), int64_t{1}},
      {Primitive(TypeId::kString), "text"},
      {Primitive(TypeId::kUuid), uuid},
      {Type::Fixed(3), BinaryValue{"abc"}},
      {Primitive(TypeId::kBinary), BinaryValue{"ab"}},
      {Type::Decimal(9, 2), Int128{-100}},
      {Type::Decimal(18, 2), Int128{-100}},
      {Type::Decimal(38, 10), Int128{1} << 100}};
  std::vector<NestedField> fields;
  StructValue row;
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto id = static_cast<int32_t>(i) + 1;
    fields.push_back(Optional(id, "c" + std::to_string(id), cases[i].first));
    row.fields.push_back(cases[i].second);
  }
  RowTable table(fields);
  const DataFile file = table.Write({row}).file;

  const std::vector<size_t> widths = {1, 4, 8, 4, 8, 4, 8, 8, 8, 8, 8, 4, 16, 3, 2, 1, 1, 13};
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto id = static_cast<int32_t>(i) + 1;
    SCOPED_TRACE(FormatType(*cases[i].first));
    ASSERT_NE(LowerOf(file, id), nullptr);
    EXPECT_EQ(LowerOf(file, id)->size(), widths[i]);
    EXPECT_EQ(*LowerOf(file, id), Bound(cases[i].second, *cases[i].first));
    EXPECT_EQ(*UpperOf(file, id), *LowerOf(file, id));
  }
}

// B90
TEST(WriteDataFilesTest, LeavesNanOutOfBoundsAndCountsIt) {
  RowTable table(
      {Optional(1, "x", Primitive(TypeId::kDouble)), Optional(2, "y", Primitive(TypeId::kFloat))});
  const double nan = std::nan("");
  const float float_nan = std::nanf("");
  const DataFile a = table.Write({Row({1.0, 2.0F}), Row({nan, float_nan})}).file;
  const DataFile b = table.Write({Row({nan, float_nan}), Row({-nan, -float_nan})}).file;
  const DataFile c = table.Write({Row({-0.0, 0.0F}), Row({0.0, -0.0F})}).file;
  const DataFile d = table.Write({Row({{}, {}})}).file;
  const Type& type = *Primitive(TypeId::kDouble);

  EXPECT_THAT(a.metrics.nan_value_counts, ElementsAre(Pair(1, 1), Pair(2, 1)));
  EXPECT_EQ(*LowerOf(a, 1), Bound(1.0, type));
  EXPECT_EQ(*UpperOf(a, 1), Bound(1.0, type));
  EXPECT_THAT(b.metrics.nan_value_counts, ElementsAre(Pair(1, 2), Pair(2, 2)));
  EXPECT_THAT(b.metrics.lower_bounds, IsEmpty());
  EXPECT_EQ(*LowerOf(c, 1), Bound(-0.0, type));
  EXPECT_EQ(*UpperOf(c, 1), Bound(0.0, type));
  EXPECT_EQ(*LowerOf(c, 2), Bound(-0.0F, *Primitive(TypeId::kFloat)));
  EXPECT_THAT(d.metrics.nan_value_counts, ElementsAre(Pair(1, 0), Pair(2, 0)));
  EXPECT_THAT(d.metrics.lower_bounds, IsEmpty());
}

// B88
TEST(WriteDataFilesTest, CutsBoundsOfTextAtCodePoints) {
  const std::string bullet = "\xE2\x80\xA2";
  const std::string cut(15, 'A');
  RowTable table(
      {Optional(1, "s", Primitive(TypeId::kString)), Optional(2, "t", Primitive(TypeId::kString)),
       Optional(3, "u", Primitive(TypeId::kString)), Optional(4, "v", Primitive(TypeId::kString))});
  table.metadata().properties["write.metadata.metrics.column.t"] = "truncate(4)";
  table.metadata().properties["write.metadata.metrics.column.u"] = "full";
  table.metadata().properties["write.metadata.metrics.column.v"] = "counts";
  const std::string text = cut + bullet + "tail";
  const DataFile file = table.Write({Row({text, text, text, text})}).file;

  EXPECT_EQ(*LowerOf(file, 1), cut + bullet);
  EXPECT_EQ(*UpperOf(file, 1), cut + "\xE2\x80\xA3");
  EXPECT_EQ(*LowerOf(file, 2), "AAAA");
  EXPECT_EQ(*UpperOf(file, 2), "AAAB");
  EXPECT_EQ(*LowerOf(file, 3), text);
  EXPECT_EQ(*UpperOf(file, 3), text);
  EXPECT_EQ(LowerOf(file, 4), nullptr);
  EXPECT_EQ(*FindInFieldMap(file.metrics.value_counts, 4), 1);
}

TEST(WriteDataFilesTest, GivesNoMetricsInModeNone) {
  RowTable table(
      {Optional(1, "a", Primitive(TypeId::kInt)), Optional(2, "b", Primitive(TypeId::kInt))});
  table.metadata().properties["write.metadata.metrics.default"] = "none";
  table.metadata().properties["write.metadata.metrics.column.b"] = "counts";
  const DataFile file = table.Write({Row({1, 2})}).file;

  EXPECT_THAT(file.metrics.value_counts, ElementsAre(Pair(2, 1)));
  EXPECT_THAT(file.metrics.column_sizes, ElementsAre(Pair(2, testing::Gt(0))));
  EXPECT_THAT(file.metrics.lower_bounds, IsEmpty());
}

TEST(WriteDataFilesTest, GivesMetricsToTheFirstColumnsOnlyUnlessADefaultIsSet) {
  std::vector<NestedField> fields;
  StructValue row;
  for (int32_t id = 1; id <= 5; ++id) {
    fields.push_back(Optional(id, "c" + std::to_string(id), Primitive(TypeId::kInt)));
    row.fields.emplace_back(id);
  }
  RowTable table(fields);
  table.metadata().properties["write.metadata.metrics.max-inferred-column-defaults"] = "3";
  EXPECT_THAT(table.Write({row}).file.metrics.value_counts, testing::SizeIs(3));
  table.metadata().properties["write.metadata.metrics.default"] = "truncate(16)";
  EXPECT_THAT(table.Write({row}).file.metrics.value_counts, testing::SizeIs(5));
}

TEST(WriteDataFilesTest, CountsFieldsOfStructsAndNothingBelowListsAndMaps) {
  RowTable table({Optional(1, "s", Type::Struct({Optional(2, "x", Primitive(TypeId::kInt))})),
                  Optional(3, "l", Type::List(Optional(4, "element", Primitive(TypeId::kInt)))),
                  Optional(5, "m",
                           Type::Map(Required(6, "key", Primitive(TypeId::kString)),
                                     Optional(7, "value", Primitive(TypeId::kInt))))});
  const DataFile file =
      table.Write({Row({Value::Struct({1}), Value::List({1, 2}), {}}), Row({{}, {}, {}})}).file;

  EXPECT_THAT(file.metrics.value_counts, ElementsAre(Pair(2, 2)));
  EXPECT_THAT(file.metrics.null_value_counts, ElementsAre(Pair(2, 1)));
  EXPECT_THAT(file.metrics.lower_bounds, ElementsAre(Pair(2, testing::_)));
  EXPECT_THAT(file.metrics.column_sizes, ElementsAre(Pair(2, testing::_), Pair(4, testing::_),
                                                     Pair(6, testing::_), Pair(7, testing::_)));
}

TEST(WriteDataFilesTest, BeginsANewFileAtTheTargetSize) {
  RowTable table({Optional(1, "s", Primitive(TypeId::kString))});
  table.metadata().properties["write.parquet.compression-codec"] = "uncompressed";
  const SchemaPtr schema = table.metadata().current_schema();
  std::vector<StructValue> rows;
  for (int i = 0; i < 100000; ++i) {
    rows.push_back(Row({std::to_string(i) + std::string(90, 'x')}));
  }
  const auto context = table.write_context();

  const auto files = WriteDataFiles(context,
                                    {.schema = schema,
                                     .spec = table.metadata().default_spec(),
                                     .partition = StructValue{},
                                     .target_file_bytes = 2 << 20},
                                    *MakeRowStream(schema->as_struct(), std::move(rows)));

  ASSERT_THAT(files, IsOk());
  EXPECT_THAT(files->size(), testing::AllOf(testing::Ge(4u), testing::Le(6u)));
  int64_t count = 0;
  for (const DataFile& file : *files) {
    count += file.record_count;
    EXPECT_LT(file.file_size_in_bytes, 4 << 20);
  }
  EXPECT_EQ(count, 100000);
}

TEST(WriteDataFilesTest, BeginsANewFileAtTheTargetSizeWhereRowsAreLarge) {
  RowTable table({Optional(1, "s", Primitive(TypeId::kString))});
  const SchemaPtr schema = table.metadata().current_schema();
  const auto random = MakeSeededRandom(1);
  std::vector<StructValue> rows;
  for (int i = 0; i < 200; ++i) {
    std::string text;
    while (text.size() < 50000)
      text += FormatUuid(MakeUuid(*random));
    rows.push_back(Row({std::move(text)}));
  }
  const auto context = table.write_context();

  const auto files = WriteDataFiles(context,
                                    {.schema = schema,
                                     .spec = table.metadata().default_spec(),
                                     .partition = StructValue{},
                                     .target_file_bytes = 1 << 20},
                                    *MakeRowStream(schema->as_struct(), std::move(rows)));

  ASSERT_THAT(files, IsOk());
  EXPECT_GE(files->size(), 4u);
  for (const DataFile& file : *files)
    EXPECT_LT(file.file_size_in_bytes, 1800 << 10);
}

TEST(WriteDataFilesTest, ComputesPartitionsAndFansOut) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt)),
                  Optional(2, "ts", Primitive(TypeId::kTimestamp))});
  auto spec = std::make_shared<PartitionSpec>();
  spec->fields = {{.source_ids = {2},
                   .field_id = 1000,
                   .name = "ts_day",
                   .transform = {.kind = TransformKind::kDay}}};
  table.metadata().partition_specs = {spec};
  const SchemaPtr schema = table.metadata().current_schema();
  const int64_t day = int64_t{86400} * 1000000;
  std::vector<StructValue> rows = {Row({1, day}), Row({2, 2 * day}), Row({3, day + 5}),
                                   Row({4, {}})};
  const auto context = table.write_context();

  const auto files = WriteDataFiles(context, {.schema = schema, .spec = spec},
                                    *MakeRowStream(schema->as_struct(), std::move(rows)));

  ASSERT_THAT(files, IsOk());
  ASSERT_EQ(files->size(), 3u);
  EXPECT_EQ((*files)[0].record_count, 2);
  EXPECT_EQ((*files)[0].partition.fields[0], Value(1));
  EXPECT_THAT((*files)[0].file_path, HasSubstr("/data/ts_day=1970-01-02/"));
  EXPECT_TRUE((*files)[2].partition.fields[0].is_null());
  EXPECT_THAT((*files)[2].file_path, HasSubstr("/data/ts_day=null/"));
}

// With a file open for each partition, or with the largest closed for the next, rows that come in
// no order would make a file for nearly every row.
TEST(WriteDataFilesTest, WritesOneFileForEachOfManyPartitionsWhateverTheOrderOfRows) {
  constexpr int64_t kPartitions = 700;
  RowTable table(
      {Optional(1, "id", Primitive(TypeId::kLong)), Optional(2, "part", Primitive(TypeId::kLong))});
  PartitionSpec spec;
  spec.fields.push_back({.source_ids = {2}, .field_id = 1000, .name = "part", .transform = {}});
  table.metadata().partition_specs = {std::make_shared<const PartitionSpec>(spec)};
  std::vector<StructValue> rows;
  for (int64_t i = 0; i < 20 * kPartitions; ++i)
    rows.push_back(Row({i, i * 7919 % kPartitions}));
  const SchemaPtr schema = table.metadata().current_schema();
  const auto context = table.write_context();

  const auto files =
      WriteDataFiles(context, {.schema = schema, .spec = table.metadata().default_spec()},
                     *MakeRowStream(schema->as_struct(), std::move(rows)));

  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(files->size(), static_cast<size_t>(kPartitions));
  for (const DataFile& file : *files)
    EXPECT_EQ(file.record_count, 20);
}

TEST(WriteDataFilesTest, RefusesANullInARequiredColumn) {
  RowTable table({Required(1, "id", Primitive(TypeId::kInt))});
  const SchemaPtr schema = table.metadata().current_schema();
  const auto context = table.write_context();

  const auto files = WriteDataFiles(
      context,
      {.schema = schema, .spec = table.metadata().default_spec(), .partition = StructValue{}},
      *MakeRowStream(schema->as_struct(), {Row({{}})}));

  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().code(), ErrorCode::kInvalidInput);
  EXPECT_THAT(files.error().message(), HasSubstr("column 'id' is required but 1 rows lack"));
}

TEST(WriteDataFilesTest, DeletesWhatItWroteWhenItFails) {
  RowTable table({Optional(1, "s", Primitive(TypeId::kString))});
  const SchemaPtr schema = table.metadata().current_schema();
  auto faulty = std::make_shared<FaultyFileIO>(table.shared_io());
  faulty->Add({.operation = FileOperation::kPublish, .uri_part = "-00003.parquet"});
  WriteContext context = table.write_context();
  context.io = faulty;
  std::vector<StructValue> rows;
  for (int i = 0; i < 50000; ++i)
    rows.push_back(Row({std::to_string(i)}));

  const auto files = WriteDataFiles(context,
                                    {.schema = schema,
                                     .spec = table.metadata().default_spec(),
                                     .partition = StructValue{},
                                     .target_file_bytes = 1},
                                    *MakeRowStream(schema->as_struct(), std::move(rows)));

  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().code(), ErrorCode::kUnavailable);
  int left = 0;
  ASSERT_THAT(table.io().List("memory:/table",
                              [&](const FileInfo&) -> Status {
                                ++left;
                                return {};
                              }),
              IsOk());
  EXPECT_EQ(left, 0);
  EXPECT_EQ(table.budget().used_bytes(), 0);
}

TEST(WriteDataFilesTest, ReportsTheErrorOfTheStreamItReads) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  FileScanTask task = table.Write({Row({1})});
  task.file.file_path += ".gone";
  const ReadOptions read{.projection = table.metadata().current_schema()};
  auto stream = ReadTasks(table.read_context(), {task}, read);
  const auto context = table.write_context();

  const auto files = WriteDataFiles(context,
                                    {.schema = table.metadata().current_schema(),
                                     .spec = table.metadata().default_spec(),
                                     .partition = StructValue{}},
                                    std::move(*stream));

  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().code(), ErrorCode::kNotFound);
}

TEST(WriteDataFilesTest, EndsRowGroupsEarlyRatherThanPassTheBudget) {
  RowTable table({Optional(1, "s", Primitive(TypeId::kString))}, int64_t{48} << 20);
  table.metadata().properties["write.parquet.compression-codec"] = "uncompressed";
  const auto others = table.budget().TryReserve(int64_t{40} << 20);
  ASSERT_THAT(others, IsOk());
  std::vector<StructValue> rows;
  for (int i = 0; i < 200000; ++i) {
    rows.push_back(Row({std::to_string(i) + std::string(90, 'x')}));
  }

  const DataFile file = table.Write(std::move(rows)).file;

  EXPECT_GT(file.split_offsets.size(), 5u);
  EXPECT_EQ(file.record_count, 200000);
}

TEST(WriteDataFilesTest, RefusesSettingsItDoesNotKnow) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  const SchemaPtr schema = table.metadata().current_schema();
  table.metadata().properties["write.parquet.compression-codec"] = "lzo";
  const auto context = table.write_context();

  const auto files = WriteDataFiles(
      context,
      {.schema = schema, .spec = table.metadata().default_spec(), .partition = StructValue{}},
      *MakeRowStream(schema->as_struct(), {Row({1})}));

  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().code(), ErrorCode::kInvalidInput);
  EXPECT_THAT(
      files.error().message(),
      HasSubstr("'write.parquet.compression-codec' is 'lzo', expected one of brotli, gzip"));
}

}  // namespace
}  // namespace firn
