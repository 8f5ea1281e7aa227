#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/parquet/chunk_testing_internal.h"
#include "firn/parquet/rle_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::SizeIs;
using R = FieldRepetition;
using Values = ChunkBuilder::Values;

const LeafNode kText = MakeLeaf(PhysicalType::kByteArray, {R::kOptional});
const LeafNode kInt = MakeLeaf(PhysicalType::kInt32, {R::kRequired});
const LeafNode kList = MakeLeaf(PhysicalType::kInt32, {R::kOptional, R::kRepeated, R::kOptional});
constexpr ParquetCodec kCodecs[] = {ParquetCodec::kUncompressed, ParquetCodec::kSnappy,
                                    ParquetCodec::kGzip,         ParquetCodec::kZstd,
                                    ParquetCodec::kLz4Raw,       ParquetCodec::kBrotli};

std::vector<TestRow> TextRows() {
  std::vector<TestRow> rows;
  for (uint32_t i = 0; i < 100; ++i) {
    const std::string text(i % 3, "abcde"[i % 5]);
    rows.push_back(FlatRow(kText, i % 7 == 0 ? std::nullopt : std::optional(text)));
  }
  return rows;
}

std::vector<TestRow> IntRows(int count = 4) {
  std::vector<TestRow> rows;
  for (int32_t i = 0; i < count; ++i)
    rows.push_back(FlatRow(kInt, PlainOf(i)));
  return rows;
}

Result<std::vector<TestRow>> Read(const LeafNode& leaf, const TestChunk& chunk) {
  return ReadRows(leaf, AsBytes(chunk.bytes), chunk.metadata);
}

// A chunk of one page with `body`, which claims to hold `values`.
TestChunk RawPage(const LeafNode& leaf, PageHeader header, const std::string& body) {
  header.uncompressed_size = header.compressed_size = static_cast<int32_t>(body.size());
  ChunkBuilder builder(leaf);
  builder.AddRaw(FormatPageHeader(header), body);
  TestChunk chunk = builder.Finish(header.num_values);
  chunk.metadata.num_values = header.num_values;
  return chunk;
}

TEST(ChunkReaderTest, ReadsPagesOfBothVersionsAndEveryCodec) {
  const std::vector<TestRow> rows = TextRows();
  std::vector<TestRow> twice = rows;
  twice.insert(twice.end(), rows.begin(), rows.end());
  std::vector<std::string> dictionary;
  for (const TestRow& row : rows) {
    if (!row.values.empty()) dictionary.push_back(row.values[0]);
  }
  for (const ParquetCodec codec : kCodecs) {
    for (const bool is_version2 : {false, true}) {
      ChunkBuilder builder(kText, codec);
      builder.AddDictionary(dictionary);
      builder.AddPage(rows, Values::kDictionary, is_version2);
      builder.AddPage({}, Values::kPlain);
      builder.AddPage(rows, Values::kPlain, !is_version2);

      EXPECT_THAT(Read(kText, builder.Finish(200)), IsOkAnd(twice)) << static_cast<int>(codec);
    }
  }
}

TEST(ChunkReaderTest, ReadsPagesOfNullsOnly) {
  const std::vector<TestRow> nulls(20'000, FlatRow(kText, std::nullopt));
  for (const bool is_version2 : {false, true}) {
    for (const Values form : {Values::kPlain, Values::kDictionary}) {
      ChunkBuilder builder(kText, ParquetCodec::kSnappy);
      builder.AddDictionary({});
      builder.AddPage(nulls, form, is_version2);

      EXPECT_THAT(Read(kText, builder.Finish(20'000)), IsOkAnd(nulls));
    }
  }
}

TEST(ChunkReaderTest, ReadsPagesOfVersion2WithoutStoredValues) {
  // Some writers store no byte, not even a codec's, where all are null.
  const std::vector<TestRow> nulls(3, FlatRow(kText, std::nullopt));
  ChunkBuilder builder(kText);
  builder.AddPage(nulls, Values::kPlain, /*is_version2=*/true);
  TestChunk chunk = builder.Finish(3);
  for (const ParquetCodec codec : kCodecs) {
    chunk.metadata.codec = codec;
    EXPECT_THAT(Read(kText, chunk), IsOkAnd(nulls));
  }
}

TEST(ChunkReaderTest, ReadsBooleansOfBothEncodings) {
  const LeafNode leaf = MakeLeaf(PhysicalType::kBoolean, {R::kRequired});
  std::vector<TestRow> rows;
  for (int i = 0; i < 37; ++i)
    rows.push_back(FlatRow(leaf, std::string(1, static_cast<char>(i % 3 == 0))));
  std::vector<TestRow> twice = rows;
  twice.insert(twice.end(), rows.begin(), rows.end());
  ChunkBuilder builder(leaf);
  builder.AddPage(rows, Values::kPlain);
  builder.AddPage(rows, Values::kRle, true);

  EXPECT_THAT(Read(leaf, builder.Finish(74)), IsOkAnd(twice));
}

TEST(ChunkReaderTest, ReadsRowsThatGoOnInTheNextPage) {
  std::vector<TestRow> rows;
  for (int32_t i = 0; i < 9; ++i)
    rows.push_back(
        {.definition = {3, 2, 3}, .repetition = {0, 1, 1}, .values = {PlainOf(i), PlainOf(-i)}});
  for (size_t cut = 0; cut <= 27; ++cut) {
    ChunkBuilder builder(kList);
    builder.AddPage(rows, Values::kPlain, false, 0, 27 - cut);
    builder.AddPage(rows, Values::kPlain, false, cut, 0);

    EXPECT_THAT(Read(kList, builder.Finish(9)), IsOkAnd(rows)) << cut;
  }
}

TEST(ChunkReaderTest, PassesOverIndexPages) {
  const std::vector<TestRow> rows = IntRows();
  ChunkBuilder builder(kInt);
  builder.AddPage(rows, Values::kPlain);
  builder.AddRaw(FormatPageHeader({.type = PageType::kIndex, .compressed_size = 5}), "index");
  builder.AddPage(rows, Values::kPlain);

  EXPECT_THAT(Read(kInt, builder.Finish(8)), IsOkAnd(SizeIs(8)));
}

TEST(ChunkReaderTest, ChecksChecksums) {
  const std::string body = PlainOf(int32_t{5});
  const uint32_t crc = PageChecksum(AsBytes(body));

  EXPECT_EQ(PageChecksum(AsBytes("123456789")), 0xCBF43926U);
  EXPECT_EQ(PageChecksum({}), 0u);
  EXPECT_THAT(Read(kInt, RawPage(kInt, {.num_values = 1, .crc = crc}, body)), IsOk());
  EXPECT_THAT(Read(kInt, RawPage(kInt, {.num_values = 1, .crc = crc ^ 1}, body)),
              IsError(ErrorCode::kCorrupt, "checksum"));
}

TEST(ChunkReaderTest, RefusesChunksThatEndTooEarly) {
  ChunkBuilder builder(kInt);
  builder.AddPage(IntRows(), Values::kPlain);
  const TestChunk whole = builder.Finish(4);
  for (size_t size = 0; size < whole.bytes.size(); ++size) {
    TestChunk cut = whole;
    cut.bytes.resize(size);
    EXPECT_THAT(Read(kInt, cut), IsError(ErrorCode::kCorrupt)) << size;
  }
  TestChunk more = whole;
  more.metadata.num_values = 5;
  EXPECT_THAT(Read(kInt, more), IsError(ErrorCode::kCorrupt, "hold 4 values, the footer tells 5"));
  TestChunk fewer = whole;
  fewer.metadata.num_values = 3;
  EXPECT_THAT(Read(kInt, fewer), IsError(ErrorCode::kCorrupt, "more values than the footer tells"));
}

TEST(ChunkReaderTest, RefusesCountsThatThePageDoesNotHold) {
  const PageHeader dictionary{.type = PageType::kDictionary, .num_values = 3};
  const std::string ints = PlainOf(1) + PlainOf(2);

  EXPECT_THAT(Read(kInt, RawPage(kInt, {.num_values = 3}, ints)),
              IsError(ErrorCode::kCorrupt, "3 values of 4 bytes in a page of 8"));
  EXPECT_THAT(Read(kInt, RawPage(kInt, dictionary, ints)),
              IsError(ErrorCode::kCorrupt, "3 values of 4 bytes in a page of 8"));
  const LeafNode text = MakeLeaf(PhysicalType::kByteArray, {R::kRequired});
  EXPECT_THAT(Read(text, RawPage(text, {.num_values = 1}, PlainOf(UINT32_MAX))),
              IsError(ErrorCode::kCorrupt, "value 0 of 1 is longer than its page"));
  EXPECT_THAT(Read(text, RawPage(text, dictionary, PlainOf(0) + PlainOf(1) + "x")),
              IsError(ErrorCode::kCorrupt, "value 2 of 3"));
  const LeafNode boolean = MakeLeaf(PhysicalType::kBoolean, {R::kRequired});
  EXPECT_THAT(Read(boolean, RawPage(boolean, {.num_values = 9}, "x")),
              IsError(ErrorCode::kCorrupt, "9 booleans in a page of 1 bytes"));
  EXPECT_THAT(Read(boolean, RawPage(boolean, {.num_values = 1, .encoding = ParquetEncoding::kRle},
                                    PlainOf(9) + "x")),
              IsError(ErrorCode::kCorrupt, "ends too early"));
}

TEST(ChunkReaderTest, RefusesLevelsThatCannotBe) {
  const auto text = [](const std::string& body, int32_t values) {
    return Read(kText, RawPage(kText, {.num_values = values}, body));
  };

  EXPECT_THAT(text("abc", 1), IsError(ErrorCode::kCorrupt, "no levels"));
  EXPECT_THAT(text(PlainOf(5) + "abcd", 1), IsError(ErrorCode::kCorrupt, "longer than the page"));
  EXPECT_THAT(text(PlainOf(UINT32_MAX), 1), IsError(ErrorCode::kCorrupt, "longer than the page"));
  EXPECT_THAT(text(PlainOf(1) + "\x04", 2), IsError(ErrorCode::kCorrupt, "ends too early"));
  EXPECT_THAT(text(PlainOf(2) + "\x04\x02", 2), IsError(ErrorCode::kCorrupt, "more than 1 bits"));
  const std::string level_four = PlainOf(2) + std::string("\x04\x00", 2) + PlainOf(2) + "\x04\x04";
  EXPECT_THAT(Read(kList, RawPage(kList, {.num_values = 2}, level_four)),
              IsError(ErrorCode::kCorrupt, "more than 2 bits"));
  const LeafNode deep =
      MakeLeaf(PhysicalType::kInt32, std::vector<R>(4, R::kOptional));  // Three bits for 0 to 4.
  EXPECT_THAT(Read(deep, RawPage(deep, {.num_values = 2}, PlainOf(2) + "\x04\x05")),
              IsError(ErrorCode::kCorrupt, "a level is above 4"));
  EXPECT_THAT(
      Read(kText,
           RawPage(kText, {.num_values = 2, .definition_encoding = ParquetEncoding::kBitPacked},
                   std::string(1, '\0'))),
      IsError(ErrorCode::kUnsupported, "encoding 4"));
}

// Else values would become those of the row before, which is another file's.
TEST(ChunkReaderTest, RefusesAFirstRowThatBeginsInTheMiddle) {
  const std::vector<TestRow> rows = {
      {.definition = {3, 3}, .repetition = {1, 0}, .values = {PlainOf(1), PlainOf(2)}}};
  ChunkBuilder builder(kList);
  builder.AddPage({}, Values::kPlain);
  builder.AddPage(rows, Values::kPlain);

  EXPECT_THAT(Read(kList, builder.Finish(1)),
              IsError(ErrorCode::kCorrupt, "the first row begins in the middle"));
}

TEST(ChunkReaderTest, RefusesIndicesBeyondTheDictionary) {
  const auto read = [](const std::string& body, bool has_dictionary) {
    ChunkBuilder builder(kInt);
    if (has_dictionary) builder.AddDictionary({PlainOf(7), PlainOf(8)});
    builder.AddRaw(FormatPageHeader({.uncompressed_size = static_cast<int32_t>(body.size()),
                                     .compressed_size = static_cast<int32_t>(body.size()),
                                     .num_values = 3,
                                     .encoding = ParquetEncoding::kRleDictionary}),
                   body);
    TestChunk chunk = builder.Finish(3);
    chunk.metadata.num_values = 3;
    return Read(kInt, chunk);
  };

  EXPECT_THAT(read("\x01\x06\x01", true), IsOk());
  EXPECT_THAT(read(std::string(1, '\0'), true), IsOk()) << "no bits: the first value";
  EXPECT_THAT(read("\x01\x06\x01", false), IsError(ErrorCode::kCorrupt, "without its dictionary"));
  EXPECT_THAT(read("\x02\x06\x02", true), IsError(ErrorCode::kCorrupt, "dictionary index 2"));
  EXPECT_THAT(read("\x20\x06\xFF\xFF\xFF\xFF", true),
              IsError(ErrorCode::kCorrupt, "dictionary index 4294967295"));
  EXPECT_THAT(read("\x21\x06\x01\x01\x01\x01\x01", true), IsError(ErrorCode::kCorrupt, "33 bits"));
  EXPECT_THAT(read("", true), IsError(ErrorCode::kCorrupt, "no dictionary indices"));
}

TEST(ChunkReaderTest, RefusesASecondDictionary) {
  ChunkBuilder builder(kInt);
  builder.AddDictionary({PlainOf(7)});
  builder.AddDictionary({PlainOf(7)});
  TestChunk chunk = builder.Finish(1);
  chunk.metadata.num_values = 1;

  EXPECT_THAT(Read(kInt, chunk), IsError(ErrorCode::kCorrupt, "in the middle"));
}

TEST(ChunkReaderTest, RefusesEncodingsAndCodecsThatItDoesNotKnow) {
  for (const auto encoding : {ParquetEncoding::kDeltaByteArray, ParquetEncoding::kRle,
                              static_cast<ParquetEncoding>(77)}) {
    EXPECT_THAT(Read(kInt, RawPage(kInt, {.num_values = 1, .encoding = encoding}, "1234")),
                IsError(ErrorCode::kUnsupported, "encoding"));
  }
  EXPECT_THAT(Read(kInt, RawPage(kInt,
                                 {.type = PageType::kDictionary,
                                  .num_values = 1,
                                  .encoding = ParquetEncoding::kRleDictionary},
                                 "1234")),
              IsError(ErrorCode::kUnsupported, "encoding 8"));
  for (const auto codec : {ParquetCodec::kLzo, static_cast<ParquetCodec>(99)}) {
    TestChunk chunk = RawPage(kInt, {.num_values = 1}, "1234");
    chunk.metadata.codec = codec;
    EXPECT_FALSE(CanDecompress(codec));
    EXPECT_THAT(Read(kInt, chunk), IsError(ErrorCode::kUnsupported, "codec"));
  }
}

TEST(ChunkReaderTest, RefusesPagesThatDecompressToAnotherSize) {
  for (const ParquetCodec codec : kCodecs) {
    for (const int32_t difference : {-1, 1, 1'000'000}) {
      PageBuffer stored;
      ASSERT_THAT(PageCodec().Compress(codec, std::nullopt, AsBytes("12345678"), stored), IsOk());
      ChunkBuilder builder(kInt, codec);
      builder.AddRaw(FormatPageHeader({.uncompressed_size = 8 + difference,
                                       .compressed_size = static_cast<int32_t>(stored.size()),
                                       .num_values = 1}),
                     std::string(AsText(stored.span())));
      TestChunk chunk = builder.Finish(1);
      chunk.metadata.num_values = 1;

      EXPECT_THAT(Read(kInt, chunk), IsError(ErrorCode::kCorrupt, "does not decompress"))
          << static_cast<int>(codec) << " " << difference;
    }
  }
}

TEST(ChunkReaderTest, RefusesPagesThatAreTooLargeBeforeItAllocatesThem) {
  const auto read = [](int32_t bytes, int32_t values, int64_t bytes_max) {
    ChunkBuilder builder(kInt);
    builder.AddRaw(FormatPageHeader({.uncompressed_size = bytes, .num_values = values}), "");
    TestChunk chunk = builder.Finish(values);
    chunk.metadata.num_values = values;
    PageCodec codec;
    ChunkReader reader(AsBytes(chunk.bytes), chunk.metadata, kInt, codec, bytes_max);
    const auto dictionary = reader.ReadDictionary();
    return dictionary.ok() ? Status() : Status(dictionary.error());
  };

  EXPECT_THAT(read(INT32_MAX, 1, kPageBytesMax), IsError(ErrorCode::kUnsupported, "2147483647"));
  EXPECT_THAT(read(1, INT32_MAX, kPageBytesMax), IsError(ErrorCode::kUnsupported, "2147483647"));
  EXPECT_THAT(read(1001, 1, 1000), IsError(ErrorCode::kUnsupported, "1001 bytes"));
  EXPECT_THAT(read(1000, 250, 1000), IsOk());
  EXPECT_THAT(read(INT32_MAX, 1, INT64_MAX), IsError(ErrorCode::kUnsupported))
      << "there is a limit whatever is asked for";
}

TEST(PageCodecTest, TakesTheLevelsOfEachCodec) {
  PageCodec codec;
  for (const auto& [name, level] :
       std::vector<std::pair<ParquetCodec, int>>{{ParquetCodec::kZstd, -5},
                                                 {ParquetCodec::kZstd, 19},
                                                 {ParquetCodec::kGzip, 1},
                                                 {ParquetCodec::kGzip, 9},
                                                 {ParquetCodec::kSnappy, 100},
                                                 {ParquetCodec::kUncompressed, -1}}) {
    PageBuffer stored;
    ASSERT_THAT(codec.Compress(name, level, AsBytes("some bytes"), stored), IsOk());
    std::string out(10, '\0');
    ASSERT_THAT(codec.Decompress(name, stored.span(), std::as_writable_bytes(std::span(out))),
                IsOk());
    EXPECT_EQ(out, "some bytes");
  }
  PageBuffer stored;
  EXPECT_THAT(codec.Compress(ParquetCodec::kGzip, -1, AsBytes("x"), stored),
              IsError(ErrorCode::kUnsupported, "gzip at level -1"));
  EXPECT_THAT(codec.Compress(ParquetCodec::kLzo, {}, AsBytes("x"), stored),
              IsError(ErrorCode::kUnsupported, "codec 3"));
}

TEST(PageCodecTest, InflatesGzipOfSeveralMembers) {
  PageCodec codec;
  PageBuffer stored;
  ASSERT_THAT(codec.Compress(ParquetCodec::kGzip, {}, AsBytes("first "), stored), IsOk());
  ASSERT_THAT(codec.Compress(ParquetCodec::kGzip, {}, AsBytes("second"), stored), IsOk());
  std::string out(12, '\0');
  const auto bytes = std::as_writable_bytes(std::span(out));

  ASSERT_THAT(codec.Decompress(ParquetCodec::kGzip, stored.span(), bytes), IsOk());
  EXPECT_EQ(out, "first second");
  EXPECT_THAT(codec.Decompress(ParquetCodec::kGzip, stored.span(), bytes.first(6)),
              IsError(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace firn
