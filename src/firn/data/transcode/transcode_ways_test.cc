#include <functional>
#include <mutex>

#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/log.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/data/transcode/transcode_files.h"
#include "firn/testing/matchers.h"

// Which way files are rewritten: below rows, or why not.

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

// Collects log lines while it lives.
class LogLines {
 public:
  LogLines() {
    SetLogLevel(LogLevel::kInfo);
    before_ = SetLogSink([this](LogLevel, std::string_view line) { lines_ += line; });
  }
  ~LogLines() {
    SetLogSink(std::move(before_));
    SetLogLevel(LogLevel::kWarning);
  }
  const std::string& lines() const { return lines_; }

 private:
  LogSink before_;
  std::string lines_;
};

DataWriteOptions OptionsFor(RowTable& table) {
  return {.schema = table.metadata().current_schema(),
          .spec = table.metadata().default_spec(),
          .partition = StructValue{}};
}

// The reason why rows are read; empty: they are not.
std::string WhyRows(RowTable& table, const std::vector<FileScanTask>& tasks,
                    const DataWriteOptions& options) {
  const WriteContext context = table.write_context();
  const LogLines log;
  const auto files = TranscodeDataFiles(context, options, tasks);
  EXPECT_THAT(files, IsOk());
  if (!files.ok() || files->has_value()) return log.lines();
  return log.lines().empty() ? "no reason was told" : log.lines();
}

// The rows of the files made below rows, in order.
Result<std::vector<std::string>> Rewritten(RowTable& table,
                                           const std::vector<FileScanTask>& tasks) {
  const WriteContext context = table.write_context();
  FIRN_ASSIGN(const auto files, TranscodeDataFiles(context, OptionsFor(table), tasks));
  if (!files) return MakeError(ErrorCode::kUnsupported, "rows were read");
  std::vector<FileScanTask> outputs;
  for (const DataFile& file : *files)
    outputs.push_back({.file = file, .sequence_number = 9});
  return table.Read(outputs, {}, "", true);
}

// A file of one column of numbers from 0 on, as Arrow writes it.
std::string FileOf(const std::shared_ptr<arrow::Field>& field, int64_t rows,
                   const std::shared_ptr<parquet::WriterProperties>& properties =
                       parquet::default_writer_properties()) {
  std::unique_ptr<arrow::ArrayBuilder> builder;
  EXPECT_TRUE(arrow::MakeBuilder(arrow::default_memory_pool(), field->type(), &builder).ok());
  for (int64_t i = 0; i < rows; ++i) {
    arrow::Status status;
    if (field->type()->id() == arrow::Type::UINT64) {
      status = static_cast<arrow::UInt64Builder&>(*builder).Append(static_cast<uint64_t>(i));
    } else if (field->type()->id() == arrow::Type::INT32) {
      status = static_cast<arrow::Int32Builder&>(*builder).Append(static_cast<int32_t>(i));
    } else {
      status = static_cast<arrow::Int64Builder&>(*builder).Append(i);
    }
    EXPECT_TRUE(status.ok());
  }
  const auto table = arrow::Table::Make(arrow::schema({field}), {*builder->Finish()});
  const auto sink = *arrow::io::BufferOutputStream::Create();
  EXPECT_TRUE(
      parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 1 << 20, properties)
          .ok());
  return (*sink->Finish())->ToString();
}

std::shared_ptr<arrow::Field> FieldWithId(const std::string& name,
                                          const std::shared_ptr<arrow::DataType>& type,
                                          int id = 1) {
  return arrow::field(name, type, true,
                      arrow::key_value_metadata({std::string(kFieldIdKey)}, {std::to_string(id)}));
}

FileScanTask AddFile(RowTable& table, const std::string& bytes, int64_t rows) {
  static int count = 0;
  FileScanTask task = table.AddFile("other-" + std::to_string(count++), bytes);
  task.file.record_count = rows;
  return task;
}

TEST(TranscodeWaysTest, TellsWhyRowsAreRead) {
  struct WayCase {
    std::string reason;
    std::function<std::string()> run;
  };
  const TypePtr integer = Primitive(TypeId::kInt);
  const TypePtr number = Primitive(TypeId::kLong);
  const std::vector<WayCase> cases = {
      {"deleted by keys",
       [&] {
         RowTable table({Optional(1, "id", integer)});
         FileScanTask task = table.Write({Row({1})});
         task.deletes = {table.WriteDeletes(FileContent::kEqualityDeletes,
                                            {Optional(1, "id", integer)}, {Row({1})}, 2, {1})};
         return WhyRows(table, {task}, OptionsFor(table));
       }},
      {"no Parquet",
       [&] {
         RowTable table({Optional(1, "id", integer)});
         FileScanTask task = table.Write({Row({1})});
         task.file.file_format = FileFormat::kAvro;
         return WhyRows(table, {task}, OptionsFor(table));
       }},
      {"column 'id': type 2 with meaning 12",  // Unsigned ones of 64 bits.
       [&] {
         RowTable table({Optional(1, "id", number)});
         const auto task = AddFile(table, FileOf(FieldWithId("id", arrow::uint64()), 3), 3);
         return WhyRows(table, {task}, OptionsFor(table));
       }},
      {"no column carries a field id",
       [&] {
         RowTable table({Optional(1, "id", number)});
         const auto task = AddFile(table, FileOf(arrow::field("id", arrow::int64()), 3), 3);
         return WhyRows(table, {task}, OptionsFor(table));
       }},
      {"it is required and the file lacks it",
       [&] {
         RowTable table({Optional(1, "id", number), Required(2, "more", number)});
         const auto task = AddFile(table, FileOf(FieldWithId("id", arrow::int64()), 3), 3);
         return WhyRows(table, {task}, OptionsFor(table));
       }},
      {"the footer tells 3 rows, the manifest 4",
       [&] {
         RowTable table({Optional(1, "id", number)});
         const auto task = AddFile(table, FileOf(FieldWithId("id", arrow::int64()), 3), 4);
         return WhyRows(table, {task}, OptionsFor(table));
       }},
  };
  for (const WayCase& way : cases)
    EXPECT_THAT(way.run(), HasSubstr(way.reason));
}

TEST(TranscodeWaysTest, TakesFilesByTheNamesOfTheMapping) {
  RowTable table({Optional(7, "number", Primitive(TypeId::kLong)),
                  Optional(2, "added", Primitive(TypeId::kString))});
  table.metadata().properties["schema.name-mapping.default"] =
      R"([{"field-id": 7, "names": ["old", "number"]}])";
  const auto old = AddFile(table, FileOf(arrow::field("old", arrow::int32()), 2), 2);
  const auto named = AddFile(table, FileOf(arrow::field("number", arrow::int64()), 1), 1);

  EXPECT_THAT(Rewritten(table, {old, named}),
              IsOkAnd(ElementsAre(R"({"number":0,"added":null})", R"({"number":1,"added":null})",
                                  R"({"number":0,"added":null})")));
}

// Hive's folders hold the values of columns that its files lack.
TEST(TranscodeWaysTest, FillsColumnsOfThePartitionThatFilesLack) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kLong)),
                  Optional(2, "day", Primitive(TypeId::kString)),
                  Optional(3, "price", Type::Decimal(20, 2))});
  PartitionSpec spec;
  spec.spec_id = 1;
  spec.fields = {{.source_ids = {2}, .field_id = 1000, .name = "day", .transform = {}},
                 {.source_ids = {3}, .field_id = 1001, .name = "price", .transform = {}}};
  for (PartitionField& field : spec.fields)
    field.transform.kind = TransformKind::kIdentity;
  table.metadata().partition_specs.push_back(std::make_shared<PartitionSpec>(spec));
  table.metadata().default_spec_id = 1;
  FileScanTask task = AddFile(table, FileOf(FieldWithId("id", arrow::int64()), 2), 2);
  task.file.partition_spec_id = 1;
  task.file.partition = Row({std::string("monday"), Int128{-250}});
  FileScanTask none = AddFile(table, FileOf(FieldWithId("id", arrow::int32()), 1), 1);
  none.file.partition_spec_id = 1;
  none.file.partition = Row({Value(), Int128{100}});

  EXPECT_THAT(Rewritten(table, {task, none}),
              IsOkAnd(ElementsAre(R"({"id":0,"day":"monday","price":"-2.50"})",
                                  R"({"id":1,"day":"monday","price":"-2.50"})",
                                  R"({"id":0,"day":null,"price":"1.00"})")));
}

TEST(TranscodeWaysTest, TellsFileAndColumnOfAPageThatLies) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kLong))});
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::UNCOMPRESSED)
      ->disable_dictionary()
      ->encoding(parquet::Encoding::DELTA_BINARY_PACKED);
  const auto properties = builder.build();
  std::string bytes = FileOf(FieldWithId("id", arrow::int32()), 5000, properties);
  ASSERT_EQ(WhyRows(table, {AddFile(table, bytes, 5000)}, OptionsFor(table)), "");
  // Widths of deltas: some are beyond what a number has.
  const size_t page = bytes.find(std::string("\x80\x01\x04\x88\x27", 5));
  ASSERT_NE(page, std::string::npos);
  bytes.replace(page + 7, 4, std::string(4, '\x7F'));
  const FileScanTask task = AddFile(table, bytes, 5000);

  const std::string reason = WhyRows(table, {task}, OptionsFor(table));

  EXPECT_THAT(reason, HasSubstr("'" + task.file.file_path + "'"));
  EXPECT_THAT(reason, HasSubstr("column 'id'"));
  EXPECT_THAT(reason, HasSubstr("deltas of 127 bits"));
  EXPECT_THAT(table.Read({task}), IsError(ErrorCode::kCorrupt, "other-"));
}

TEST(TranscodeWaysTest, LeavesNullsOfRequiredColumnsToTheRowPath) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  const FileScanTask good = table.Write({Row({1}), Row({2})});
  const FileScanTask bad = table.Write({Row({1}), Row({Value()})});
  table.EvolveTo({Required(1, "id", Primitive(TypeId::kLong))});

  EXPECT_THAT(Rewritten(table, {good}), IsOkAnd(SizeIs(2)));
  EXPECT_THAT(WhyRows(table, {good, bad}, OptionsFor(table)),
              HasSubstr("a null where the table requires a value"));
}

}  // namespace
}  // namespace firn
