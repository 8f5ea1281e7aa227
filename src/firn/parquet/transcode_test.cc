#include "firn/parquet/transcode.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/parquet/chunk_testing_internal.h"
#include "firn/parquet/rle_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using R = FieldRepetition;
using Values = ChunkBuilder::Values;
using Rows = std::vector<TestRow>;

constexpr ParquetCodec kCodecs[] = {ParquetCodec::kUncompressed, ParquetCodec::kSnappy,
                                    ParquetCodec::kGzip,         ParquetCodec::kZstd,
                                    ParquetCodec::kLz4Raw,       ParquetCodec::kBrotli};
const LeafNode kText = MakeLeaf(PhysicalType::kByteArray, {R::kOptional});
const LeafNode kLong = MakeLeaf(PhysicalType::kInt64, {R::kOptional});
const LeafNode kRequiredLong = MakeLeaf(PhysicalType::kInt64, {R::kRequired});
const LeafNode kDouble = MakeLeaf(PhysicalType::kDouble, {R::kOptional});

// Values of the leaf's type, all different but for the bits of some floats.
std::string RandomValue(Random& random, const SchemaElement& element, uint64_t domain) {
  const uint64_t number = random.Below(domain);
  switch (*element.type) {
    case PhysicalType::kBoolean:
      return std::string(1, static_cast<char>(number % 2));
    case PhysicalType::kInt32:
      return PlainOf(static_cast<int32_t>(number * 2654435761U));
    case PhysicalType::kInt64:
      return PlainOf(static_cast<int64_t>(number) - static_cast<int64_t>(domain / 2));
    case PhysicalType::kFloat: {
      const float special[] = {std::nanf(""), -0.0F, 0.0F, -std::numeric_limits<float>::infinity()};
      return PlainOf(number < 4 ? special[number] : static_cast<float>(number) - 20.5F);
    }
    case PhysicalType::kDouble: {
      const double special[] = {std::nan(""), -std::nan(""), -0.0, 0.0};
      return PlainOf(number < 4 ? special[number] : 20.5 - static_cast<double>(number));
    }
    case PhysicalType::kFixedLenByteArray: {
      std::string value(static_cast<size_t>(element.type_length), number % 3 == 0 ? '\xFF' : '\0');
      value.back() = static_cast<char>(number);
      value[value.size() - 2] = static_cast<char>(number >> 8);
      return value;
    }
    case PhysicalType::kByteArray:
    case PhysicalType::kInt96:
      break;
  }
  return std::string(number % 13, '\xC3') + std::to_string(number);
}

// A row with random nulls and lists, as the repetitions of the leaf allow.
class RowMaker {
 public:
  RowMaker(Random& random, const LeafNode& leaf, uint64_t domain)
      : random_(random), leaf_(leaf), domain_(domain) {}

  TestRow Make() {
    row_ = {};
    Emit(0, 0, 0, 0);
    return row_;
  }

 private:
  void Emit(size_t at, uint8_t definition, uint8_t repetition, uint8_t lists) {
    const bool is_leaf = at == leaf_.repetitions.size();
    const bool is_required = !is_leaf && leaf_.repetitions[at] == R::kRequired;
    if (is_required) return Emit(at + 1, definition, repetition, lists);
    if (is_leaf || random_.Below(4) == 0) {
      row_.definition.push_back(definition);
      row_.repetition.push_back(repetition);
      if (is_leaf) row_.values.push_back(RandomValue(random_, leaf_.element, domain_));
      return;
    }
    const auto next = static_cast<uint8_t>(definition + 1);
    if (leaf_.repetitions[at] == R::kOptional) return Emit(at + 1, next, repetition, lists);
    ++lists;
    const uint64_t count = 1 + random_.Below(4);
    for (uint64_t i = 0; i < count; ++i)
      Emit(at + 1, next, i == 0 ? repetition : lists, lists);
  }

  Random& random_;
  const LeafNode& leaf_;
  const uint64_t domain_;
  TestRow row_;
};

// The rows in pages of random sizes and forms: dictionary pages first, then plain ones.
TestChunk RandomPages(Random& random, const LeafNode& leaf, const Rows& rows) {
  ChunkBuilder builder(leaf, kCodecs[random.Below(std::size(kCodecs))]);
  std::set<std::string> distinct;
  size_t levels = 0;
  std::vector<size_t> row_starts = {0};
  for (const TestRow& row : rows) {
    distinct.insert(row.values.begin(), row.values.end());
    row_starts.push_back(levels += row.definition.size());
  }
  const bool is_boolean = leaf.element.type == PhysicalType::kBoolean;
  bool has_dictionary = !is_boolean && random.Below(3) != 0;
  if (has_dictionary) {
    builder.AddDictionary(std::vector<std::string>(distinct.rbegin(), distinct.rend()));
  }
  size_t from = 0;
  while (from < levels) {
    size_t to = std::min<size_t>(levels, from + 1 + random.Below(200));
    const auto border = std::upper_bound(row_starts.begin(), row_starts.end(), from);
    const bool begins_row = *(border - 1) == from;
    const bool is_version2 = begins_row && random.Below(2) == 0;
    // Pages of version 2 hold whole rows.
    if (is_version2) to = *std::lower_bound(row_starts.begin(), row_starts.end(), to);
    if (random.Below(6) == 0) has_dictionary = false;
    const Values plain = is_boolean && random.Below(2) == 0 ? Values::kRle : Values::kPlain;
    builder.AddPage(rows, has_dictionary ? Values::kDictionary : plain, is_version2, from,
                    levels - to);
    from = to;
  }
  return builder.Finish(static_cast<int64_t>(rows.size()), random.Below(2) == 0);
}

std::vector<RowSpan> RandomSpans(Random& random, int64_t rows) {
  std::vector<RowSpan> spans;
  int64_t at = static_cast<int64_t>(random.Below(20));
  while (at < rows) {
    const int64_t end =
        std::min(rows, at + 1 + static_cast<int64_t>(random.Below(random.Below(2) == 0 ? 3 : 80)));
    spans.push_back({at, end});
    at = end + 1 + static_cast<int64_t>(random.Below(random.Below(2) == 0 ? 2 : 60));
  }
  return spans;
}

bool IsNanValue(const SchemaElement& element, const std::string& value) {
  double number = 0;
  if (element.type == PhysicalType::kDouble) std::memcpy(&number, value.data(), 8);
  if (element.type == PhysicalType::kFloat) {
    float narrow = 0;
    std::memcpy(&narrow, value.data(), 4);
    number = static_cast<double>(narrow);
  }
  return std::isnan(number);
}

// The order of values, written once more.
bool IsLess(const SchemaElement& element, const std::string& a, const std::string& b) {
  const auto load = [](const std::string& bytes, auto number) {
    std::memcpy(&number, bytes.data(), sizeof(number));
    return number;
  };
  switch (*element.type) {
    case PhysicalType::kInt32:
      return load(a, int32_t{}) < load(b, int32_t{});
    case PhysicalType::kInt64:
      return load(a, int64_t{}) < load(b, int64_t{});
    case PhysicalType::kFloat:
      return load(a, float{}) < load(b, float{});
    case PhysicalType::kDouble:
      return load(a, double{}) < load(b, double{});
    case PhysicalType::kFixedLenByteArray:
      if (element.meaning.kind == LeafMeaning::Kind::kDecimal &&
          (static_cast<int8_t>(a[0]) < 0) != (static_cast<int8_t>(b[0]) < 0)) {
        return static_cast<int8_t>(a[0]) < 0;
      }
      break;
    case PhysicalType::kBoolean:
    case PhysicalType::kByteArray:
    case PhysicalType::kInt96:
      break;
  }
  return a < b;
}

// What bounds and counts of rows should be.
struct Expected {
  int64_t levels = 0;
  int64_t nulls = 0;
  int64_t nans = 0;
  std::vector<std::string> values;  // Sorted, without NaN.
};

Expected Summarize(const LeafNode& leaf, std::span<const TestRow> rows) {
  Expected expected;
  for (const TestRow& row : rows) {
    expected.levels += static_cast<int64_t>(row.definition.size());
    expected.nulls += static_cast<int64_t>(row.definition.size() - row.values.size());
    for (const std::string& value : row.values) {
      if (IsNanValue(leaf.element, value)) {
        ++expected.nans;
      } else {
        expected.values.push_back(value);
      }
    }
  }
  std::stable_sort(
      expected.values.begin(), expected.values.end(),
      [&](const std::string& a, const std::string& b) { return IsLess(leaf.element, a, b); });
  return expected;
}

// Equal as values: zeros of floats may differ in their sign.
bool IsBound(const LeafNode& leaf, const std::string& bound, const std::string& value) {
  return bound.size() == value.size() && !IsLess(leaf.element, bound, value) &&
         !IsLess(leaf.element, value, bound);
}

void CheckPages(const LeafNode& leaf, const EncodedChunk& chunk, const Rows& rows,
                const ChunkOptions& options) {
  int64_t offset = chunk.metadata.data_page_offset;
  for (size_t i = 0; i < chunk.pages.size(); ++i) {
    const PageEntry& page = chunk.pages[i];
    ASSERT_EQ(page.offset, offset);
    offset += page.stored_bytes;
    const auto end = i + 1 < chunk.pages.size() ? chunk.pages[i + 1].first_row
                                                : static_cast<int64_t>(rows.size());
    ASSERT_GT(end, page.first_row);
    ASSERT_LE(end - page.first_row, options.page_rows);
    const Expected expected =
        Summarize(leaf, std::span(rows).subspan(static_cast<size_t>(page.first_row),
                                                static_cast<size_t>(end - page.first_row)));
    ASSERT_EQ(page.null_count, expected.nulls);
    ASSERT_EQ(page.has_values, expected.nans > 0 || !expected.values.empty());
    ASSERT_EQ(page.has_bounds, !expected.values.empty());
    if (!page.has_bounds) continue;
    constexpr size_t kIndexedBytesMax = 4096;
    const size_t longest = std::max(expected.values.front().size(), expected.values.back().size());
    ASSERT_EQ(page.has_long_bounds, longest > kIndexedBytesMax);
    if (page.has_long_bounds) continue;
    ASSERT_TRUE(IsBound(leaf, page.min, expected.values.front()));
    ASSERT_TRUE(IsBound(leaf, page.max, expected.values.back()));
  }
  ASSERT_EQ(offset, chunk.metadata.total_compressed_size);
}

void CheckDictionary(const LeafNode& leaf, const EncodedChunk& chunk, const std::string& bytes,
                     const Expected& expected, const Rows& rows) {
  PageCodec codec;
  ChunkReader reader(AsBytes(bytes), chunk.metadata, leaf, codec);
  const auto dictionary = reader.ReadDictionary();
  ASSERT_THAT(dictionary, IsOk());
  ASSERT_EQ(dictionary->has_value(), chunk.metadata.dictionary_page_offset.has_value());
  if (!*dictionary) return;
  std::set<std::string_view> distinct;
  for (const TestRow& row : rows)
    distinct.insert(row.values.begin(), row.values.end());
  ASSERT_EQ((*dictionary)->count, distinct.size()) << "each value once, and none that no row has";
  const size_t nans = static_cast<size_t>(std::count_if(
      distinct.begin(), distinct.end(),
      [&](std::string_view value) { return IsNanValue(leaf.element, std::string(value)); }));
  for (size_t i = 0; i < (*dictionary)->count; ++i) {
    const std::string value((*dictionary)->At(i));
    ASSERT_TRUE(distinct.contains(value));
    ASSERT_EQ(IsNanValue(leaf.element, value), i >= (*dictionary)->count - nans);
    if (i == 0 || i >= (*dictionary)->count - nans) continue;
    ASSERT_FALSE(IsLess(leaf.element, value, std::string((*dictionary)->At(i - 1))));
  }
  ASSERT_FALSE(expected.values.empty() && expected.nans == 0);
}

void CheckChunk(const LeafNode& leaf, const EncodedChunk& chunk, const Rows& rows,
                const ChunkOptions& options) {
  const std::string bytes = JoinPieces(chunk);
  ASSERT_THAT(ReadRows(leaf, AsBytes(bytes), chunk.metadata), IsOkAnd(rows));
  const Expected expected = Summarize(leaf, rows);
  const ColumnChunk& metadata = chunk.metadata;
  ASSERT_EQ(metadata.type, *leaf.element.type);
  ASSERT_EQ(metadata.codec, options.codec);
  ASSERT_EQ(metadata.total_compressed_size, static_cast<int64_t>(bytes.size()));
  ASSERT_EQ(chunk.row_count, static_cast<int64_t>(rows.size()));
  ASSERT_EQ(metadata.num_values, expected.levels);
  ASSERT_EQ(metadata.statistics.null_count, expected.nulls);
  ASSERT_EQ(chunk.nan_count, expected.nans);
  ASSERT_EQ(chunk.min.has_value(), !expected.values.empty());
  if (chunk.min.value_or("").size() < 4096) {
    ASSERT_EQ(metadata.statistics.min_value, chunk.min);
    ASSERT_EQ(metadata.statistics.max_value, chunk.max);
  }
  if (chunk.min) {
    ASSERT_TRUE(IsBound(leaf, *chunk.min, expected.values.front()));
    ASSERT_TRUE(IsBound(leaf, *chunk.max, expected.values.back()));
  }
  CheckPages(leaf, chunk, rows, options);
  CheckDictionary(leaf, chunk, bytes, expected, rows);
}

std::vector<LeafNode> AllLeaves() {
  const std::vector<std::vector<R>> shapes = {
      {R::kRequired},
      {R::kOptional},
      {R::kOptional, R::kRequired, R::kOptional},
      {R::kOptional, R::kRepeated, R::kOptional},
      {R::kRequired, R::kRepeated, R::kRequired},
      {R::kRepeated},
      {R::kOptional, R::kRepeated, R::kOptional, R::kRepeated, R::kOptional}};
  std::vector<LeafNode> leaves;
  for (const std::vector<R>& shape : shapes) {
    for (const PhysicalType type :
         {PhysicalType::kBoolean, PhysicalType::kInt32, PhysicalType::kInt64, PhysicalType::kFloat,
          PhysicalType::kDouble, PhysicalType::kByteArray}) {
      leaves.push_back(MakeLeaf(type, shape));
    }
    leaves.push_back(
        MakeLeaf(PhysicalType::kFixedLenByteArray, shape, {LeafMeaning::Kind::kDecimal, 2}, 9));
    leaves.push_back(
        MakeLeaf(PhysicalType::kFixedLenByteArray, shape, {LeafMeaning::Kind::kUuid}, 16));
  }
  return leaves;
}

TEST(TranscodeChunkTest, KeepsTheRowsThatAreKeptOfAnyPages) {
  const auto random = MakeSeededRandom(10);
  const std::vector<LeafNode> leaves = AllLeaves();
  for (int round = 0; round < 700; ++round) {
    SCOPED_TRACE(round);
    const LeafNode& leaf = leaves[static_cast<size_t>(round) % leaves.size()];
    RowMaker maker(*random, leaf, random->Below(2) == 0 ? 12 : 3000);
    std::vector<TestChunk> chunks(1 + random->Below(3));
    std::vector<std::vector<RowSpan>> spans(chunks.size());
    std::vector<ChunkInput> inputs;
    Rows expected;
    for (size_t i = 0; i < chunks.size(); ++i) {
      Rows rows(random->Below(400));
      for (TestRow& row : rows)
        row = maker.Make();
      chunks[i] = RandomPages(*random, leaf, rows);
      inputs.push_back(chunks[i].Input(leaf));
      if (random->Below(2) == 0) {
        expected.insert(expected.end(), rows.begin(), rows.end());
        continue;
      }
      spans[i] = RandomSpans(*random, static_cast<int64_t>(rows.size()));
      inputs.back().kept = &spans[i];
      for (const RowSpan& span : spans[i])
        expected.insert(expected.end(), rows.begin() + span.begin, rows.begin() + span.end);
    }
    const ChunkOptions options{
        .codec = kCodecs[random->Below(std::size(kCodecs))],
        .page_bytes = random->Below(2) == 0 ? 200 : 100'000,
        .page_rows = static_cast<int64_t>(1 + random->Below(random->Below(2) == 0 ? 10 : 300)),
        .dictionary_bytes_max = random->Below(3) == 0 ? 0 : 5000};

    const auto chunk = TranscodeChunk(leaf, inputs, options);

    ASSERT_THAT(chunk, IsOk());
    CheckChunk(leaf, *chunk, expected, options);
    if (HasFatalFailure()) return;
  }
}

// One page of the values, plain.
TestChunk PlainChunk(const LeafNode& leaf, const std::vector<std::optional<std::string>>& values) {
  Rows rows;
  for (const auto& value : values)
    rows.push_back(FlatRow(leaf, value));
  ChunkBuilder builder(leaf);
  builder.AddPage(rows, Values::kPlain);
  return builder.Finish(static_cast<int64_t>(rows.size()));
}

Result<Rows> RowsOf(const LeafNode& leaf, const Result<EncodedChunk>& chunk) {
  if (!chunk.ok()) return chunk.error();
  return ReadRows(leaf, AsBytes(JoinPieces(*chunk)), chunk->metadata);
}

TEST(TranscodeChunkTest, TellsNullsAndGeneratedNumbersOfInputsWithoutTheColumn) {
  const TestChunk stored = PlainChunk(kLong, {PlainOf(int64_t{7}), std::nullopt});
  const std::vector<RowSpan> kept = {{1, 3}, {9, 10}};
  const std::vector<ChunkInput> inputs = {
      {.row_count = 3},
      stored.Input(kLong),
      {.row_count = 10, .kept = &kept, .generated = ChunkInput::Sequence{100, 1}},
      {.row_count = 10, .kept = &kept}};
  Rows expected(3, FlatRow(kLong, std::nullopt));
  expected.push_back(FlatRow(kLong, PlainOf(int64_t{7})));
  expected.push_back(FlatRow(kLong, std::nullopt));
  for (const int64_t number : {101, 102, 109})
    expected.push_back(FlatRow(kLong, PlainOf(number)));
  expected.insert(expected.end(), 3, FlatRow(kLong, std::nullopt));

  const auto chunk = TranscodeChunk(kLong, inputs, {.page_rows = 2});

  ASSERT_THAT(chunk, IsOk());
  CheckChunk(kLong, *chunk, expected, {.page_rows = 2});
}

TEST(TranscodeChunkTest, PutsANumberThatAllRowsShareIntoTheDictionary) {
  const std::vector<ChunkInput> inputs = {
      {.row_count = 5000, .generated = ChunkInput::Sequence{8, 0}},
      {.row_count = 5000, .generated = ChunkInput::Sequence{3, 0}}};
  Rows expected(5000, FlatRow(kRequiredLong, PlainOf(int64_t{8})));
  expected.insert(expected.end(), 5000, FlatRow(kRequiredLong, PlainOf(int64_t{3})));

  const auto chunk = TranscodeChunk(kRequiredLong, inputs, {});

  ASSERT_THAT(chunk, IsOk());
  CheckChunk(kRequiredLong, *chunk, expected, {});
  EXPECT_TRUE(chunk->metadata.dictionary_page_offset.has_value());
  EXPECT_LT(chunk->metadata.total_compressed_size, 200);
}

TEST(TranscodeChunkTest, WrapsNumbersAroundThatAFileBeginsTooHigh) {
  const std::vector<ChunkInput> inputs = {
      {.row_count = 2, .generated = ChunkInput::Sequence{INT64_MAX, 1}}};

  EXPECT_THAT(RowsOf(kRequiredLong, TranscodeChunk(kRequiredLong, inputs, {})),
              IsOkAnd(ElementsAre(FlatRow(kRequiredLong, PlainOf(INT64_MAX)),
                                  FlatRow(kRequiredLong, PlainOf(INT64_MIN)))));
}

TEST(TranscodeChunkTest, DoesNotMakeUpValuesWhereNoneMayLack) {
  const LeafNode list = MakeLeaf(PhysicalType::kInt64, {R::kOptional, R::kRepeated, R::kOptional});
  const std::vector<ChunkInput> nulls = {{.row_count = 3}};
  const std::vector<ChunkInput> numbers = {
      {.row_count = 3, .generated = ChunkInput::Sequence{1, 1}}};

  EXPECT_THAT(TranscodeChunk(kRequiredLong, nulls, {}), IsError(ErrorCode::kInternal));
  EXPECT_THAT(TranscodeChunk(list, numbers, {}), IsError(ErrorCode::kInternal));
  EXPECT_THAT(TranscodeChunk(kText, numbers, {}), IsError(ErrorCode::kInternal));
}

TEST(TranscodeChunkTest, RepeatsAValueThatNoFileHolds) {
  const LeafNode text = MakeLeaf(PhysicalType::kByteArray, {R::kRequired});
  const std::vector<RowSpan> kept = {{1, 3}, {5, 6}};
  const std::vector<ChunkInput> inputs = {{.row_count = 9, .kept = &kept, .constant = "value"},
                                          {.row_count = 1, .constant = std::string(5000, 'x')}};
  for (const int64_t dictionary_bytes : {0, 1 << 20}) {
    const auto chunk =
        TranscodeChunk(text, inputs, {.page_bytes = 100, .dictionary_bytes_max = dictionary_bytes});

    Rows expected(3, FlatRow(text, "value"));
    expected.push_back(FlatRow(text, std::string(5000, 'x')));
    EXPECT_THAT(RowsOf(text, chunk), IsOkAnd(expected));
  }
}

TEST(TranscodeChunkTest, TakesFromALeafBesideWhereTheGroupOfBothIs) {
  const auto random = MakeSeededRandom(11);
  const LeafNode beside =
      MakeLeaf(PhysicalType::kByteArray, {R::kOptional, R::kOptional, R::kRepeated, R::kOptional});
  const LeafNode flat = MakeLeaf(PhysicalType::kInt64, {R::kOptional, R::kOptional});
  const LeafNode list =
      MakeLeaf(PhysicalType::kInt64, {R::kOptional, R::kOptional, R::kRepeated, R::kRequired});
  for (int round = 0; round < 40; ++round) {
    Rows rows;
    RowMaker maker(*random, beside, 20);
    for (int i = 0; i < 300; ++i)
      rows.push_back(maker.Make());
    const TestChunk stored = RandomPages(*random, beside, rows);
    const std::vector<RowSpan> kept = RandomSpans(*random, stored.row_count);
    for (const LeafNode& to : {flat, list}) {
      ChunkInput input = stored.Input(beside);
      input.shared_nodes = 1;
      input.kept = &kept;
      Rows expected;
      for (const RowSpan& span : kept) {
        for (int64_t row = span.begin; row < span.end; ++row) {
          const bool is_there = rows[static_cast<size_t>(row)].definition[0] > 0;
          expected.push_back({.definition = {is_there ? uint8_t{1} : uint8_t{0}},
                              .repetition = {0},
                              .values = {}});
        }
      }

      EXPECT_THAT(RowsOf(to, TranscodeChunk(to, std::vector{input}, {.page_rows = 70})),
                  IsOkAnd(expected));
    }
  }
}

TEST(TranscodeChunkTest, MakesRequiredColumnsOptional) {
  const TestChunk stored = PlainChunk(kRequiredLong, {PlainOf(int64_t{7}), PlainOf(int64_t{8})});
  const std::vector<ChunkInput> inputs = {stored.Input(kRequiredLong), {.row_count = 1}};
  ASSERT_TRUE(CanTranscode(kRequiredLong, stored.metadata, kLong));

  const auto chunk = TranscodeChunk(kLong, inputs, {});

  ASSERT_THAT(chunk, IsOk());
  CheckChunk(kLong, *chunk,
             {FlatRow(kLong, PlainOf(int64_t{7})), FlatRow(kLong, PlainOf(int64_t{8})),
              FlatRow(kLong, std::nullopt)},
             {});
}

// The values of rows that were deleted must not stay in the file.
TEST(TranscodeChunkTest, LeavesValuesOfDeletedRowsOutOfTheDictionary) {
  ChunkBuilder builder(kText);
  builder.AddDictionary({"secret", "public"});
  Rows rows(1000, FlatRow(kText, "public"));
  rows[500] = FlatRow(kText, "secret");
  builder.AddPage(rows, Values::kDictionary);
  const TestChunk stored = builder.Finish(1000);
  const std::vector<RowSpan> kept = {{0, 500}, {501, 1000}};
  ChunkInput input = stored.Input(kText);
  input.kept = &kept;

  const auto chunk =
      TranscodeChunk(kText, std::vector{input}, {.codec = ParquetCodec::kUncompressed});

  ASSERT_THAT(chunk, IsOk());
  ASSERT_TRUE(chunk->metadata.dictionary_page_offset.has_value());
  EXPECT_THAT(JoinPieces(*chunk), testing::Not(testing::HasSubstr("secret")));
}

// The footer says that all pages refer to the dictionary, which one does not.
TEST(TranscodeChunkTest, RefusesPlainValuesThatTheEncodingStatisticsDeny) {
  ChunkBuilder builder(kText);
  builder.AddDictionary({"a", "b"});
  builder.AddPage(Rows(100, FlatRow(kText, "b")), Values::kDictionary);
  builder.AddPage({FlatRow(kText, "c")}, Values::kPlain);
  TestChunk stored = builder.Finish(101);
  stored.metadata.encoding_stats.pop_back();

  EXPECT_THAT(TranscodeChunk(kText, std::vector{stored.Input(kText)}, {}),
              IsError(ErrorCode::kCorrupt, "input 0: a page has values of its own"));
  stored.metadata.encoding_stats.clear();
  EXPECT_THAT(TranscodeChunk(kText, std::vector{stored.Input(kText)}, {}), IsOk());
}

TEST(TranscodeChunkTest, RefusesPagesWithOtherRowsThanTheFooterTells) {
  TestChunk stored = PlainChunk(kText, {"a", "b", std::nullopt});
  for (const int64_t rows : {int64_t{2}, int64_t{4}, int64_t{0}, INT64_MAX}) {
    stored.row_count = rows;
    EXPECT_THAT(TranscodeChunk(kText, std::vector{stored.Input(kText)}, {}),
                IsError(ErrorCode::kCorrupt, "the pages gave 3 rows"));
  }
  const std::vector<RowSpan> kept = {{2, 5}};
  stored.row_count = 5;
  ChunkInput input = stored.Input(kText);
  input.kept = &kept;
  EXPECT_THAT(TranscodeChunk(kText, std::vector{input}, {}),
              IsError(ErrorCode::kCorrupt, "the pages gave 1 rows, expected 3 of the 5"));
}

TEST(TranscodeChunkTest, NamesTheInputThatIsDamaged) {
  const TestChunk good = PlainChunk(kText, {"a"});
  TestChunk bad = PlainChunk(kText, {"b"});
  bad.bytes.pop_back();

  EXPECT_THAT(TranscodeChunk(kText, std::vector{good.Input(kText), bad.Input(kText)}, {}),
              IsError(ErrorCode::kCorrupt, "input 1"));
}

TEST(TranscodeChunkTest, TellsNoBoundsOfPagesOfNanAndNulls) {
  const std::string nan = PlainOf(std::nan(""));
  const TestChunk stored =
      PlainChunk(kDouble, {nan, std::nullopt, nan, std::nullopt, PlainOf(1.0)});

  const auto chunk = TranscodeChunk(kDouble, std::vector{stored.Input(kDouble)}, {.page_rows = 2});

  ASSERT_THAT(chunk, IsOk());
  ASSERT_EQ(chunk->pages.size(), 3u);
  EXPECT_TRUE(chunk->pages[0].has_values);
  EXPECT_FALSE(chunk->pages[0].has_bounds);
  EXPECT_EQ(chunk->nan_count, 2);
  EXPECT_EQ(chunk->min, PlainOf(1.0));
}

TEST(TranscodeChunkTest, CutsPagesOfLargeValuesWhereTheyAreFull) {
  const std::string large(10'000, 'x');
  Rows rows;
  for (int i = 0; i < 500; ++i)
    rows.push_back(FlatRow(kText, large + static_cast<char>(i % 2)));
  ChunkBuilder plain(kText, ParquetCodec::kZstd);
  plain.AddPage(rows, Values::kPlain);
  ChunkBuilder dictionary(kText, ParquetCodec::kZstd);
  dictionary.AddDictionary({rows[0].values[0], rows[1].values[0]});
  dictionary.AddPage(rows, Values::kDictionary);
  for (const TestChunk& stored : {plain.Finish(500), dictionary.Finish(500)}) {
    const ChunkOptions options{.page_bytes = 50'000, .dictionary_bytes_max = 0};
    const auto chunk = TranscodeChunk(kText, std::vector{stored.Input(kText)}, options);
    ASSERT_THAT(chunk, IsOk());
    CheckChunk(kText, *chunk, rows, options);
    EXPECT_GE(chunk->pages.size(), 50u);
    EXPECT_LE(chunk->pages.size(), 100u);
    EXPECT_EQ(chunk->metadata.statistics.min_value, std::nullopt) << "too large for a footer";
    EXPECT_EQ(chunk->min, rows[0].values[0]);
  }
}

// A page of `count` times the value 1 of the dictionary; one row of a list if `is_one_row`.
std::string RepeatSecondValue(uint32_t count, bool is_one_row) {
  const auto runs = [](std::initializer_list<std::pair<uint32_t, size_t>> numbers) {
    PageBuffer buffer;
    for (const auto& [number, times] : numbers)
      EncodeRun(number, times, 1, buffer);
    return std::string(AsText(buffer.span()));
  };
  const auto with_length = [](const std::string& bytes) {
    return PlainOf(static_cast<uint32_t>(bytes.size())) + bytes;
  };
  const std::string repetition = runs({{0, 1}, {1, count - 1}});
  const std::string body = (is_one_row ? with_length(repetition) : "") +
                           with_length(runs({{1, count}})) + "\1" + runs({{1, count}});
  const auto size = static_cast<int32_t>(body.size());
  return FormatPageHeader({.uncompressed_size = size,
                           .compressed_size = size,
                           .num_values = static_cast<int32_t>(count),
                           .encoding = ParquetEncoding::kRleDictionary}) +
         body;
}

// A small file whose dictionary has one large value must not need gigabytes at once.
TEST(TranscodeChunkTest, MakesPagesOfBoundedSizeOfLargeValuesInADictionary) {
  const LeafNode list = MakeLeaf(PhysicalType::kByteArray, {R::kRepeated});
  const auto transcode = [](const LeafNode& leaf, bool is_one_row) {
    constexpr uint32_t kCount = 700;
    ChunkBuilder builder(leaf);
    builder.AddDictionary({"", std::string(1 << 20, 'x')});
    builder.AddRaw(RepeatSecondValue(kCount, is_one_row), "");
    TestChunk stored = builder.Finish(is_one_row ? 1 : kCount);
    stored.metadata.num_values = kCount;
    return TranscodeChunk(leaf, std::vector{stored.Input(leaf)}, {.dictionary_bytes_max = 0});
  };

  const auto rows = transcode(kText, false);
  ASSERT_THAT(rows, IsOk());
  EXPECT_EQ(rows->pages.size(), 700u);
  EXPECT_THAT(transcode(list, true),
              IsError(ErrorCode::kUnsupported, "a page of 700 levels and 734"));
}

TEST(TranscodeChunkTest, TakesNoDictionaryThatIsTooLargeOrSavesNothing) {
  std::vector<std::optional<std::string>> different;
  std::vector<std::optional<std::string>> same;
  for (int i = 0; i < 1000; ++i) {
    different.emplace_back(std::to_string(i));
    same.emplace_back("text " + std::to_string(i % 10));
  }
  const auto has_dictionary = [](const auto& values, int64_t bytes_max) {
    const TestChunk stored = PlainChunk(kText, values);
    const auto chunk = TranscodeChunk(kText, std::vector{stored.Input(kText)},
                                      {.dictionary_bytes_max = bytes_max});
    return chunk->metadata.dictionary_page_offset.has_value();
  };

  EXPECT_FALSE(has_dictionary(different, 1 << 20));
  EXPECT_TRUE(has_dictionary(same, 1 << 20));
  EXPECT_TRUE(has_dictionary(same, 110));
  EXPECT_FALSE(has_dictionary(same, 50));
  EXPECT_FALSE(has_dictionary(same, 0));
  EXPECT_FALSE(has_dictionary(std::vector<std::optional<std::string>>(9), 1 << 20)) << "nulls";
}

TEST(TranscodeChunkTest, MakesNoPageOfInputsWithoutRows) {
  const std::vector<RowSpan> none;
  const TestChunk stored = PlainChunk(kText, {"a"});
  ChunkInput input = stored.Input(kText);
  input.kept = &none;

  const auto chunk = TranscodeChunk(kText, std::vector{input}, {});

  ASSERT_THAT(chunk, IsOk());
  EXPECT_EQ(chunk->row_count, 0);
  EXPECT_TRUE(chunk->pages.empty());
}

TEST(TranscodeChunkTest, AcceptsLimitsOfAnySize) {
  const TestChunk stored = PlainChunk(kText, {"a", "b", std::nullopt});
  for (const int64_t limit : {INT64_MIN, int64_t{0}, INT64_MAX}) {
    const ChunkOptions options{
        .page_bytes = limit, .page_rows = limit, .dictionary_bytes_max = limit};
    EXPECT_THAT(RowsOf(kText, TranscodeChunk(kText, std::vector{stored.Input(kText)}, options)),
                IsOkAnd(testing::SizeIs(3)));
  }
}

TEST(CanTranscodeTest, WantsTypesThatMeanTheSameAndEqualLists) {
  const ColumnChunk chunk{.encodings = {ParquetEncoding::kPlain}, .codec = ParquetCodec::kSnappy};
  const auto can = [&](const LeafNode& from, const LeafNode& to) {
    return CanTranscode(from, chunk, to);
  };
  const auto fixed = [](int32_t length) {
    return MakeLeaf(PhysicalType::kFixedLenByteArray, {R::kOptional}, {}, length);
  };
  const auto decimal = [](int32_t scale) {
    return MakeLeaf(PhysicalType::kInt64, {R::kOptional}, {LeafMeaning::Kind::kDecimal, scale});
  };
  const LeafNode list = MakeLeaf(PhysicalType::kInt64, {R::kOptional, R::kRepeated, R::kOptional});
  const LeafNode other_list =
      MakeLeaf(PhysicalType::kInt64, {R::kOptional, R::kRepeated, R::kRequired});

  EXPECT_TRUE(can(kLong, kLong));
  EXPECT_TRUE(can(kRequiredLong, kLong));
  EXPECT_TRUE(can(kLong, kRequiredLong)) << "there may be no nulls";
  EXPECT_FALSE(can(kLong, MakeLeaf(PhysicalType::kInt32, {R::kOptional})));
  EXPECT_TRUE(can(fixed(4), fixed(4)));
  EXPECT_FALSE(can(fixed(4), fixed(5)));
  EXPECT_FALSE(can(fixed(0), fixed(0)));
  EXPECT_TRUE(can(decimal(2), decimal(2)));
  EXPECT_FALSE(can(decimal(2), decimal(3)));
  EXPECT_FALSE(can(kLong, decimal(0)));
  EXPECT_TRUE(can(list, list));
  EXPECT_TRUE(can(other_list, list));
  EXPECT_FALSE(can(kLong, list));
  const LeafNode int96 = MakeLeaf(PhysicalType::kInt96, {R::kOptional});
  EXPECT_FALSE(can(int96, int96));
  EXPECT_FALSE(can(MakeLeaf(PhysicalType::kInt64, std::vector<R>(256, R::kOptional)),
                   MakeLeaf(PhysicalType::kInt64, std::vector<R>(256, R::kOptional))));
}

TEST(CanTranscodeTest, WantsCodecsAndEncodingsThatItKnows) {
  const auto can = [](ParquetCodec codec, ParquetEncoding encoding, bool is_elsewhere = false) {
    return CanTranscode(
        kLong, {.encodings = {encoding}, .codec = codec, .is_elsewhere = is_elsewhere}, kLong);
  };

  for (const ParquetCodec codec : kCodecs)
    EXPECT_TRUE(can(codec, ParquetEncoding::kRleDictionary));
  EXPECT_FALSE(can(ParquetCodec::kLzo, ParquetEncoding::kPlain));
  EXPECT_TRUE(can(ParquetCodec::kLz4Hadoop, ParquetEncoding::kPlain));
  EXPECT_TRUE(can(ParquetCodec::kZstd, ParquetEncoding::kDeltaBinaryPacked));
  EXPECT_FALSE(can(ParquetCodec::kZstd, static_cast<ParquetEncoding>(-1)));
  EXPECT_FALSE(can(ParquetCodec::kZstd, ParquetEncoding::kPlain, /*is_elsewhere=*/true));
}

}  // namespace
}  // namespace firn
