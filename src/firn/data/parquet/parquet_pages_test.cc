#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/counting_file_io.h"
#include "firn/testing/matchers.h"

// Filters that skip row groups and pages give the rows that they would give without skipping.

namespace firn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int32_t kRows = 30000;

// Columns of every shape, in several row groups of small pages. `a` and `b` tell places in the file
// apart; `s` is nested, `l` a list, `t` text with nulls.
class PagedTable {
 public:
  PagedTable()
      : table_({Optional(1, "a", Primitive(TypeId::kInt)),
                Optional(2, "b", Primitive(TypeId::kInt)),
                Optional(3, "s",
                         Type::Struct({Optional(4, "x", Primitive(TypeId::kInt)),
                                       Optional(5, "y", Primitive(TypeId::kString))})),
                Optional(6, "l", Type::List(Optional(7, "element", Primitive(TypeId::kInt)))),
                Optional(8, "t", Primitive(TypeId::kString)),
                Optional(9, "z", Type::Struct({Optional(10, "only", Primitive(TypeId::kLong))}))}) {
    Properties& properties = table_.metadata().properties;
    properties["write.parquet.row-group-size-bytes"] = "400000";
    properties["write.parquet.page-row-limit"] = "1000";
    properties["write.parquet.compression-codec"] = "uncompressed";
    for (int32_t i = 0; i < kRows; ++i)
      rows_.push_back(MakeRow(i));
  }

  RowTable& table() { return table_; }
  std::vector<StructValue>& rows() { return rows_; }
  FileScanTask Write() { return table_.Write(rows_); }

 private:
  static StructValue MakeRow(int32_t i) {
    const std::string text = std::to_string(i) + std::string(30, 'x');
    std::vector<Value> list;
    for (int32_t k = 0; k < i % 4; ++k)
      list.emplace_back(i + k);
    return {{Value(i + 1000), Value(kRows - i + 1000),
             i % 7 == 0 ? Value() : Value::Struct({i, text}), Value::List(std::move(list)),
             i / 1000 % 5 == 0 ? Value() : Value(text), Value::Struct({int64_t{i} * 10})}};
  }

  RowTable table_;
  std::vector<StructValue> rows_;
};

// B113
TEST(PageSkippingTest, GoesOnToTheNextRowGroupWhenPagesOfTwoColumnsShareNoRow) {
  PagedTable paged;
  paged.rows()[10].fields[0] = 5;
  paged.rows()[5000].fields[1] = 7;
  for (const size_t row : {15000u, 15001u}) {
    paged.rows()[row].fields[0] = 5;
    paged.rows()[row].fields[1] = 7;
  }
  FileScanTask task = paged.Write();
  ASSERT_GE(task.file.split_offsets.size(), 3u);
  task.deletes = {paged.table().WritePositionDeletes({{task.file.file_path, 15001}}, 2)};

  EXPECT_THAT(paged.table().Read({task}, {"_pos", "a", "b"}, "a = 5 AND b = 7"),
              IsOkAnd(ElementsAre(R"({"_pos":15000,"a":5,"b":7})")));
  EXPECT_THAT(paged.table().Read({task}, {"_pos"}, "a = 5 OR b = 7"),
              IsOkAnd(ElementsAre(R"({"_pos":10})", R"({"_pos":15000})", R"({"_pos":5000})")));
}

TEST(PageSkippingTest, KeepsAllColumnsOfARowTogether) {
  PagedTable paged;
  const FileScanTask task = paged.Write();
  const auto all = paged.table().Read({task}, {}, "", /*is_ordered=*/true);
  ASSERT_THAT(all, IsOk());
  const std::vector<std::pair<std::string, std::function<bool(int32_t)>>> filters = {
      {"a = 1999", [](int32_t i) { return i == 999; }},
      {"a >= 1999 AND a <= 2001", [](int32_t i) { return i >= 999 && i <= 1001; }},
      {"a < 1500 OR b < 1500", [](int32_t i) { return i < 500 || kRows - i < 500; }},
      {"a IN (1000, 9000, 25000, 31000)",
       [](int32_t i) { return i == 0 || i == 8000 || i == 24000; }},
      {"s.x > 29990", [](int32_t i) { return i % 7 != 0 && i > 29990; }},
      {"z.only = 77770", [](int32_t i) { return i == 7777; }},
      {"t IS NULL AND a > 20000", [](int32_t i) { return i / 1000 % 5 == 0 && i > 19000; }},
      {"t IS NOT NULL AND a < 1010", [](int32_t) { return false; }},
      {"a > 100000", [](int32_t) { return false; }}};
  for (const auto& [filter, matches] : filters) {
    SCOPED_TRACE(filter);
    std::vector<std::string> expected;
    for (int32_t i = 0; i < kRows; ++i) {
      if (matches(i)) expected.push_back((*all)[static_cast<size_t>(i)]);
    }
    const auto found = paged.table().Read({task}, {}, filter, /*is_ordered=*/true);
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(*found, expected);
  }
}

TEST(PageSkippingTest, ReadsLittleOfAFileForOneRow) {
  PagedTable paged;
  const FileScanTask task = paged.Write();
  const auto counting = std::make_shared<CountingFileIO>(paged.table().shared_io());
  ReadContext context = paged.table().read_context();
  context.io = counting;
  const SchemaPtr schema = paged.table().metadata().current_schema();
  const ReadOptions options{.projection = schema,
                            .filter = *Bind(*ParseExpression("a = 25000"), *schema)};

  auto stream = ReadTasks(context, {task}, options);
  ASSERT_THAT(stream, IsOk());
  const auto text = RenderText(std::move(*stream), schema->as_struct(), RowFormat::kCsv);

  ASSERT_THAT(text, IsOk());
  EXPECT_LT(counting->Count(FileOperation::kRead).bytes, task.file.file_size_in_bytes / 2);
}

TEST(RowGroupSkippingTest, DoesNotTrustStatisticsOfColumnsThatTheFileLacks) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  const auto task = table.Write({StructValue{{1}}});
  NestedField c = Optional(2, "c", Primitive(TypeId::kInt));
  c.initial_default = Value(5);
  table.EvolveTo({Optional(1, "id", Primitive(TypeId::kInt)), c});

  EXPECT_THAT(table.Read({task}, {"id"}, "c = 5"), IsOkAnd(ElementsAre(R"({"id":1})")));
  EXPECT_THAT(table.Read({task}, {"id"}, "c = 6"), IsOkAnd(IsEmpty()));
}

// B90
TEST(RowGroupSkippingTest, FindsNanAboveAllNumbers) {
  RowTable table({Optional(1, "x", Primitive(TypeId::kDouble))});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto a = table.Write({StructValue{{1.0}}, StructValue{{nan}}});
  const auto b = table.Write({StructValue{{nan}}, StructValue{{nan}}});
  const auto c = table.Write({StructValue{{-0.0}}, StructValue{{0.0}}});
  const auto d = table.Write({StructValue{{Value()}}});
  const auto count = [&](const std::string& filter) {
    const auto rows = table.Read({a, b, c, d}, {}, filter);
    EXPECT_THAT(rows, IsOk());
    return rows->size();
  };

  EXPECT_EQ(count("x > 5"), 3u);
  EXPECT_EQ(count("x = 0.0"), 2u);
  EXPECT_EQ(count("x < 0.0"), 0u);
  EXPECT_EQ(count("x IS NAN"), 3u);
  EXPECT_EQ(count("x <> 1.0"), 5u);
}

}  // namespace
}  // namespace firn
