#include "firn/data/sort/curve_cells.h"

#include <arrow/api.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::Optional;

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// Batches of one column of numbers.
class Numbers final : public BatchStream {
 public:
  explicit Numbers(std::vector<std::vector<int32_t>> batches) : batches_(std::move(batches)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  Result<BatchPtr> Next() override {
    if (next_ == batches_.size()) return BatchPtr();
    arrow::Int32Builder builder;
    EXPECT_TRUE(builder.AppendValues(batches_[next_]).ok());
    const auto rows = static_cast<int64_t>(batches_[next_++].size());
    return arrow::RecordBatch::Make(schema_, rows, {*builder.Finish()});
  }

 private:
  std::shared_ptr<arrow::Schema> schema_ = arrow::schema({arrow::field("n", arrow::int32())});
  std::vector<std::vector<int32_t>> batches_;
  size_t next_ = 0;
};

// Keys whose first 12 bits are the number.
class NumberEncoder final : public RowKeyEncoder {
 public:
  Status AppendKeys(const arrow::RecordBatch& batch, arrow::MemoryPool* /*pool*/,
                    RowKeys& keys) override {
    const auto& numbers = static_cast<const arrow::Int32Array&>(*batch.column(0));
    for (int64_t i = 0; i < numbers.length(); ++i) {
      const auto number = static_cast<uint32_t>(numbers.Value(i));
      keys.bytes().push_back(static_cast<char>(number >> 4));
      keys.bytes().push_back(static_cast<char>(number << 4));
      keys.EndRow();
    }
    return {};
  }
};

TEST(CurveCellsTest, AreMarkedWhereRowsEnterThem) {
  const auto cells = std::make_shared<CurveCells>();
  const auto rows = MarkCells(std::make_unique<Numbers>(std::vector<std::vector<int32_t>>{
                                  {0, 0, 1, 1023}, {}, {1024, 2047, 2048, 2048}, {2048, 4095}}),
                              std::make_unique<NumberEncoder>(), cells);
  while (true) {
    const auto batch = rows->Next();
    ASSERT_THAT(batch, IsOk());
    if (*batch == nullptr) break;
  }

  EXPECT_THAT(cells->FindBorder(0, 100, 1), Optional(6)) << "from the first half to the second";
  EXPECT_EQ(cells->FindBorder(6, 100, 1), std::nullopt);
  EXPECT_EQ(cells->FindBorder(0, 5, 1), std::nullopt);
  EXPECT_THAT(cells->FindBorder(0, 100, 2), Optional(4)) << "from a quarter to the next";
  EXPECT_THAT(cells->FindBorder(6, 100, 2), Optional(9));
  EXPECT_THAT(cells->FindBorder(0, 100, 12), Optional(2));
  EXPECT_THAT(cells->FindBorder(4, 100, 12), Optional(5));
  cells->Forget(5);
  EXPECT_THAT(cells->FindBorder(0, 100, 12), Optional(5));
}

}  // namespace
}  // namespace firn
