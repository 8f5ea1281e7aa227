#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/data/sort/packed_batch_internal.h"
#include "firn/data/sort/row_sorter.h"
#include "firn/testing/matchers.h"

// Rows that are as large as what sorting may have.

namespace firn {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

// The text of a row: alike for long, or equal.
struct LargeText {
  char letter = 'a';
  int64_t bytes = 0;

  std::string Make() const {
    std::string text(static_cast<size_t>(bytes), 'x');
    if (!text.empty()) text.back() = letter;
    return text;
  }
};

// Rows (place, text), some in a batch, made while they are read.
class LargeRows final : public BatchStream {
 public:
  explicit LargeRows(std::vector<LargeText> texts) : texts_(std::move(texts)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (next_ == texts_.size()) return std::shared_ptr<arrow::RecordBatch>();
    arrow::Int64Builder places;
    arrow::StringBuilder texts;
    const size_t end = std::min(next_ + 1 + next_ % 3, texts_.size());
    const size_t begin = next_;
    for (; next_ < end; ++next_) {
      if (next_ > begin && texts_[next_].bytes > kMebibyte) break;
      EXPECT_TRUE(places.Append(static_cast<int64_t>(next_)).ok());
      EXPECT_TRUE(texts.Append(texts_[next_].Make()).ok());
    }
    const int64_t rows = places.length();
    return arrow::RecordBatch::Make(schema_, rows,
                                    {places.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
  }

 private:
  const std::vector<LargeText> texts_;
  const std::shared_ptr<arrow::Schema> schema_ =
      arrow::schema({arrow::field("at", arrow::int64()), arrow::field("s", arrow::utf8())});
  size_t next_ = 0;
};

// The places of rows in the order of their texts or, backwards, of their places.
void ExpectSorted(const std::vector<LargeText>& texts, int64_t memory_bytes, bool is_by_text,
                  Executor* executor) {
  std::vector<int64_t> expected(texts.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::vector<std::string> whole;
  for (const LargeText& text : texts)
    whole.push_back(text.Make());
  std::stable_sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
    if (!is_by_text) return a > b;
    return whole[static_cast<size_t>(a)] < whole[static_cast<size_t>(b)];
  });
  const Schema schema(0, {Optional(1, "at", Primitive(TypeId::kLong)),
                          Optional(2, "s", Primitive(TypeId::kString))});
  const SortField field{.source_ids = {is_by_text ? 2 : 1}, .is_descending = !is_by_text};
  MemoryBudget budget(memory_bytes);
  const auto sorted =
      SortRows({.budget = &budget, .executor = executor}, *MakeSortKeyEncoder({field}, schema),
               std::make_unique<LargeRows>(texts));
  std::vector<int64_t> found;
  while (true) {
    const auto batch = sorted->Next();
    ASSERT_THAT(batch, IsOk());
    if (*batch == nullptr) break;
    const auto& places = static_cast<const arrow::Int64Array&>(*(*batch)->column(0));
    const auto& rows = static_cast<const arrow::StringArray&>(*(*batch)->column(1));
    for (int64_t row = 0; row < (*batch)->num_rows(); ++row) {
      const int64_t place = places.Value(row);
      found.push_back(place);
      EXPECT_TRUE(rows.GetView(row) == whole[static_cast<size_t>(place)]) << place;
    }
  }
  EXPECT_EQ(found, expected);
}

class SortLargeRowsTest : public testing::TestWithParam<size_t> {};

INSTANTIATE_TEST_SUITE_P(Threads, SortLargeRowsTest, testing::Values(0, 2));

TEST_P(SortLargeRowsTest, TextsThatAreAlikeForLongAndEqualOnesAmongSmallOnesAreInOrder) {
  const auto threads = GetParam() == 0 ? nullptr : MakeThreadPool(GetParam());
  const auto random = MakeSeededRandom(3);
  std::vector<LargeText> texts;
  for (int i = 0; i < 200; ++i) {
    constexpr int64_t kSizes[] = {0, 60, 300, 70'000, 400'000, 900'000, 2'000'000};
    const int64_t bytes = kSizes[random->Below(random->Below(4) == 0 ? 7 : 4)];
    texts.push_back({static_cast<char>('a' + random->Below(4)), bytes});
  }
  for (const bool is_by_text : {false, true})
    ExpectSorted(texts, 16 * kMebibyte, is_by_text, threads.get());
}

TEST_P(SortLargeRowsTest, ARowMayBeALargePartOfTheMemory) {
  const auto threads = GetParam() == 0 ? nullptr : MakeThreadPool(GetParam());
  std::vector<LargeText> texts;
  for (int i = 0; i < 9; ++i)
    texts.push_back({static_cast<char>('a' + i % 4), 7 * kMebibyte});
  for (const bool is_by_text : {false, true})
    ExpectSorted(texts, 16 * kMebibyte, is_by_text, threads.get());
}

TEST(PackInPiecesTest, AreTogetherWhatABatchIsPackedTo) {
  constexpr int64_t kRows = 3;
  arrow::StringBuilder texts;
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::Int32Builder>());
  auto& items = static_cast<arrow::Int32Builder&>(*lists.value_builder());
  for (int64_t row = 0; row < kRows; ++row) {
    ASSERT_TRUE(texts.Append(LargeText{'a', 500'001 * row}.Make()).ok());
    ASSERT_TRUE(lists.Append().ok() && items.Append(1).ok() && items.Append(2).ok());
  }
  const auto text = texts.Finish().ValueOrDie();
  const auto list = lists.Finish().ValueOrDie();
  const auto schema =
      arrow::schema({arrow::field("a", text->type()), arrow::field("b", list->type()),
                     arrow::field("c", text->type()), arrow::field("d", list->type())});
  const auto batch = arrow::RecordBatch::Make(schema, kRows, {text, list, text, list});
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  arrow::BufferBuilder out;
  const auto pieces = PackInPieces(*batch, pool, out).ValueOrDie();
  EXPECT_GE(pieces.size(), 4U);
  EXPECT_LT(out.length(), 10'000);
  arrow::BufferBuilder joined;
  for (const auto& piece : pieces)
    ASSERT_TRUE(joined.Append(piece.data(), std::ssize(piece)).ok());
  const auto found = UnpackBatch(schema, joined.Finish().ValueOrDie(), pool).ValueOrDie();
  EXPECT_TRUE(found->ValidateFull().ok());
  EXPECT_TRUE(found->Equals(*batch));
}

}  // namespace
}  // namespace firn
