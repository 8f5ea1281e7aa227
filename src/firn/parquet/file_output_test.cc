#include "firn/parquet/file_output.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/parquet/chunk_testing_internal.h"
#include "firn/parquet/thrift_compact_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using R = FieldRepetition;

const LeafNode kDouble = MakeLeaf(PhysicalType::kDouble, {R::kOptional});

// A schema of one optional DOUBLE column.
std::vector<SchemaElement> MakeSchema() {
  return {{.name = "root", .num_children = 1, .raw = std::string("\x48\x04root\x15\x02\x00", 9)},
          {.type = PhysicalType::kDouble,
           .repetition = R::kOptional,
           .name = "a",
           .raw = std::string("\x15\x0A\x25\x02\x18\x01\x61\x00", 8)}};
}

EncodedChunk MakeChunkOf(const std::vector<std::optional<double>>& values) {
  std::vector<TestRow> rows;
  for (const auto& value : values)
    rows.push_back(FlatRow(kDouble, value ? std::optional(PlainOf(*value)) : std::nullopt));
  ChunkBuilder builder(kDouble);
  builder.AddPage(rows, ChunkBuilder::Values::kPlain);
  const TestChunk stored = builder.Finish(static_cast<int64_t>(rows.size()));
  return *TranscodeChunk(kDouble, std::vector{stored.Input(kDouble)}, {.page_rows = 2});
}

// Writes a file in memory.
class Output {
 public:
  explicit Output(std::vector<SchemaElement> schema)
      : io_(MakeMemoryFileIO(SystemClock())), file_(*io_->Create("memory:/f")) {
    output_.emplace(
        FileFooter{
            .schema = std::move(schema), .num_rows = 99, .row_groups = {{}}, .created_by = "test"},
        [this](std::span<const std::byte> bytes) { return file_->Append(bytes); });
  }

  ParquetFileOutput* operator->() { return &*output_; }

  std::string Bytes() {
    EXPECT_THAT(output_->Finish(), IsOk());
    EXPECT_THAT(file_->Publish(), IsOk());
    return std::string(ReadFile(*io_, "memory:/f")->view());
  }

 private:
  std::unique_ptr<FileIO> io_;
  std::unique_ptr<OutputFile> file_;
  std::optional<ParquetFileOutput> output_;
};

// A ColumnIndex, taken apart.
struct Index {
  std::vector<bool> null_pages;
  std::vector<std::string> minima;
  std::vector<int64_t> null_counts;
};

Index ReadIndex(const std::string& file, const ByteRange& range) {
  ThriftReader in(
      AsBytes(file).subspan(static_cast<size_t>(range.offset), static_cast<size_t>(range.length)));
  Index index;
  (void)in.EnterStruct();
  for (ThriftField field = in.NextField(); !field.is_stop(); field = in.NextField()) {
    if (field.id != 1 && field.id != 2 && field.id != 5) {
      in.Skip(field.type);
      continue;
    }
    for (uint32_t left = in.ReadList().size; left > 0; --left) {
      if (field.id == 1) index.null_pages.push_back(in.ReadByte() == 1);
      if (field.id == 2) index.minima.emplace_back(in.ReadBinary());
      if (field.id == 5) index.null_counts.push_back(in.ReadI64());
    }
  }
  EXPECT_THAT(in.status(), IsOk());
  return index;
}

TEST(FileOutputTest, PutsRowGroupsOneBehindTheOther) {
  Output output(MakeSchema());
  output->BeginRowGroup(3);
  ASSERT_THAT(output->Append(MakeChunkOf({1.0, 2.0, std::nullopt})), IsOk());
  output->BeginRowGroup(1);
  ASSERT_THAT(output->Append(MakeChunkOf({5.0})), IsOk());

  const std::string bytes = output.Bytes();

  EXPECT_TRUE(bytes.starts_with("PAR1"));
  const auto footer = ReadFooter(AsBytes(bytes));
  ASSERT_THAT(footer, IsOk());
  EXPECT_EQ(footer->num_rows, 4);
  EXPECT_EQ(footer->created_by, "test");
  ASSERT_EQ(footer->row_groups.size(), 2u);
  std::vector<TestRow> rows;
  for (const RowGroup& group : footer->row_groups) {
    const ColumnChunk& chunk = group.columns[0];
    const auto read =
        ReadRows(kDouble,
                 AsBytes(bytes).subspan(static_cast<size_t>(chunk.start_offset()),
                                        static_cast<size_t>(chunk.total_compressed_size)),
                 chunk);
    ASSERT_THAT(read, IsOk());
    rows.insert(rows.end(), read->begin(), read->end());
  }
  EXPECT_THAT(rows, ElementsAre(FlatRow(kDouble, PlainOf(1.0)), FlatRow(kDouble, PlainOf(2.0)),
                                FlatRow(kDouble, std::nullopt), FlatRow(kDouble, PlainOf(5.0))));
}

TEST(FileOutputTest, IndexesPagesOfNullsAsSuch) {
  Output output(MakeSchema());
  output->BeginRowGroup(5);
  ASSERT_THAT(output->Append(MakeChunkOf({1.0, 2.0, std::nullopt, std::nullopt, 5.0})), IsOk());
  const std::string bytes = output.Bytes();
  const ColumnChunk& chunk = output->footer().row_groups[0].columns[0];
  ASSERT_TRUE(chunk.column_index.has_value());
  ASSERT_TRUE(chunk.offset_index.has_value());

  const Index index = ReadIndex(bytes, *chunk.column_index);

  EXPECT_THAT(index.null_pages, ElementsAre(false, true, false));
  EXPECT_THAT(index.minima, ElementsAre(PlainOf(1.0), "", PlainOf(5.0)));
  EXPECT_THAT(index.null_counts, ElementsAre(0, 2, 0));
}

// Readers would pass over its NaN as if they were null.
TEST(FileOutputTest, MakesNoIndexOfPagesOfNanWithOrWithoutNulls) {
  const double nan = std::nan("");
  for (const auto& first : {std::optional<double>(), std::optional(nan)}) {
    Output output(MakeSchema());
    output->BeginRowGroup(3);
    ASSERT_THAT(output->Append(MakeChunkOf({first, nan, 1.0})), IsOk());
    (void)output.Bytes();

    const ColumnChunk& chunk = output->footer().row_groups[0].columns[0];
    EXPECT_FALSE(chunk.column_index.has_value());
    EXPECT_TRUE(chunk.offset_index.has_value());
  }
}

TEST(FileOutputTest, RefusesChunksThatDoNotMakeARowGroup) {
  Output output(MakeSchema());
  output->BeginRowGroup(2);
  EXPECT_THAT(output->Append(MakeChunkOf({1.0})), IsError(ErrorCode::kInternal, "1 rows"));
  EXPECT_THAT(output->Finish(), IsError(ErrorCode::kInternal, "0 of 1 columns"));
}

TEST(FileOutputTest, MakesAFileWithoutRows) {
  Output output(MakeSchema());

  const auto footer = ReadFooter(AsBytes(output.Bytes()));

  ASSERT_THAT(footer, IsOk());
  EXPECT_EQ(footer->num_rows, 0);
  EXPECT_THAT(footer->row_groups, testing::IsEmpty());
}

}  // namespace
}  // namespace firn
