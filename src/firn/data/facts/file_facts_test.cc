#include "firn/data/facts/file_facts.h"

#include <arrow/io/memory.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/schema.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using parquet::ConvertedType;
using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::PrimitiveNode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using ColumnsWriter = std::function<void(parquet::RowGroupWriter&)>;

std::string MakeParquet(const std::vector<NodePtr>& fields, const ColumnsWriter& write,
                        int row_groups = 1, bool has_statistics = true) {
  const auto sink = *arrow::io::BufferOutputStream::Create();
  const auto root =
      std::static_pointer_cast<GroupNode>(GroupNode::Make("schema", Repetition::REQUIRED, fields));
  parquet::WriterProperties::Builder properties;
  if (!has_statistics) properties.disable_statistics();
  const auto writer = parquet::ParquetFileWriter::Open(sink, root, properties.build());
  for (int i = 0; i < row_groups; ++i)
    write(*writer->AppendRowGroup());
  writer->Close();
  return (*sink->Finish())->ToString();
}

template <typename Writer, typename T>
void WriteColumn(parquet::RowGroupWriter& group, const std::vector<int16_t>& definitions,
                 const std::vector<T>& values) {
  auto& writer = static_cast<Writer&>(*group.NextColumn());
  writer.WriteBatch(static_cast<int64_t>(definitions.size()), definitions.data(), nullptr,
                    values.data());
  writer.Close();
}

void WriteTexts(parquet::RowGroupWriter& group, const std::vector<std::string>& texts) {
  std::vector<parquet::ByteArray> values;
  for (const std::string& text : texts)
    values.emplace_back(text);
  WriteColumn<parquet::ByteArrayWriter>(group, std::vector<int16_t>(texts.size(), 1), values);
}

NodePtr Int(const std::string& name, int id = -1) {
  return PrimitiveNode::Make(name, Repetition::OPTIONAL, parquet::Type::INT32, ConvertedType::NONE,
                             -1, -1, -1, id);
}
NodePtr Text(const std::string& name, int id = -1) {
  return PrimitiveNode::Make(name, Repetition::OPTIONAL, LogicalType::String(),
                             parquet::Type::BYTE_ARRAY, -1, id);
}
NodePtr Time(const std::string& name, LogicalType::TimeUnit::unit unit, bool is_utc) {
  return PrimitiveNode::Make(name, Repetition::OPTIONAL, LogicalType::Timestamp(is_utc, unit),
                             parquet::Type::INT64);
}

class FileFactsTest : public testing::Test {
 protected:
  Result<FileFacts> Read(RowTable& table, const std::string& bytes, bool reads_rows = false,
                         bool is_adoption = false) {
    const FileScanTask task = table.AddFile("f.parquet", bytes);
    const NameMapping names = MakeNameMapping(*table.metadata().current_schema());
    return ReadFileFacts(table.read_context(), {.path = task.file.file_path,
                                                .schema = table.metadata().current_schema(),
                                                .names = &names,
                                                .reads_rows = reads_rows,
                                                .is_adoption = is_adoption});
  }
  // Of a file that is to become the table's.
  std::vector<std::string> Differences(RowTable& table, const std::string& bytes) {
    const Result<FileFacts> facts = Read(table, bytes, false, true);
    EXPECT_THAT(facts, IsOk());
    return facts.ok() ? facts->differences : std::vector<std::string>();
  }
};

Value BoundOf(const FieldMap<std::string>& bounds, int32_t id, TypeId type) {
  const std::string* bytes = FindInFieldMap(bounds, id);
  return bytes == nullptr ? Value() : FromBoundBytes(AsBytes(*bytes), *Primitive(type));
}

// B99
TEST_F(FileFactsTest, MetricsOfAFileWithoutIdsBelongToTheColumnsOfTheSameNames) {
  RowTable table({Optional(1, "name", Primitive(TypeId::kString)),
                  Optional(2, "age", Primitive(TypeId::kInt))});
  const std::string bytes =
      MakeParquet({Int("age"), Text("name"), Int("extra")}, [](parquet::RowGroupWriter& group) {
        WriteColumn<parquet::Int32Writer>(group, {1, 1, 0}, std::vector<int32_t>{40, 20});
        WriteTexts(group, {"x", "y", "z"});
        WriteColumn<parquet::Int32Writer>(group, {1, 1, 1}, std::vector<int32_t>{7, 8, 9});
      });
  const Result<FileFacts> facts = Read(table, bytes);
  ASSERT_THAT(facts, IsOk());
  EXPECT_EQ(facts->record_count, 3);
  EXPECT_FALSE(facts->has_field_ids);
  EXPECT_THAT(facts->differences, IsEmpty());
  EXPECT_THAT(facts->unknown_columns, ElementsAre("extra"));
  EXPECT_EQ(BoundOf(facts->metrics.lower_bounds, 2, TypeId::kInt), Value(20));
  EXPECT_EQ(BoundOf(facts->metrics.upper_bounds, 2, TypeId::kInt), Value(40));
  EXPECT_EQ(BoundOf(facts->metrics.upper_bounds, 1, TypeId::kString), Value(std::string("z")));
  EXPECT_THAT(facts->metrics.null_value_counts,
              ElementsAre(std::pair(1, int64_t{0}), std::pair(2, int64_t{1})));
  EXPECT_THAT(facts->metrics.nan_value_counts, IsEmpty());
  EXPECT_EQ(facts->metrics.column_sizes.size(), 2U);
  EXPECT_EQ(facts->split_offsets, std::vector<int64_t>{4});
}

TEST_F(FileFactsTest, MetricsOfTheFooterAreThoseThatTheRowsHave) {
  RowTable table({Optional(1, "name", Primitive(TypeId::kString)),
                  Optional(2, "age", Primitive(TypeId::kLong))});
  const auto write = [](parquet::RowGroupWriter& group) {
    WriteTexts(group, {"a text that is longer than the bounds of sixteen", "y", "z"});
    WriteColumn<parquet::Int32Writer>(group, {1, 1, 0}, std::vector<int32_t>{-40, 20});
  };
  const std::string bytes = MakeParquet({Text("name", 1), Int("age", 2)}, write, 3);
  const Result<FileFacts> footer = Read(table, bytes);
  const Result<FileFacts> rows = Read(table, bytes, true);
  ASSERT_THAT(footer, IsOk());
  ASSERT_THAT(rows, IsOk());
  EXPECT_TRUE(footer->has_field_ids);
  EXPECT_EQ(footer->split_offsets.size(), 3U);
  EXPECT_EQ(footer->metrics.lower_bounds, rows->metrics.lower_bounds);
  EXPECT_EQ(footer->metrics.upper_bounds, rows->metrics.upper_bounds);
  EXPECT_EQ(footer->metrics.value_counts, rows->metrics.value_counts);
  EXPECT_EQ(footer->metrics.null_value_counts, rows->metrics.null_value_counts);
  EXPECT_EQ(footer->metrics.column_sizes, rows->metrics.column_sizes);
  EXPECT_EQ(FindInFieldMap(footer->metrics.lower_bounds, 2)->size(), 8U);  // Of the table's type.
}

TEST_F(FileFactsTest, ATextWithoutStatisticsHasNoBoundsUnlessTheRowsAreRead) {
  RowTable table({Optional(1, "name", Primitive(TypeId::kString))});
  const std::string bytes = MakeParquet(
      {Text("name", 1)}, [](parquet::RowGroupWriter& group) { WriteTexts(group, {"a", "b"}); }, 1,
      false);
  const Result<FileFacts> footer = Read(table, bytes);
  ASSERT_THAT(footer, IsOk());
  EXPECT_THAT(footer->metrics.lower_bounds, IsEmpty());
  EXPECT_THAT(footer->metrics.null_value_counts, IsEmpty());
  const Result<FileFacts> rows = Read(table, bytes, true);
  ASSERT_THAT(rows, IsOk());
  EXPECT_EQ(BoundOf(rows->metrics.upper_bounds, 1, TypeId::kString), Value(std::string("b")));
}

TEST_F(FileFactsTest, RangesOfRowsThatWereReadAreWholeWhateverTheMetricsKeep) {
  RowTable table({Optional(1, "short", Primitive(TypeId::kString)),
                  Optional(2, "long", Primitive(TypeId::kString))});
  const std::string text = "a text that is longer than the bounds of sixteen";
  const std::string large(70'000, 'x');
  const std::string bytes =
      MakeParquet({Text("short", 1), Text("long", 2)}, [&](parquet::RowGroupWriter& group) {
        WriteTexts(group, {text, "y", "z"});
        WriteTexts(group, {large, "y", "z"});
      });
  const Result<FileFacts> facts = Read(table, bytes, true);
  ASSERT_THAT(facts, IsOk());
  EXPECT_EQ(facts->ranges.at(1).lower, Value(text));
  EXPECT_EQ(BoundOf(facts->metrics.lower_bounds, 1, TypeId::kString), Value(text.substr(0, 16)));
  // Of what is kept in part only no more is known than the part.
  EXPECT_TRUE(facts->ranges.at(2).lower.is_null());
  EXPECT_EQ(facts->ranges.at(2).upper, Value(std::string("z")));
}

TEST_F(FileFactsTest, TimesOfOtherUnitsHaveBoundsInThatOfTheTable) {
  RowTable table({Optional(1, "ts", Primitive(TypeId::kTimestamp))});
  const std::string bytes = MakeParquet(
      {Time("ts", LogicalType::TimeUnit::MILLIS, false)}, [](parquet::RowGroupWriter& group) {
        WriteColumn<parquet::Int64Writer>(group, {1, 1}, std::vector<int64_t>{-5, 7});
      });
  const Result<FileFacts> facts = Read(table, bytes);
  ASSERT_THAT(facts, IsOk());
  EXPECT_THAT(facts->differences, IsEmpty());
  EXPECT_EQ(BoundOf(facts->metrics.lower_bounds, 1, TypeId::kTimestamp), Value(int64_t{-5000}));
  EXPECT_EQ(BoundOf(facts->metrics.upper_bounds, 1, TypeId::kTimestamp), Value(int64_t{7000}));
}

// B97
TEST_F(FileFactsTest, TellsAllThatDoesNotFitTheTable) {
  RowTable table({Required(1, "id", Primitive(TypeId::kInt)),
                  Optional(2, "name", Primitive(TypeId::kLong)),
                  Optional(3, "ts", Primitive(TypeId::kTimestamp)),
                  Optional(4, "at", Primitive(TypeId::kTimestamp)),
                  Required(5, "missing", Primitive(TypeId::kInt)),
                  Optional(6, "lower", Primitive(TypeId::kInt))});
  const std::string bytes =
      MakeParquet({Int("id"), Text("name"), Time("ts", LogicalType::TimeUnit::NANOS, false),
                   Time("at", LogicalType::TimeUnit::MICROS, true), Int("LOWER")},
                  [](parquet::RowGroupWriter& group) {
                    WriteColumn<parquet::Int32Writer>(group, {0}, std::vector<int32_t>{});
                    WriteTexts(group, {"x"});
                    WriteColumn<parquet::Int64Writer>(group, {1}, std::vector<int64_t>{1});
                    WriteColumn<parquet::Int64Writer>(group, {1}, std::vector<int64_t>{1});
                    WriteColumn<parquet::Int32Writer>(group, {1}, std::vector<int32_t>{1});
                  });
  const Result<FileFacts> facts = Read(table, bytes);
  ASSERT_THAT(facts, IsOk());
  EXPECT_THAT(facts->differences,
              ElementsAre(HasSubstr("'name' is string in the file and long in the table"),
                          HasSubstr("'ts' has nanoseconds in the file"),
                          HasSubstr("'at' is an instant"), HasSubstr("'missing' is required"),
                          HasSubstr("'lower' is called 'LOWER' in the file"),
                          HasSubstr("'id' is required, and the file has 1 nulls")));
}

NodePtr Plain(const std::string& name, parquet::Type::type type,
              std::shared_ptr<const LogicalType> logical = LogicalType::None()) {
  return PrimitiveNode::Make(name, Repetition::OPTIONAL, std::move(logical), type);
}

TEST_F(FileFactsTest, BytesBecomeTextOnlyIfTheyAreSome) {
  RowTable table({Optional(1, "name", Primitive(TypeId::kString))});
  const auto file = [](const std::string& value) {
    return MakeParquet({Plain("name", parquet::Type::BYTE_ARRAY)},
                       [&](parquet::RowGroupWriter& group) { WriteTexts(group, {"x", value}); });
  };
  EXPECT_THAT(Differences(table, file("\u00e4")), IsEmpty());
  EXPECT_THAT(Differences(table, file("\xff")),
              ElementsAre("column 'name' is binary in the file, with bytes that are no text "
                          "(UTF-8), and string in the table"));
}

TEST_F(FileFactsTest, WhatOtherReadersMayTakeForSomethingElseIsNotTakenOver) {
  RowTable table({Optional(1, "at", Primitive(TypeId::kTime)),
                  Optional(2, "ts", Primitive(TypeId::kTimestamp)),
                  Optional(3, "day", Primitive(TypeId::kDate)),
                  Optional(4, "id", Primitive(TypeId::kUuid)),
                  Optional(5, "fine", Primitive(TypeId::kTimestamp))});
  const std::string bytes = MakeParquet(
      {Plain("at", parquet::Type::INT64, LogicalType::Time(false, LogicalType::TimeUnit::NANOS)),
       Plain("ts", parquet::Type::INT64), Int("day"), Text("id"),
       Time("fine", LogicalType::TimeUnit::MILLIS, false)},
      [](parquet::RowGroupWriter& group) {
        WriteColumn<parquet::Int64Writer>(group, {1}, std::vector<int64_t>{1});
        WriteColumn<parquet::Int64Writer>(group, {1}, std::vector<int64_t>{1});
        WriteColumn<parquet::Int32Writer>(group, {1}, std::vector<int32_t>{1});
        WriteTexts(group, {"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"});
        WriteColumn<parquet::Int64Writer>(group, {1}, std::vector<int64_t>{1});
      });
  EXPECT_THAT(Differences(table, bytes),
              ElementsAre("column 'at' has nanoseconds in the file, which time of the table would "
                          "cut off",
                          "column 'ts' is a plain number (int64) in the file, without unit, and "
                          "timestamp in the table",
                          "column 'day' is a plain number (int32) in the file, without unit, and "
                          "date in the table",
                          "column 'id' is string in the file and uuid in the table"));
  const Result<FileFacts> as_it_is = Read(table, bytes);
  ASSERT_THAT(as_it_is, IsOk());
  EXPECT_THAT(as_it_is->differences, IsEmpty());
}

TEST_F(FileFactsTest, AColumnThatIsThereTwiceIsADifference) {
  RowTable table({Optional(1, "a", Primitive(TypeId::kInt))});
  const std::string bytes = MakeParquet({Int("a"), Int("a")}, [](parquet::RowGroupWriter& group) {
    WriteColumn<parquet::Int32Writer>(group, {1}, std::vector<int32_t>{1});
    WriteColumn<parquet::Int32Writer>(group, {1}, std::vector<int32_t>{2});
  });
  EXPECT_THAT(Differences(table, bytes),
              ElementsAre("column 'a' is 2 times in the file, and nobody knows which is meant"));
}

TEST_F(FileFactsTest, NullsOfARequiredColumnAreFoundWithoutStatistics) {
  RowTable table({Required(1, "id", Primitive(TypeId::kInt))});
  const auto file = [](std::vector<int16_t> definitions) {
    return MakeParquet(
        {Int("id")},
        [definitions](parquet::RowGroupWriter& group) {
          WriteColumn<parquet::Int32Writer>(group, definitions, std::vector<int32_t>{1, 2});
        },
        2, false);
  };
  EXPECT_THAT(Differences(table, file({1, 1})), IsEmpty());
  EXPECT_THAT(Differences(table, file({1, 0, 1})),
              ElementsAre("column 'id' is required, and the file has 2 nulls"));
}

TEST_F(FileFactsTest, IdsOfAnotherTableAreADifference) {
  RowTable table(
      {Optional(1, "a", Primitive(TypeId::kInt)), Optional(2, "b", Primitive(TypeId::kInt))});
  const std::string bytes =
      MakeParquet({Int("b", 1), Int("a", 2)}, [](parquet::RowGroupWriter& group) {
        WriteColumn<parquet::Int32Writer>(group, {1}, std::vector<int32_t>{1});
        WriteColumn<parquet::Int32Writer>(group, {1}, std::vector<int32_t>{2});
      });
  const Result<FileFacts> facts = Read(table, bytes);
  ASSERT_THAT(facts, IsOk());
  EXPECT_THAT(facts->differences,
              ElementsAre("column 'a' has the field id 1, which is column 'b' of the file",
                          "column 'b' has the field id 2, which is column 'a' of the file"));
}

TEST_F(FileFactsTest, ReadsThePartitionOfAFileFromItsValues) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  PartitionSpec spec{.spec_id = 1,
                     .fields = {{.source_ids = {1},
                                 .field_id = 1000,
                                 .name = "id_bucket",
                                 .transform = *ParseTransform("bucket[4]")}}};
  const auto write = [](std::vector<int32_t> values) {
    return MakeParquet({Int("id", 1)}, [values](parquet::RowGroupWriter& group) {
      WriteColumn<parquet::Int32Writer>(group, std::vector<int16_t>(values.size(), 1), values);
    });
  };
  const DataFile one = table.AddFile("one.parquet", write({1, 1, 1})).file;
  const Result<StructValue> found = ReadPartitionOfFile(table.read_context(), one, spec);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->fields[0],
            *ApplyTransform(spec.fields[0].transform, *Primitive(TypeId::kInt), Value(1)));
  const DataFile many = table.AddFile("many.parquet", write({1, 2, 3, 4, 5, 6})).file;
  const Result<StructValue> refused = ReadPartitionOfFile(table.read_context(), many, spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().Format(), HasSubstr("rows of more than one partition"));
}

}  // namespace
}  // namespace firn
