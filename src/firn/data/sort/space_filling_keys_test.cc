#include "firn/data/sort/space_filling_keys.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;

constexpr size_t kFiles = 128;

std::vector<StructValue> Rows(const std::vector<std::vector<Value>>& values) {
  std::vector<StructValue> rows;
  for (const std::vector<Value>& row : values)
    rows.push_back({row});
  return rows;
}

std::vector<std::string> KeysOf(RowKeyEncoder& encoder, const Schema& schema,
                                std::vector<StructValue> rows) {
  std::vector<std::string> keys;
  auto batches = ImportBatches(*MakeRowStream(schema.as_struct(), std::move(rows)));
  while (const auto batch = (*batches)->Next().value()) {
    RowKeys found;
    EXPECT_THAT(encoder.AppendKeys(*batch, arrow::default_memory_pool(), found), IsOk());
    for (size_t i = 0; i < found.size(); ++i)
      keys.emplace_back(found.at(i));
  }
  return keys;
}

std::vector<std::string> HilbertKeys(const Schema& schema, const std::vector<StructValue>& rows) {
  std::vector<int32_t> ids;
  for (const NestedField& field : schema.fields())
    ids.push_back(field.id);
  auto encoder = MakeHilbertEncoder(ids, schema, schema, *MakeRowStream(schema.as_struct(), rows));
  EXPECT_THAT(encoder, IsOk());
  return KeysOf(**encoder, schema, rows);
}

std::vector<std::string> ZOrderKeys(const Schema& schema, const std::vector<StructValue>& rows,
                                    const ZOrderOptions& options = {}) {
  std::vector<int32_t> ids;
  for (const NestedField& field : schema.fields())
    ids.push_back(field.id);
  auto encoder = MakeZOrderEncoder(ids, schema, options);
  EXPECT_THAT(encoder, IsOk());
  return KeysOf(**encoder, schema, rows);
}

std::string Hex(const std::string& bytes) { return FormatHex(AsBytes(bytes)); }

Schema OneColumn(TypeId type) { return Schema(0, {Optional(1, "c", Primitive(type))}); }

// Reference 3.5.
TEST(ZOrderKeysTest, HaveTheBytesOfSpark) {
  const auto keys = ZOrderKeys(OneColumn(TypeId::kDouble), Rows({{-1.5}, {0.0}, {1.5}, {Value()}}));
  EXPECT_EQ(Hex(keys[0]), "4007ffffffffffff");
  EXPECT_EQ(Hex(keys[1]), "8000000000000000");
  EXPECT_EQ(Hex(keys[2]), "bff8000000000000");
  EXPECT_EQ(Hex(keys[3]), "0000000000000000");
  const auto numbers = ZOrderKeys(OneColumn(TypeId::kInt), Rows({{-1}, {0}, {1}}));
  EXPECT_EQ(Hex(numbers[0]), "7fffffffffffffff");
  EXPECT_EQ(Hex(numbers[1]), "8000000000000000");
  EXPECT_EQ(Hex(numbers[2]), "8000000000000001");
  const auto flags = ZOrderKeys(OneColumn(TypeId::kBoolean), Rows({{true}, {false}, {Value()}}));
  EXPECT_EQ(Hex(flags[0]), "8100000000000000");
  EXPECT_EQ(Hex(flags[1]), "0000000000000000");
  EXPECT_EQ(Hex(flags[2]), "0000000000000000");
}

TEST(ZOrderKeysTest, CutTextsBetweenCharacters) {
  const auto keys =
      ZOrderKeys(OneColumn(TypeId::kString), Rows({{"ab"}, {"abcdefgh"}, {"abcdefg\xC3\xA9"}}));
  EXPECT_EQ(Hex(keys[0]), "6162000000000000");
  EXPECT_EQ(Hex(keys[1]), "6162636465666768");
  EXPECT_EQ(Hex(keys[2]), "6162636465666700");
}

TEST(ZOrderKeysTest, TakeABitOfEachColumnInTurnAndPassOverShortOnes) {
  const Schema schema(0, {Optional(1, "a", Primitive(TypeId::kString)),
                          Optional(2, "b", Primitive(TypeId::kString))});
  const auto keys = ZOrderKeys(schema, Rows({{"\xFF", std::string("\0", 1)}}), {.text_bytes = 1});
  EXPECT_EQ(Hex(keys[0]), "aaaa");
  EXPECT_EQ(
      Hex(ZOrderKeys(schema, Rows({{"\xFF", "\xFF"}}), {.key_bytes_max = 1, .text_bytes = 1})[0]),
      "ff");
}

TEST(ZOrderKeysTest, RefuseTypesThatSparkRefuses) {
  EXPECT_THAT(MakeZOrderEncoder({1}, OneColumn(TypeId::kUuid), {}),
              IsError(ErrorCode::kUnsupported, "'c' of type uuid"));
  EXPECT_THAT(MakeZOrderEncoder({7}, OneColumn(TypeId::kInt), {}),
              IsError(ErrorCode::kUnsupported, "column 7"));
}

// The indices of `keys` in their order.
std::vector<size_t> Sorted(const std::vector<std::string>& keys) {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return order;
}

TEST(HilbertKeysTest, StepFromEachCellOfAGridToANeighbour) {
  const Schema schema(
      0, {Optional(1, "x", Primitive(TypeId::kInt)), Optional(2, "y", Primitive(TypeId::kInt))});
  constexpr int kSide = 64;
  std::vector<std::vector<Value>> cells;
  for (int x = 0; x < kSide; ++x) {
    for (int y = 0; y < kSide; ++y)
      cells.push_back({x, y});
  }
  const std::vector<size_t> order = Sorted(HilbertKeys(schema, Rows(cells)));
  for (size_t i = 1; i < order.size(); ++i) {
    const auto& a = cells[order[i - 1]];
    const auto& b = cells[order[i]];
    const int steps = std::abs(a[0].get<int32_t>() - b[0].get<int32_t>()) +
                      std::abs(a[1].get<int32_t>() - b[1].get<int32_t>());
    ASSERT_EQ(steps, 1) << "step " << i;
  }
}

// Of 128 files that the order makes: how many a range that keeps one row in a hundred touches.
double FilesTouched(const std::vector<size_t>& order, const std::vector<double>& values) {
  const size_t rows_per_file = order.size() / kFiles;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  double touched = 0;
  constexpr size_t kRanges = 100;
  for (size_t range = 0; range < kRanges; ++range) {
    const double low = sorted[range * sorted.size() / 100];
    const double high = sorted[(range + 1) * sorted.size() / 100 - 1];
    for (size_t file = 0; file < kFiles; ++file) {
      double least = values[order[file * rows_per_file]];
      double most = least;
      for (size_t i = file * rows_per_file; i < (file + 1) * rows_per_file; ++i) {
        least = std::min(least, values[order[i]]);
        most = std::max(most, values[order[i]]);
      }
      touched += least <= high && most >= low ? 1 : 0;
    }
  }
  return touched / kRanges;
}

// Uniform numbers beside skewed ones, of another type and scale: both columns gain alike.
TEST(HilbertKeysTest, LetARangeOfEitherColumnTouchFewFiles) {
  const Schema schema(0, {Optional(1, "x", Primitive(TypeId::kLong)),
                          Optional(2, "y", Primitive(TypeId::kDouble))});
  for (const bool is_skewed : {false, true}) {
    std::vector<double> xs;
    std::vector<double> ys;
    std::vector<std::vector<Value>> rows;
    // A sequence that fills the square evenly, as the very many rows of real files do by chance.
    for (size_t i = 1; i <= kFiles * 400; ++i) {
      double whole = 0;
      const auto x = static_cast<int64_t>(
          std::modf(static_cast<double>(i) * 0.7548776662466927, &whole) * 1e12);
      const double even = std::modf(static_cast<double>(i) * 0.5698402909980532, &whole);
      const double y = is_skewed ? std::exp(even * 20) * 1e-9 : even;
      xs.push_back(static_cast<double>(x));
      ys.push_back(y);
      rows.push_back({x, y});
    }
    const std::vector<size_t> order = Sorted(HilbertKeys(schema, Rows(rows)));
    EXPECT_LE(FilesTouched(order, xs), 14) << "skewed: " << is_skewed;
    EXPECT_LE(FilesTouched(order, ys), 14) << "skewed: " << is_skewed;
  }
}

TEST(HilbertKeysTest, PutNullsFirstAndEqualValuesTogether) {
  const Schema schema = OneColumn(TypeId::kString);
  const auto keys = HilbertKeys(schema, Rows({{"b"}, {Value()}, {"b"}, {"a"}, {"c"}, {"b"}}));
  EXPECT_EQ(keys[0], keys[2]);
  EXPECT_EQ(keys[0], keys[5]);
  EXPECT_LT(keys[1], keys[3]);
  EXPECT_LT(keys[3], keys[0]);
  EXPECT_LT(keys[0], keys[4]);
}

}  // namespace
}  // namespace firn
