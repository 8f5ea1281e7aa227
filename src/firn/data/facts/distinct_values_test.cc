#include "firn/data/facts/distinct_values.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/base/int128.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

Result<std::vector<int64_t>> Count(RowTable& table, const std::vector<FileScanTask>& tasks,
                                   const std::vector<int32_t>& ids) {
  FIRN_ASSIGN(const auto sketches,
              SketchColumns(table.read_context(), tasks, *table.metadata().current_schema(), ids));
  std::vector<int64_t> counts;
  for (const ThetaSketch& sketch : sketches)
    counts.push_back(sketch.DistinctCount());
  EXPECT_EQ(table.budget().used_bytes(), 0);
  return counts;
}

TEST(SketchColumnsTest, CountsTheValuesOfEachColumnOverAllFilesButNotNulls) {
  RowTable table({Required(1, "id", Primitive(TypeId::kLong)),
                  Optional(2, "name", Primitive(TypeId::kString)),
                  Optional(3, "flag", Primitive(TypeId::kBoolean)),
                  Optional(4, "price", Type::Decimal(20, 2))});
  const auto a =
      table.Write({Row({int64_t{1}, "a", true, Int128{1}}), Row({int64_t{2}, {}, {}, {}}),
                   Row({int64_t{2}, "b", true, Int128{-1}})});
  const auto b = table.Write(
      {Row({int64_t{1}, "b", false, Int128{1}}), Row({int64_t{3}, "c", {}, Int128{300}})});

  EXPECT_THAT(Count(table, {a, b}, {4, 1, 2, 3}), IsOkAnd(ElementsAre(3, 3, 3, 2)));
  EXPECT_THAT(Count(table, {a, b}, {2}), IsOkAnd(ElementsAre(3)));
  EXPECT_THAT(Count(table, {}, {1, 2}), IsOkAnd(ElementsAre(0, 0)));
}

TEST(SketchColumnsTest, HashesDecimalsInTheirShortestForm) {
  RowTable table({Optional(1, "d", Type::Decimal(38, 0))});
  ThetaSketch expected;
  std::vector<StructValue> rows;
  for (int shift = 0; shift < 120; ++shift) {
    for (const int64_t delta : {-1, 0, 1}) {
      for (const int64_t sign : {-1, 1}) {
        const Int128 value = ((Int128{1} << shift) + delta) * sign;
        rows.push_back(Row({value}));
        expected.Update(AsBytes(ToBigEndian(value)));
      }
    }
  }
  const auto file = table.Write(std::move(rows));
  const auto sketches =
      SketchColumns(table.read_context(), {file}, *table.metadata().current_schema(), {1});
  ASSERT_THAT(sketches, IsOk());
  EXPECT_EQ(sketches->front().Serialize(), expected.Serialize());
}

// As DataSketches does it.
TEST(SketchColumnsTest, CountsNoEmptyTexts) {
  RowTable table({Optional(1, "name", Primitive(TypeId::kString))});
  const auto a = table.Write({Row({""}), Row({"a"}), Row({""}), Row({"a"}), Row({"b"})});
  EXPECT_THAT(Count(table, {a}, {1}), IsOkAnd(ElementsAre(2)));
}

TEST(SketchColumnsTest, LooksIntoStructsOfWhichSomeAreNull) {
  const TypePtr inner = Type::Struct(
      {Optional(3, "a", Primitive(TypeId::kInt)), Optional(4, "b", Primitive(TypeId::kString))});
  RowTable table({Required(1, "id", Primitive(TypeId::kLong)), Optional(2, "s", inner)});
  const auto file =
      table.Write({Row({int64_t{1}, Value::Struct({Value(7), Value("x")})}), Row({int64_t{2}, {}}),
                   Row({int64_t{3}, Value::Struct({Value(8), Value("x")})}),
                   Row({int64_t{4}, Value::Struct({Value(), Value("y")})})});

  EXPECT_THAT(Count(table, {file}, {4, 3}), IsOkAnd(ElementsAre(2, 2)));
  EXPECT_THAT(Count(table, {file}, {3, 1}), IsOkAnd(ElementsAre(2, 4)));
}

TEST(SketchColumnsTest, LeavesOutDeletedRows) {
  RowTable table({Required(1, "id", Primitive(TypeId::kLong))});
  auto file = table.Write({Row({int64_t{1}}), Row({int64_t{2}}), Row({int64_t{3}})});
  file.deletes = {table.WritePositionDeletes({{file.file.file_path, 1}}, 2)};
  EXPECT_THAT(Count(table, {file}, {1}), IsOkAnd(ElementsAre(2)));
}

TEST(SketchColumnsTest, IsTheSameHoweverRowsLieInFiles) {
  std::vector<StructValue> rows;
  for (int64_t i = 0; i < 30'000; ++i)
    rows.push_back(Row({i * 7}));
  const auto sketch = [&](size_t file_count) {
    RowTable table({Required(1, "id", Primitive(TypeId::kLong))});
    std::vector<FileScanTask> tasks;
    const size_t size = rows.size() / file_count;
    for (size_t i = 0; i < file_count; ++i) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(i * size);
      tasks.push_back(table.Write({begin, begin + static_cast<std::ptrdiff_t>(size)}));
    }
    auto sketches =
        SketchColumns(table.read_context(), tasks, *table.metadata().current_schema(), {1});
    EXPECT_THAT(sketches, IsOk());
    return sketches->front();
  };
  const ThetaSketch one = sketch(1);
  EXPECT_EQ(one.Serialize(), sketch(6).Serialize());
  constexpr double kFourErrors = 4 / 64.0;
  EXPECT_LT(std::abs(one.Estimate() / 30'000 - 1), kFourErrors);
}

}  // namespace
}  // namespace firn
