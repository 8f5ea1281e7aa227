#include "firn/data/sort/row_sorter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/read/reader.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

constexpr int64_t kBudget = int64_t{64} << 20;

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

SortField By(int32_t id, bool is_descending = false, bool is_nulls_first = true,
             Transform transform = {}) {
  return {.source_ids = {id},
          .transform = std::move(transform),
          .is_descending = is_descending,
          .is_nulls_first = is_nulls_first};
}

Result<std::vector<StructValue>> Sort(const Schema& schema, const std::vector<SortField>& order,
                                      std::vector<StructValue> rows) {
  MemoryBudget budget(kBudget);
  FIRN_ASSIGN(auto encoder, MakeSortKeyEncoder(order, schema));
  FIRN_ASSIGN(RowStream stream, MakeRowStream(schema.as_struct(), std::move(rows)));
  FIRN_ASSIGN(auto batches, ImportBatches(std::move(stream)));
  const auto sorted = SortRows({.budget = &budget}, std::move(encoder), std::move(batches));
  std::vector<StructValue> result;
  while (true) {
    FIRN_ASSIGN(const auto batch, sorted->Next());
    if (batch == nullptr) return result;
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      StructValue values;
      for (int i = 0; i < batch->num_columns(); ++i) {
        values.fields.push_back(
            ReadValue(*schema.fields()[static_cast<size_t>(i)].type, *batch->column(i), row));
      }
      result.push_back(std::move(values));
    }
  }
}

std::vector<Value> SortedValues(const TypePtr& type, const SortField& by,
                                const std::vector<Value>& values) {
  const Schema schema(0, {Optional(1, "c", type)});
  std::vector<StructValue> rows;
  for (const Value& value : values)
    rows.push_back(Row({value}));
  const auto sorted = Sort(schema, {by}, std::move(rows));
  EXPECT_THAT(sorted, IsOk());
  std::vector<Value> result;
  if (sorted.ok()) {
    for (const StructValue& row : *sorted)
      result.push_back(row.fields[0]);
  }
  return result;
}

TEST(SortRowsTest, OrdersFloatsAsTheSpecDoes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Value> ordered = {{}, -nan, -inf, -1.5, -0.0, 0.0, 1e-300, 1.5, inf, nan};
  std::vector<Value> values(ordered.rbegin(), ordered.rend());

  const auto sorted = SortedValues(Primitive(TypeId::kDouble), By(1), values);

  ASSERT_EQ(sorted.size(), ordered.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_EQ(sorted[i], ordered[i]) << i;
    EXPECT_EQ(i > 0 && std::signbit(sorted[i].get<double>()), i > 0 && i < 5) << i;
  }
}

TEST(SortRowsTest, PutsNullsWhereTheOrderSaysWhateverTheDirection) {
  const std::vector<Value> values = {2, {}, 1};
  const TypePtr type = Primitive(TypeId::kInt);
  using testing::ElementsAre;
  EXPECT_THAT(SortedValues(type, By(1, false, true), values), ElementsAre(Value(), 1, 2));
  EXPECT_THAT(SortedValues(type, By(1, false, false), values), ElementsAre(1, 2, Value()));
  EXPECT_THAT(SortedValues(type, By(1, true, true), values), ElementsAre(Value(), 2, 1));
  EXPECT_THAT(SortedValues(type, By(1, true, false), values), ElementsAre(2, 1, Value()));
}

TEST(SortRowsTest, OrdersTextsByTheirBytes) {
  // UTF-16 would put the last two the other way round.
  const std::vector<Value> ordered = {"",
                                      std::string(1, '\0'),
                                      std::string("\0a", 2),
                                      "a",
                                      std::string("a\0", 2),
                                      std::string("a\0\xC3", 3),
                                      "ab",
                                      "b",
                                      "\xEF\xBF\xBD",
                                      "\xF0\x9F\x98\x80"};
  const std::vector<Value> reversed(ordered.rbegin(), ordered.rend());
  EXPECT_EQ(SortedValues(Primitive(TypeId::kString), By(1), reversed), ordered);
  EXPECT_EQ(SortedValues(Primitive(TypeId::kString), By(1, true), ordered), reversed);
}

Value RandomValue(Random& random, const Type& type) {
  const uint64_t bits = random.Next() >> random.Below(64);
  const auto number = static_cast<int64_t>(random.Below(2) == 0 ? bits : ~bits);
  const std::string text(random.Below(12), static_cast<char>('a' + random.Below(3)));
  if (random.Below(8) == 0) return {};
  switch (type.id()) {
    case TypeId::kBoolean:
      return number % 2 == 0;
    case TypeId::kInt:
    case TypeId::kDate:
      return static_cast<int32_t>(number);
    case TypeId::kFloat:
      return static_cast<float>(number) / 8;
    case TypeId::kDouble:
      return static_cast<double>(number) / 8;
    case TypeId::kDecimal:
      return static_cast<Int128>(number) * 12345 * (random.Below(2) == 0 ? 1000000000 : 1);
    case TypeId::kString:
      return text;
    case TypeId::kUuid:
      return MakeUuid(random);
    case TypeId::kFixed:
      return BinaryValue{"a" + FormatUuid(MakeUuid(random)).substr(0, 2)};
    case TypeId::kBinary:
      return BinaryValue{text};
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return number;
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return {};
}

// The order that the values themselves tell.
bool IsBefore(const StructValue& a, const StructValue& b, const std::vector<SortField>& order,
              const Schema& schema) {
  for (const SortField& field : order) {
    const auto index = static_cast<size_t>(field.source_id() - 1);
    const Type& type = *schema.fields()[index].type;
    const Value left = *ApplyTransform(field.transform, type, a.fields[index]);
    const Value right = *ApplyTransform(field.transform, type, b.fields[index]);
    if (left.is_null() != right.is_null()) return left.is_null() == field.is_nulls_first;
    const auto compared = CompareValues(left, right);
    if (compared != 0) return (compared < 0) != field.is_descending;
  }
  return false;
}

Transform RandomTransform(Random& random, const Type& type) {
  static const std::vector<std::string> texts = {"bucket[7]", "truncate[4]", "year", "month",
                                                 "day",       "hour",        "void", "identity"};
  while (true) {
    const Transform transform = *ParseTransform(texts[random.Below(texts.size())]);
    if (CanTransform(transform, type)) return transform;
  }
}

TEST(SortRowsTest, AgreesWithTheOrderOfValuesForEveryTypeAndTransform) {
  std::vector<NestedField> fields;
  for (const TypePtr& type :
       {Primitive(TypeId::kBoolean), Primitive(TypeId::kInt), Primitive(TypeId::kLong),
        Primitive(TypeId::kFloat), Primitive(TypeId::kDouble), Type::Decimal(38, 4),
        Primitive(TypeId::kDate), Primitive(TypeId::kTime), Primitive(TypeId::kTimestamp),
        Primitive(TypeId::kTimestamptzNs), Primitive(TypeId::kString), Primitive(TypeId::kUuid),
        Type::Fixed(3), Primitive(TypeId::kBinary)}) {
    const auto id = static_cast<int32_t>(fields.size()) + 1;
    fields.push_back(Optional(id, "c" + std::to_string(id), type));
  }
  const Schema schema(0, fields);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto random = MakeSeededRandom(seed);
    std::vector<SortField> order;
    for (uint64_t i = 0; i <= random->Below(3); ++i) {
      const auto id = static_cast<int32_t>(random->Below(fields.size())) + 1;
      order.push_back(By(id, random->Below(2) == 0, random->Below(2) == 0,
                         RandomTransform(*random, *fields[static_cast<size_t>(id) - 1].type)));
    }
    std::vector<StructValue> rows;
    for (int i = 0; i < 200; ++i) {
      StructValue row;
      for (const NestedField& field : fields)
        row.fields.push_back(RandomValue(*random, *field.type));
      rows.push_back(std::move(row));
    }

    const auto sorted = Sort(schema, order, rows);

    std::stable_sort(rows.begin(), rows.end(), [&](const StructValue& a, const StructValue& b) {
      return IsBefore(a, b, order, schema);
    });
    ASSERT_THAT(sorted, IsOk());
    ASSERT_EQ(sorted->size(), rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ((*sorted)[i].fields, rows[i].fields) << "seed " << seed << " row " << i;
  }
}

TEST(SortRowsTest, SortsByAFieldInsideAStruct) {
  const TypePtr inner = Type::Struct({Optional(2, "x", Primitive(TypeId::kInt))});
  const Schema schema(0, {Optional(1, "s", inner)});
  const auto sorted = Sort(schema, {By(2, false, false)},
                           {Row({Value::Struct({2})}), Row({{}}), Row({Value::Struct({1})})});
  ASSERT_THAT(sorted, IsOk());
  EXPECT_EQ((*sorted)[0].fields[0], Value::Struct({1}));
  EXPECT_TRUE((*sorted)[2].fields[0].is_null());
}

TEST(SortRowsTest, RefusesATransformThatItDoesNotKnow) {
  const Schema schema(0, {Optional(1, "c", Primitive(TypeId::kInt))});
  const auto encoder = MakeSortKeyEncoder({By(1, false, true, *ParseTransform("zorder"))}, schema);
  EXPECT_THAT(encoder, IsError(ErrorCode::kUnsupported, "zorder of column 'c'"));
}

// Random rows (number, its place, text) made while they are read.
class RandomRows final : public BatchStream {
 public:
  RandomRows(int64_t batches, uint64_t values) : batches_left_(batches), values_(values) {
    schema_ = arrow::schema({arrow::field("n", arrow::int64()), arrow::field("at", arrow::int64()),
                             arrow::field("s", arrow::utf8())});
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (batches_left_-- == 0) return std::shared_ptr<arrow::RecordBatch>();
    arrow::Int64Builder numbers;
    arrow::Int64Builder places;
    arrow::StringBuilder texts;
    for (int i = 0; i < 1000; ++i) {
      const auto number = static_cast<int64_t>(random_->Below(values_));
      EXPECT_TRUE(numbers.Append(number).ok());
      EXPECT_TRUE(places.Append(next_++).ok());
      EXPECT_TRUE(texts.Append(std::string(200, 'x') + std::to_string(number)).ok());
    }
    return arrow::RecordBatch::Make(
        schema_, 1000,
        {numbers.Finish().ValueOrDie(), places.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
  }

 private:
  std::unique_ptr<Random> random_ = MakeSeededRandom(7);
  int64_t batches_left_;
  uint64_t values_;
  int64_t next_ = 0;
  std::shared_ptr<arrow::Schema> schema_;
};

Schema RandomSchema() {
  return Schema(
      0, {Optional(1, "n", Primitive(TypeId::kLong)), Optional(2, "at", Primitive(TypeId::kLong)),
          Optional(3, "s", Primitive(TypeId::kString))});
}

class SortRunsTest : public testing::TestWithParam<size_t> {};

INSTANTIATE_TEST_SUITE_P(Threads, SortRunsTest, testing::Values(0, 1, 3));

TEST_P(SortRunsTest, MergesRunsFromDiskInSeveralPassesWithinTheBudget) {
  const auto threads = GetParam() == 0 ? nullptr : MakeThreadPool(GetParam());
  constexpr int64_t kBatches = 400;  // 90 MB.
  MemoryBudget budget(int64_t{10} << 20);
  const auto others = budget.TryReserve(int64_t{5} << 20);
  ASSERT_THAT(others, IsOk());
  const auto sorted = SortRows({.budget = &budget, .executor = threads.get()},
                               *MakeSortKeyEncoder({By(1)}, RandomSchema()),
                               std::make_unique<RandomRows>(kBatches, 50000));
  int64_t rows = 0;
  std::pair<int64_t, int64_t> last{-1, -1};
  while (true) {
    const auto batch = sorted->Next();
    ASSERT_THAT(batch, IsOk());
    if (*batch == nullptr) break;
    EXPECT_LE((*batch)->num_rows(), 16384);
    for (int64_t row = 0; row < (*batch)->num_rows(); ++row) {
      const std::pair<int64_t, int64_t> current = {
          ReadValue(*Primitive(TypeId::kLong), *(*batch)->column(0), row).get<int64_t>(),
          ReadValue(*Primitive(TypeId::kLong), *(*batch)->column(1), row).get<int64_t>()};
      ASSERT_LT(last, current);  // Equal numbers keep their order.
      last = current;
      ++rows;
    }
  }
  EXPECT_EQ(rows, kBatches * 1000);
  EXPECT_LE(budget.peak_bytes(), int64_t{10} << 20);
}

TEST_P(SortRunsTest, NamesTheSpillFolderThatCannotBeUsed) {
  const auto threads = GetParam() == 0 ? nullptr : MakeThreadPool(GetParam());
  MemoryBudget budget(int64_t{8} << 20);
  const auto sorted = SortRows(
      {.budget = &budget, .executor = threads.get(), .spill_folder = "/nowhere"},
      *MakeSortKeyEncoder({By(1)}, RandomSchema()), std::make_unique<RandomRows>(40, 50000));
  EXPECT_THAT(sorted->Next(), IsError(ErrorCode::kNotFound, "/nowhere"));
}

TEST(SortRowsTest, StopsWhenItIsCancelled) {
  MemoryBudget budget(kBudget);
  CancelSource source;
  source.Cancel();
  const auto sorted =
      SortRows({.budget = &budget, .cancel = source.token()},
               *MakeSortKeyEncoder({By(1)}, RandomSchema()), std::make_unique<RandomRows>(4, 50));
  EXPECT_THAT(sorted->Next(), IsError(ErrorCode::kCancelled));
}

}  // namespace
}  // namespace firn
