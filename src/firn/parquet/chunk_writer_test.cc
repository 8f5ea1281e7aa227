#include "firn/parquet/chunk_writer.h"

#include <algorithm>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/parquet/chunk_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using R = FieldRepetition;

const LeafNode kLong = MakeLeaf(PhysicalType::kInt64, {R::kRequired});
const LeafNode kText = MakeLeaf(PhysicalType::kByteArray, {R::kRequired});
constexpr int64_t kRows = 100000;

// A chunk of numbers that `value` tells for each row, in parts of any size, of which its reader
// gives the same numbers back.
EncodedChunk WriteLongs(const std::function<int64_t(int64_t row)>& value,
                        const ChunkOptions& options, int64_t rows_expected) {
  PageCodecPool codecs;
  const auto writer = ChunkWriter::Make(kLong, options, rows_expected);
  std::vector<TestRow> rows;
  std::vector<int64_t> part;
  for (int64_t row = 0; row < kRows; ++row) {
    part.push_back(value(row));
    rows.push_back(FlatRow(kLong, PlainOf(part.back())));
    if (row % 7777 != 0 && row + 1 != kRows) continue;
    EXPECT_THAT((*writer)->Add({.level_count = part.size(),
                                .value_count = part.size(),
                                .fixed = reinterpret_cast<const std::byte*>(part.data())},
                               codecs),
                IsOk());
    part.clear();
  }
  auto chunk = (*writer)->Finish(codecs);
  EXPECT_THAT(chunk, IsOk());
  EXPECT_EQ(*ReadRows(kLong, AsBytes(JoinPieces(*chunk)), chunk->metadata), rows);
  return *std::move(chunk);
}

// Pages by encoding, without the dictionary's.
std::pair<int32_t, int32_t> DictionaryAndPlainPages(const EncodedChunk& chunk) {
  std::pair<int32_t, int32_t> pages;
  for (const PageEncodingStats& stats : chunk.metadata.encoding_stats) {
    if (stats.page_type == 2) continue;
    const bool is_plain = stats.encoding == ParquetEncoding::kPlain;
    (is_plain ? pages.second : pages.first) += stats.count;
  }
  return pages;
}

// Numbers as if at random: without a pattern that a codec finds.
int64_t Scatter(int64_t row) {
  auto number = static_cast<uint64_t>(row) * 0x9E3779B97F4A7C15ULL;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9ULL;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<int64_t>(number >> 20);
}

TEST(ChunkWriterTest, NumbersFewValues) {
  const auto chunk = WriteLongs([](int64_t row) { return Scatter(row) % 500; }, {}, kRows);
  EXPECT_EQ(DictionaryAndPlainPages(chunk), std::pair(5, 0));
}

TEST(ChunkWriterTest, NumbersManyValuesIfTheChunkWillBeLargeEnough) {
  const auto value = [](int64_t row) { return Scatter(row) % 120000; };
  EXPECT_EQ(DictionaryAndPlainPages(WriteLongs(value, {}, 10 * kRows)), std::pair(5, 0));
  EXPECT_EQ(DictionaryAndPlainPages(WriteLongs(value, {}, 10000)), std::pair(0, 5));
}

TEST(ChunkWriterTest, LooksAtTheFirstValuesToSeeThatThereAreTooMany) {
  EXPECT_EQ(DictionaryAndPlainPages(WriteLongs(Scatter, {}, kRows)), std::pair(0, 5));
}

TEST(ChunkWriterTest, LooksAtTheFirstValuesToSeeThatNewOnesKeepComing) {
  const auto ascending = [](int64_t row) { return row / 4; };
  const auto chunk = WriteLongs(ascending, {.dictionary_bytes_max = 50000}, kRows);
  EXPECT_EQ(DictionaryAndPlainPages(chunk), std::pair(0, 5));
}

TEST(ChunkWriterTest, GoesOnWithPlainPagesWhereTheDictionaryIsFull) {
  const auto late = [](int64_t row) { return row < 50000 ? Scatter(row) % 100 : Scatter(row); };
  const auto chunk = WriteLongs(late, {.dictionary_bytes_max = 40000}, kRows);

  const auto [dictionary_pages, plain_pages] = DictionaryAndPlainPages(chunk);
  EXPECT_EQ(dictionary_pages, 3);
  EXPECT_GE(plain_pages, 2);
  EXPECT_EQ(chunk.metadata.dictionary_page_offset, 0);
  EXPECT_EQ(chunk.metadata.data_page_offset, chunk.pages[0].offset);
  EXPECT_EQ(chunk.pages[0].offset, static_cast<int64_t>(chunk.pieces[0].size()));
  EXPECT_EQ(chunk.min, PlainOf(int64_t{0}));
}

TEST(ChunkWriterTest, TellsTheBoundsOfPages) {
  // Numbers of the dictionary are in the order in which values come, which tells no bounds.
  PageCodecPool codecs;
  const auto writer = ChunkWriter::Make(kText, {.page_rows = 3}, 1000);
  const std::vector<std::string_view> values = {"m", "z", "m", "z", "a", "a", "a", "m", "a"};
  ASSERT_THAT(
      (*writer)->Add(
          {.level_count = values.size(), .value_count = values.size(), .bytes = values.data()},
          codecs),
      IsOk());
  const auto chunk = (*writer)->Finish(codecs);

  ASSERT_THAT(chunk, IsOk());
  std::vector<std::pair<std::string, std::string>> bounds;
  for (const PageEntry& page : chunk->pages)
    bounds.emplace_back(page.min, page.max);
  EXPECT_THAT(bounds,
              testing::ElementsAre(std::pair("m", "z"), std::pair("a", "z"), std::pair("a", "m")));
  EXPECT_EQ(chunk->min, "a");
  EXPECT_EQ(chunk->max, "z");
}

TEST(ChunkWriterTest, CutsPagesOfLargeValues) {
  PageCodecPool codecs;
  const auto writer = ChunkWriter::Make(kText, {.page_bytes = 1000}, 1000);
  const std::vector<std::string> texts = {std::string(400, 'a'), std::string(5000, 'b'),
                                          std::string(400, 'c'), std::string(400, 'd'),
                                          std::string(400, 'e')};
  const std::vector<std::string_view> values(texts.begin(), texts.end());
  ASSERT_THAT(
      (*writer)->Add(
          {.level_count = values.size(), .value_count = values.size(), .bytes = values.data()},
          codecs),
      IsOk());
  const auto chunk = (*writer)->Finish(codecs);

  ASSERT_THAT(chunk, IsOk());
  EXPECT_GE(chunk->pages.size(), 2U);
  EXPECT_GT((*writer)->held_bytes(), 0);
}

TEST(ChunkWriterTest, KeepsNothingOfALargeValueButItsPageAndTheStartOfItsBounds) {
  PageCodecPool codecs;
  const auto writer =
      ChunkWriter::Make(kText, {.codec = ParquetCodec::kUncompressed, .page_rows = 2}, 1000);
  std::vector<std::string> texts = {"a", "a", std::string(9'000'000, 'b'), "c", "c", "c"};
  const std::vector<std::string_view> values(texts.begin(), texts.end());
  for (const std::string_view value : values) {
    ASSERT_THAT((*writer)->Add({.level_count = 1, .value_count = 1, .bytes = &value}, codecs),
                IsOk());
  }
  EXPECT_LT((*writer)->held_bytes(), 10'000'000);  // It was written at once.
  const auto chunk = (*writer)->Finish(codecs);

  ASSERT_THAT(chunk, IsOk());
  EXPECT_EQ(chunk->min, "a");
  EXPECT_EQ(chunk->max, "c");
  ASSERT_GE(chunk->pages.size(), 3U);
  const auto large = std::find_if(chunk->pages.begin(), chunk->pages.end(),
                                  [](const PageEntry& page) { return page.has_long_bounds; });
  ASSERT_NE(large, chunk->pages.end());
  EXPECT_EQ(large->min, "");
  EXPECT_GT(large->stored_bytes, 9'000'000);
  std::vector<TestRow> rows;
  for (const std::string_view value : values)
    rows.push_back(FlatRow(kText, std::string(value)));
  EXPECT_EQ(*ReadRows(kText, AsBytes(JoinPieces(*chunk)), chunk->metadata), rows);
}

TEST(ChunkWriterTest, CutsBoundsOfLargeValues) {
  PageCodecPool codecs;
  const auto writer = ChunkWriter::Make(kText, {}, 1000);
  const std::string text(kBoundBytesMax + 1, 'b');
  const std::string_view value = text;
  ASSERT_THAT((*writer)->Add({.level_count = 1, .value_count = 1, .bytes = &value}, codecs),
              IsOk());
  const auto chunk = (*writer)->Finish(codecs);

  ASSERT_THAT(chunk, IsOk());
  EXPECT_EQ(chunk->max, text.substr(0, kBoundBytesMax));
}

}  // namespace
}  // namespace firn
