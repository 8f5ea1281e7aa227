#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/arrow/row_sizes_internal.h"

namespace firn {
namespace {

std::shared_ptr<arrow::RecordBatch> MakeBatch() {
  arrow::StringBuilder texts;
  EXPECT_TRUE(texts.AppendValues({"a", std::string(1000, 'b'), "", "dd"}).ok());
  const auto values = std::make_shared<arrow::Int64Builder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), values);
  for (const int64_t count : {0, 1, 50, 2}) {
    EXPECT_TRUE(lists.Append().ok());
    EXPECT_TRUE(values->AppendValues(std::vector<int64_t>(static_cast<size_t>(count), 7)).ok());
  }
  arrow::Int32Builder numbers;
  EXPECT_TRUE(numbers.AppendValues({1, 2, 3, 4}).ok());
  const auto schema = arrow::schema({arrow::field("s", arrow::utf8()),
                                     arrow::field("l", arrow::list(arrow::int64())),
                                     arrow::field("n", arrow::int32())});
  return arrow::RecordBatch::Make(
      schema, 4,
      {texts.Finish().ValueOrDie(), lists.Finish().ValueOrDie(), numbers.Finish().ValueOrDie()});
}

TEST(RowSizesTest, CountsWhatDiffersFromRowToRow) {
  const auto batch = MakeBatch();
  EXPECT_EQ(RowBytes(*batch, 0), 1);
  EXPECT_EQ(RowBytes(*batch, 1), 1008);
  EXPECT_EQ(RowBytes(*batch, 2), 400);
  EXPECT_EQ(RowBytes(*batch->Slice(1), 1), 400);
  EXPECT_EQ(LargestRowBytes(*batch), 1400);
  EXPECT_EQ(LargestRowBytes(*batch->Slice(2)), 402);
}

TEST(RowSizesTest, TakesRowsUntilTheyAreTooLargeTogether) {
  const std::vector<std::shared_ptr<arrow::RecordBatch>> batches = {MakeBatch()};
  const std::vector<RowPlace> places = {{0, 0}, {0, 2}, {0, 1}, {0, 3}};
  EXPECT_EQ(CountRowsWithin(batches, places, 401), 2U);
  EXPECT_EQ(CountRowsWithin(batches, places, 10000), 4U);
  EXPECT_EQ(CountRowsWithin(batches, std::span(places).subspan(2), 5), 1U);
}

}  // namespace
}  // namespace firn
