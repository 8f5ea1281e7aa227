#include "firn/data/merge/keyed_rows.h"

#include <limits>
#include <optional>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>

#include <gmock/gmock.h>

#include "firn/base/executor.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/keys/key_batch_internal.h"
#include "firn/data/keys/key_store_internal.h"
#include "firn/data/keys/row_ids_internal.h"
#include "firn/data/merge/row_spool_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ::testing::ElementsAre;

template <typename Builder, typename T>
std::shared_ptr<arrow::Array> ArrayOf(const std::vector<std::optional<T>>& values) {
  Builder builder;
  for (const auto& value : values) {
    EXPECT_TRUE((value ? builder.Append(*value) : builder.AppendNull()).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Longs(const std::vector<std::optional<int64_t>>& values) {
  return ArrayOf<arrow::Int64Builder>(values);
}

TEST(KeyBatchTest, GivesEqualBytesToEqualKeysOnly) {
  const auto texts = ArrayOf<arrow::StringBuilder, std::string>({"a", "ab", "a", "", "a"});
  const auto others = ArrayOf<arrow::StringBuilder, std::string>({"bc", "c", "bc", "abc", "b"});
  const KeyBatch keys({texts, others}, 5);
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 5; ++j)
      EXPECT_EQ(keys.key(i) == keys.key(j), i == j || (i + j == 2 && i != 1)) << i << ' ' << j;
  }
}

TEST(KeyBatchTest, TakesTheZerosForOneAndNanForItself) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto values = ArrayOf<arrow::DoubleBuilder, double>({0.0, -0.0, nan, -nan, 1.0, {}});
  const KeyBatch keys({values}, 6);
  EXPECT_EQ(keys.key(0), keys.key(1));
  EXPECT_EQ(keys.key(2), keys.key(3));
  EXPECT_NE(keys.key(0), keys.key(4));
  EXPECT_FALSE(keys.is_null(4));
  EXPECT_TRUE(keys.is_null(5));
}

TEST(KeyBatchTest, ReadsSlicesOfEveryWidth) {
  const auto longs = Longs({7, 8, 9})->Slice(1);
  EXPECT_EQ(KeyBatch({longs}, 2).key(0), KeyBatch({Longs({8})}, 1).key(0));
  const auto bits = ArrayOf<arrow::BooleanBuilder, bool>({true, false, true})->Slice(1);
  const KeyBatch both({bits, longs}, 2);
  EXPECT_EQ(both.width(), 9U);
  const auto bit = ArrayOf<arrow::BooleanBuilder, bool>({true});
  EXPECT_EQ(both.key(1), KeyBatch({bit, Longs({9})}, 1).key(0));
}

// Many more keys than a small budget holds: they go to disk and are found all the same.
TEST(KeyStoreTest, FindsTheLastRowOfEveryKeyHoweverLittleMemoryThereIs) {
  constexpr int64_t kKeys = 60000;
  for (const int64_t budget_bytes : {int64_t{256} << 20, int64_t{2} << 20}) {
    MemoryBudget budget(budget_bytes);
    int64_t duplicates = 0;
    KeyStore store(&budget, 8, [&](int64_t earlier, int64_t later) -> Status {
      EXPECT_EQ(later - earlier, kKeys);
      ++duplicates;
      return {};
    });
    for (int64_t round = 0; round < 2; ++round) {
      std::vector<std::optional<int64_t>> ids;
      for (int64_t i = 0; i < kKeys; ++i)
        ids.push_back(i * 7919);
      const KeyBatch keys({Longs(ids)}, kKeys);
      ASSERT_THAT(store.Add(keys, round * kKeys), IsOk());
    }
    ASSERT_THAT(store.Finish(), IsOk());
    EXPECT_EQ(store.pass_count() > 1, budget_bytes < int64_t{16} << 20);
    RowIds row_ids;
    size_t found = 0;
    const KeyBatch probe({Longs({0, 7919, 7919 * 3, 5, {}, 7919 * (kKeys - 1)})}, 6);
    std::vector<bool> hits(6);
    for (size_t pass = 0; pass < store.pass_count(); ++pass) {
      ASSERT_THAT(store.Load(pass), IsOk());
      found += store.table().size();
      std::vector<int64_t> ordinals;
      store.table().Find(probe, ordinals);
      for (size_t i = 0; i < ordinals.size(); ++i) {
        if (ordinals[i] == KeyTable::kNotFound) continue;
        EXPECT_FALSE(hits[i]);
        hits[i] = true;
        const auto ordinal = static_cast<KeyOrdinal>(ordinals[i]);
        store.table().Match(ordinal, 500 + static_cast<int64_t>(i));
        store.table().Match(ordinal, 900);  // The lowest counts.
      }
      ASSERT_THAT(row_ids.Add(store.table(), store.pass_count() > 1), IsOk());
    }
    EXPECT_EQ(found, static_cast<size_t>(kKeys));
    EXPECT_EQ(duplicates, kKeys);
    EXPECT_THAT(hits, ElementsAre(true, true, true, false, false, true));
    std::vector<int64_t> ids(10, -1);
    ASSERT_THAT(row_ids.Fill(kKeys - 5, ids), IsOk());
    EXPECT_THAT(ids, ElementsAre(-1, -1, -1, -1, -1, 500, 501, -1, 502, -1));
    ids.assign(1, -1);
    ASSERT_THAT(row_ids.Fill(2 * kKeys - 1, ids), IsOk());
    EXPECT_THAT(ids, ElementsAre(505));
    EXPECT_LE(budget.peak_bytes(), budget_bytes);
  }
}

TEST(RowSpoolTest, GivesBackAllRowsInOrderFromMemoryOrDisk) {
  for (const int64_t budget_bytes : {int64_t{256} << 20, int64_t{1} << 20}) {
    MemoryBudget budget(budget_bytes);
    const auto schema = arrow::schema({arrow::field("id", arrow::int64())});
    auto spool = std::make_unique<RowSpool>(&budget, schema);
    constexpr int64_t kRows = 20000;
    constexpr int64_t kBatches = 10;
    for (int64_t batch = 0; batch < kBatches; ++batch) {
      std::vector<std::optional<int64_t>> ids;
      for (int64_t i = 0; i < kRows; ++i)
        ids.push_back(batch * kRows + i);
      ASSERT_THAT(spool->Add(arrow::RecordBatch::Make(schema, kRows, {Longs(ids)})), IsOk());
    }
    ASSERT_THAT(spool->Finish(), IsOk());
    EXPECT_EQ(spool->is_on_disk(), budget_bytes < int64_t{16} << 20);
    EXPECT_EQ(spool->row_count(), kRows * kBatches);
    const auto check = [&](BatchStream& rows) {
      int64_t next = 0;
      while (true) {
        const auto batch = rows.Next();
        ASSERT_THAT(batch, IsOk());
        if (*batch == nullptr) break;
        const auto& ids = static_cast<const arrow::Int64Array&>(*(*batch)->column(0));
        for (int64_t i = 0; i < ids.length(); ++i)
          ASSERT_EQ(ids.Value(i), next++);
      }
      EXPECT_EQ(next, kRows * kBatches);
    };
    const auto rows = spool->Read();
    ASSERT_THAT(rows, IsOk());
    check(**rows);
    const auto taken = RowSpool::Take(std::move(spool));
    ASSERT_THAT(taken, IsOk());
    check(**taken);
  }
}

}  // namespace
}  // namespace firn
