#include <functional>
#include <string>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/initialize.h>
#include <arrow/record_batch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/data/arrow/gather_rows_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

// Appends one value, or a null where that may be.
void AppendRandom(arrow::ArrayBuilder& builder, Random& random, bool may_be_null) {
  if (may_be_null && random.Below(4) == 0) {
    ASSERT_TRUE(builder.AppendNull().ok());
    return;
  }
  const std::string text(random.Below(40), static_cast<char>('a' + random.Below(26)));
  const auto number = static_cast<int64_t>(random.Below(100000));
  bool is_appended = false;
  const auto offer = [&]<typename Builder>(Builder* typed, auto value) {
    if (typed == nullptr) return;
    ASSERT_TRUE(typed->Append(value).ok());
    is_appended = true;
  };
  offer(dynamic_cast<arrow::BooleanBuilder*>(&builder), number % 2 == 0);
  offer(dynamic_cast<arrow::Int8Builder*>(&builder), static_cast<int8_t>(number));
  offer(dynamic_cast<arrow::Int16Builder*>(&builder), static_cast<int16_t>(number));
  offer(dynamic_cast<arrow::Date32Builder*>(&builder), static_cast<int32_t>(number));
  offer(dynamic_cast<arrow::DoubleBuilder*>(&builder), static_cast<double>(number));
  offer(dynamic_cast<arrow::Int64Builder*>(&builder), number);
  offer(dynamic_cast<arrow::StringBuilder*>(&builder), text);
  offer(dynamic_cast<arrow::LargeBinaryBuilder*>(&builder), text);
  if (auto* decimals = dynamic_cast<arrow::Decimal128Builder*>(&builder)) {
    offer(decimals, arrow::Decimal128(number));
  } else if (auto* bytes = dynamic_cast<arrow::FixedSizeBinaryBuilder*>(&builder)) {
    offer(bytes, std::string(5, static_cast<char>(number)));
  } else if (auto* list = dynamic_cast<arrow::ListBuilder*>(&builder)) {
    is_appended = list->Append().ok();
    for (uint64_t i = random.Below(4); i > 0; --i)
      AppendRandom(*list->value_builder(), random, may_be_null);
  } else if (auto* fields = dynamic_cast<arrow::StructBuilder*>(&builder)) {
    is_appended = fields->Append().ok();
    for (int i = 0; i < fields->num_fields(); ++i)
      AppendRandom(*fields->field_builder(i), random, may_be_null);
  }
  if (!is_appended) {
    ASSERT_TRUE(builder.AppendNull().ok());
  }
}

// Slices, so that offsets count.
ArrayPtr RandomArray(const std::shared_ptr<arrow::DataType>& type, Random& random,
                     bool may_be_null) {
  auto builder = arrow::MakeBuilder(type).ValueOrDie();
  for (int i = 0; i < 60; ++i)
    AppendRandom(*builder, random, may_be_null);
  const auto first = static_cast<int64_t>(random.Below(10));
  return builder->Finish().ValueOrDie()->Slice(first, 60 - 2 * first);
}

class GatherRowsTest : public testing::TestWithParam<std::shared_ptr<arrow::DataType>> {};

INSTANTIATE_TEST_SUITE_P(
    Types, GatherRowsTest,
    testing::Values(arrow::boolean(), arrow::int8(), arrow::int16(), arrow::date32(),
                    arrow::float64(), arrow::int64(), arrow::decimal128(20, 2),
                    arrow::fixed_size_binary(5), arrow::utf8(), arrow::large_binary(),
                    arrow::list(arrow::utf8()),
                    arrow::struct_({arrow::field("a", arrow::int64()),
                                    arrow::field("b", arrow::list(arrow::int16()))}),
                    arrow::null()));

TEST_P(GatherRowsTest, TakesTheSameRowsAsArrowDoesFromAllBatchesPutTogether) {
  ASSERT_TRUE(arrow::compute::Initialize().ok());
  const auto random = MakeSeededRandom(11);
  for (const bool may_be_null : {false, true}) {
    const auto schema = arrow::schema({arrow::field("c", GetParam())});
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    arrow::ArrayVector arrays;
    std::vector<int64_t> first_rows;
    int64_t rows = 0;
    for (int i = 0; i < 5; ++i) {
      arrays.push_back(RandomArray(GetParam(), *random, may_be_null && i != 2));
      batches.push_back(arrow::RecordBatch::Make(schema, arrays.back()->length(), {arrays.back()}));
      first_rows.push_back(rows);
      rows += arrays.back()->length();
    }
    std::vector<RowPlace> places;
    arrow::Int64Builder indices;
    for (int i = 0; i < 300; ++i) {
      const auto batch = static_cast<uint32_t>(random->Below(batches.size()));
      const auto row =
          static_cast<uint32_t>(random->Below(static_cast<uint64_t>(batches[batch]->num_rows())));
      places.push_back({batch, row});
      ASSERT_TRUE(indices.Append(first_rows[batch] + row).ok());
    }

    const auto gathered = GatherRows(batches, places, arrow::default_memory_pool());

    ASSERT_THAT(gathered, IsOk());
    ASSERT_TRUE((*gathered)->ValidateFull().ok());
    const ArrayPtr all = arrow::Concatenate(arrays).ValueOrDie();
    const ArrayPtr expected =
        arrow::compute::Take(*all, *indices.Finish().ValueOrDie()).ValueOrDie();
    EXPECT_TRUE((*gathered)->column(0)->Equals(*expected));
    EXPECT_EQ((*gathered)->column(0)->null_count(), expected->null_count());
  }
}

}  // namespace
}  // namespace firn
