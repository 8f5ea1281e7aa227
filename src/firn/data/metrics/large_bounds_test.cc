#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_reader.h>
#include <parquet/statistics.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/arrow/arrow_types.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/data/transcode/transcode_files.h"
#include "firn/parquet/transcode.h"
#include "firn/testing/matchers.h"

// Bounds of large values are cut. Filters find these values nevertheless, however the file that
// holds them was made: a bound that is too low for what was cut off would hide their rows.

namespace firn {
namespace {

using testing::SizeIs;

constexpr size_t kCut = kBoundBytesMax;

std::string Repeat(std::string_view unit, size_t bytes_min) {
  std::string text;
  while (text.size() < bytes_min)
    text += unit;
  return text;
}

// Values that are alike up to the place where bounds are cut, and those that make rounding up hard.
std::vector<std::vector<std::string>> Families(bool is_text) {
  std::vector<std::vector<std::string>> families;
  const std::string letters(kCut, 'k');
  families.push_back({letters, letters + "a", letters + "b"});
  families.push_back({"a", letters + "b"});
  families.push_back({std::string(kCut - 1, 'k'), letters, "kk"});
  // Two bytes each, one of which is cut off; and the greatest there are.
  const std::string wide = is_text ? "x" + Repeat("\u00e9", kCut) : "x" + Repeat("\xff", kCut);
  families.push_back({wide, wide + "a", wide + "b"});
  const std::string greatest = is_text ? Repeat("\xf4\x8f\xbf\xbf", kCut) : Repeat("\xff", kCut);
  families.push_back({greatest + "a", greatest + "b", "a"});
  return families;
}

class LargeBoundsTest : public testing::TestWithParam<std::tuple<TypeId, const char*>> {
 protected:
  LargeBoundsTest()
      : is_text_(std::get<0>(GetParam()) == TypeId::kString),
        type_(Primitive(std::get<0>(GetParam()))),
        table_({Optional(1, "id", Primitive(TypeId::kInt)), Optional(2, "c", type_)}) {
    Set("write.metadata.metrics.default", std::get<1>(GetParam()));
    Set("write.parquet.compression-codec", "uncompressed");
    Set("write.parquet.page-row-limit", "1");
  }

  void Set(const std::string& key, const std::string& value) {
    table_.metadata().properties[key] = value;
  }

  Value ToValue(const std::string& bytes) const {
    return is_text_ ? Value(bytes) : Value(BinaryValue{bytes});
  }

  FileScanTask Write(const std::vector<std::string>& values) {
    std::vector<StructValue> rows;
    for (const std::string& value : values)
      rows.push_back({{static_cast<int32_t>(rows.size()), ToValue(value)}});
    return table_.Write(std::move(rows));
  }

  // As Arrow writes it: bounds of any size stand in the footer.
  FileScanTask WriteWithArrow(const std::vector<std::string>& values) {
    arrow::Int32Builder ids;
    arrow::BinaryBuilder texts;
    for (const std::string& value : values) {
      EXPECT_TRUE(ids.Append(static_cast<int32_t>(ids.length())).ok());
      EXPECT_TRUE(texts.Append(value).ok());
    }
    const auto field = [](const char* name, const std::shared_ptr<arrow::DataType>& type, int id) {
      return arrow::field(
          name, type, true,
          arrow::key_value_metadata({std::string(kFieldIdKey)}, {std::to_string(id)}));
    };
    const auto type = is_text_ ? arrow::utf8() : arrow::binary();
    const auto column = texts.Finish().ValueOrDie()->View(type).ValueOrDie();
    const auto table =
        arrow::Table::Make(arrow::schema({field("id", arrow::int32(), 1), field("c", type, 2)}),
                           {ids.Finish().ValueOrDie(), column});
    const auto sink = *arrow::io::BufferOutputStream::Create();
    const auto properties =
        parquet::WriterProperties::Builder().max_statistics_size(1 << 20)->build();
    EXPECT_TRUE(
        parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 1 << 20, properties)
            .ok());
    static int count = 0;
    return table_.AddFile("arrow-" + std::to_string(count++), (*sink->Finish())->ToString());
  }

  std::vector<FileScanTask> Transcode(const std::vector<FileScanTask>& tasks) {
    const WriteContext context = table_.write_context();
    const DataWriteOptions options{.schema = table_.metadata().current_schema(),
                                   .spec = table_.metadata().default_spec(),
                                   .partition = StructValue{}};
    const auto files = TranscodeDataFiles(context, options, tasks);
    EXPECT_THAT(files, IsOk());
    std::vector<FileScanTask> outputs;
    EXPECT_TRUE(files.ok() && files->has_value()) << "rows were read";
    if (!files.ok() || !files->has_value()) return outputs;
    for (const DataFile& file : **files)
      outputs.push_back({.file = file, .sequence_number = 9});
    return outputs;
  }

  ExpressionPtr Filter(ExpressionKind kind, const std::string& literal) {
    return *Bind(
        Expression::Predicate(kind, {.name = "c"}, {MakeLiteral(ToValue(literal), *type_)}),
        *table_.metadata().current_schema());
  }

  // Filters that some of `values` match, whatever the comparison.
  std::vector<ExpressionPtr> FiltersFor(const std::vector<std::string>& values) {
    using Kind = ExpressionKind;
    std::vector<ExpressionPtr> filters;
    for (const std::string& value : values) {
      for (const Kind kind : {Kind::kEqual, Kind::kNotEqual, Kind::kLessEqual, Kind::kGreaterEqual})
        filters.push_back(Filter(kind, value));
      filters.push_back(Filter(Kind::kLess, value + "!"));
      filters.push_back(Filter(Kind::kGreater, value.substr(0, value.size() - 1)));
      if (is_text_) filters.push_back(Filter(Kind::kStartsWith, value));
    }
    return filters;
  }

  // Every filter gives the rows that it gives of values alone.
  void ExpectFound(const std::vector<FileScanTask>& tasks, const std::vector<std::string>& values) {
    const SchemaPtr schema = table_.metadata().current_schema();
    const auto projection = ProjectColumns(table_.metadata(), *schema, {"id"});
    for (const ExpressionPtr& filter : FiltersFor(values)) {
      size_t matches = 0;
      for (const std::string& value : values)
        matches += MatchesRow(filter, *schema->as_struct(), {{0, ToValue(value)}}) ? 1U : 0U;
      const auto rows = table_.ReadWith(tasks, {.projection = *projection, .filter = filter});
      ASSERT_THAT(rows, IsOkAnd(SizeIs(matches)));
      if (tasks.size() > 1) continue;
      const ColumnMetrics metrics{.metrics = &tasks[0].file.metrics,
                                  .record_count = tasks[0].file.record_count};
      EXPECT_TRUE(matches == 0 || MightMatchMetrics(*filter, *schema, metrics));
      EXPECT_TRUE(matches == values.size() || !AllMatchMetrics(*filter, *schema, metrics));
    }
    for (const FileScanTask& task : tasks) {
      for (const auto* bounds :
           {&task.file.metrics.lower_bounds, &task.file.metrics.upper_bounds}) {
        const std::string* bound = FindInFieldMap(*bounds, 2);
        EXPECT_TRUE(bound == nullptr || bound->size() <= kCut);
      }
    }
  }

  // Of the column in the footer of a file.
  bool HasBoundsInFooter(const FileScanTask& task) {
    const auto bytes = ReadFile(table_.io(), task.file.file_path);
    const auto file = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(
        arrow::Buffer::FromString(std::string(bytes->view()))));
    const auto statistics = file->metadata()->RowGroup(0)->ColumnChunk(1)->statistics();
    return statistics != nullptr && statistics->HasMinMax();
  }

  const bool is_text_;
  const TypePtr type_;
  RowTable table_;
};

TEST_P(LargeBoundsTest, RowsAreFoundInFilesOfEveryFormat) {
  for (const char* format : {"parquet", "orc", "avro"}) {
    SCOPED_TRACE(format);
    Set("write.format.default", format);
    for (const std::vector<std::string>& values : Families(is_text_)) {
      const FileScanTask task = Write(values);
      ExpectFound({task}, values);
      EXPECT_NE(FindInFieldMap(task.file.metrics.lower_bounds, 2), nullptr);
    }
  }
}

TEST_P(LargeBoundsTest, RowsAreFoundInPagesThatWerePutTogether) {
  for (const std::vector<std::string>& values : Families(is_text_)) {
    FileScanTask large = Write(values);
    large.deletes.push_back(table_.WritePositionDeletes({{large.file.file_path, 0}}, 2));
    const std::vector<FileScanTask> outputs = Transcode({Write({"b", "c"}), large});
    ASSERT_THAT(outputs, SizeIs(1));
    std::vector<std::string> left(values.begin() + 1, values.end());
    left.insert(left.end(), {"b", "c"});
    ExpectFound(outputs, left);
  }
}

TEST_P(LargeBoundsTest, RowsAreFoundInColumnChunksThatWereCopied) {
  Set("write.parquet.row-group-size-bytes", "1000");
  for (const std::vector<std::string>& values : Families(is_text_)) {
    const std::vector<FileScanTask> outputs = Transcode({WriteWithArrow(values)});
    ASSERT_THAT(outputs, SizeIs(1));
    EXPECT_TRUE(HasBoundsInFooter(outputs[0])) << "it was made anew";
    ExpectFound(outputs, values);
  }
}

TEST_P(LargeBoundsTest, RowsAreFoundBehindBoundsOfAnySizeThatOthersWrote) {
  for (const std::vector<std::string>& values : Families(is_text_)) {
    const FileScanTask task = WriteWithArrow(values);
    EXPECT_TRUE(HasBoundsInFooter(task));
    ExpectFound({task}, values);
    const std::vector<FileScanTask> outputs = Transcode({task, Write(values)});
    ASSERT_THAT(outputs, SizeIs(1));
    std::vector<std::string> twice = values;
    twice.insert(twice.end(), values.begin(), values.end());
    ExpectFound(outputs, twice);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, LargeBoundsTest,
                         testing::Combine(testing::Values(TypeId::kString, TypeId::kBinary),
                                          testing::Values("truncate(16)", "full",
                                                          "truncate(30000)")));

}  // namespace
}  // namespace firn
