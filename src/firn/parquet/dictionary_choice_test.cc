#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/parquet/chunk_testing_internal.h"
#include "firn/parquet/chunk_writer.h"
#include "firn/testing/matchers.h"

// How much a column takes in a file with dictionaries where they pay, against with none and with
// one wherever it fits.

namespace firn {
namespace {

using R = FieldRepetition;

const LeafNode kLong = MakeLeaf(PhysicalType::kInt64, {R::kRequired});
const LeafNode kText = MakeLeaf(PhysicalType::kByteArray, {R::kRequired});
constexpr int64_t kRows = 200000;
constexpr double kTolerance = 1.02;
// Where rows are looked at as they come, one of ten pages may be written otherwise than the rest.
constexpr double kWrittenTolerance = 1.06;
constexpr double kSlackBytes = 4096;

int64_t Below(Random& random, int64_t limit) {
  return static_cast<int64_t>(random.Below(static_cast<uint64_t>(limit)));
}

// A column of numbers or of texts as tables have them.
struct Column {
  std::string name;
  std::vector<int64_t> numbers;
  std::vector<std::string> texts;
};

Column Numbers(std::string name, Random& random,
               const std::function<int64_t(Random& random, int64_t row)>& value) {
  Column column{.name = std::move(name)};
  for (int64_t row = 0; row < kRows; ++row)
    column.numbers.push_back(value(random, row));
  return column;
}

std::string Sentence(Random& random) {
  static constexpr std::string_view kWords[] = {"furiously", "quick",  "deposits", "sleep",
                                                "the",       "final",  "accounts", "regular",
                                                "carefully", "ironic", "packages", "along"};
  std::string text;
  for (int64_t words = 2 + Below(random, 6); words > 0; --words)
    text += std::string(kWords[random.Below(std::size(kWords))]) + " ";
  return text;
}

Column Sorted(Column column) {
  std::sort(column.numbers.begin(), column.numbers.end());
  std::sort(column.texts.begin(), column.texts.end());
  column.name += ", sorted";
  return column;
}

// Each value in turn of the second key, where rows are sorted by two columns.
Column SortedWithinGroups(Column column, int64_t group_rows) {
  for (int64_t row = 0; row < kRows; row += group_rows) {
    const auto end = std::min(row + group_rows, kRows);
    if (!column.numbers.empty())
      std::sort(column.numbers.begin() + row, column.numbers.begin() + end);
    if (!column.texts.empty()) std::sort(column.texts.begin() + row, column.texts.begin() + end);
  }
  column.name += ", sorted within groups of " + std::to_string(group_rows);
  return column;
}

Column Texts(std::string name, Random& random, int64_t pool_size) {
  std::vector<std::string> pool;
  for (int64_t i = 0; i < pool_size; ++i)
    pool.push_back(Sentence(random));
  Column column{.name = std::move(name)};
  for (int64_t row = 0; row < kRows; ++row)
    column.texts.push_back(pool[random.Below(pool.size())]);
  return column;
}

std::vector<Column> MakeColumns() {
  const auto seeded = MakeSeededRandom(7);
  Random& random = *seeded;
  const auto below = [](int64_t limit) {
    return [limit](Random& r, int64_t) { return Below(r, limit); };
  };
  std::vector<Column> columns;
  columns.push_back(Numbers("one", random, below(1)));
  columns.push_back(Numbers("few", random, below(50)));
  columns.push_back(Numbers("many", random, below(10000)));
  columns.push_back(Numbers("very many", random, below(150000)));
  columns.push_back(Numbers("prices", random, [](Random& r, int64_t) {
    return (1 + Below(r, 50)) * (90000 + Below(r, 20000));
  }));
  columns.push_back(Numbers("skewed", random, [](Random& r, int64_t) {
    return Below(r, 1 + Below(r, 1 + Below(r, 100000)));
  }));
  columns.push_back(Numbers("keys", random, [](Random&, int64_t row) { return row / 4; }));
  columns.push_back(Numbers("cycle", random, [](Random&, int64_t row) { return row % 1000; }));
  columns.push_back(Texts("few texts", random, 100));
  columns.push_back(Texts("many texts", random, 20000));
  columns.push_back(Texts("very many texts", random, 50000));
  const size_t unsorted = columns.size();
  for (size_t i = 0; i < unsorted; ++i) {
    columns.push_back(Sorted(columns[i]));
    columns.push_back(SortedWithinGroups(columns[i], 3000));
  }
  return columns;
}

const LeafNode& LeafOf(const Column& column) { return column.texts.empty() ? kLong : kText; }

EncodedChunk Write(const Column& column, const ChunkOptions& options) {
  PageCodecPool codecs;
  const auto writer = ChunkWriter::Make(LeafOf(column), options, kRows);
  const std::vector<std::string_view> texts(column.texts.begin(), column.texts.end());
  const LeafRows rows{.level_count = kRows,
                      .value_count = kRows,
                      .fixed = reinterpret_cast<const std::byte*>(column.numbers.data()),
                      .bytes = texts.data()};
  EXPECT_THAT((*writer)->Add(rows, codecs), IsOk());
  auto chunk = (*writer)->Finish(codecs);
  EXPECT_THAT(chunk, IsOk());
  return *std::move(chunk);
}

double SizeOf(const EncodedChunk& chunk) {
  return static_cast<double>(chunk.metadata.total_compressed_size);
}

class DictionaryChoiceTest : public testing::TestWithParam<ParquetCodec> {
 protected:
  static ChunkOptions Options(DictionaryUse use, int64_t dictionary_bytes_max = 2097152) {
    return {
        .codec = GetParam(), .dictionary_bytes_max = dictionary_bytes_max, .dictionary_use = use};
  }
};

TEST_P(DictionaryChoiceTest, ChunksThatAreWrittenAreAsSmallAsWithOrWithoutADictionary) {
  for (const Column& column : MakeColumns()) {
    const double chosen = SizeOf(Write(column, Options(DictionaryUse::kIfSmaller)));
    const double plain = SizeOf(Write(column, Options(DictionaryUse::kIfSmaller, 0)));
    const double numbered = SizeOf(Write(column, Options(DictionaryUse::kWherePossible)));
    EXPECT_LE(chosen, std::min(plain, numbered) * kWrittenTolerance + kSlackBytes)
        << column.name << ": plain " << plain << ", with a dictionary " << numbered;
  }
}

TEST_P(DictionaryChoiceTest, ChunksOfOthersAreAsSmallAsWithOrWithoutADictionary) {
  for (const Column& column : MakeColumns()) {
    const EncodedChunk source = Write(column, Options(DictionaryUse::kWherePossible));
    const std::string bytes = JoinPieces(source);
    const ChunkInput input{.leaf = &LeafOf(column),
                           .chunk = &source.metadata,
                           .bytes = AsBytes(bytes),
                           .row_count = kRows};
    const auto size = [&](const ChunkOptions& options) {
      const auto chunk = TranscodeChunk(LeafOf(column), {&input, 1}, options);
      EXPECT_THAT(chunk, IsOk());
      return SizeOf(*chunk);
    };
    const double chosen = size(Options(DictionaryUse::kIfSmaller));
    const double plain = size(Options(DictionaryUse::kIfSmaller, 0));
    const double numbered = size(Options(DictionaryUse::kWherePossible));
    EXPECT_LE(chosen, std::min(plain, numbered) * kTolerance + kSlackBytes)
        << column.name << ": plain " << plain << ", with a dictionary " << numbered;
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, DictionaryChoiceTest,
                         testing::Values(ParquetCodec::kUncompressed, ParquetCodec::kSnappy,
                                         ParquetCodec::kZstd));

}  // namespace
}  // namespace firn
