#include "firn/format/avro/avro_reader.h"

#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "firn/format/avro/avro_value.h"
#include "firn/format/avro/avro_writer.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

constexpr std::string_view kRecordSchema =
    R"({"type":"record","name":"t","fields":[{"name":"n","type":"long"},)"
    R"({"name":"s","type":"string"}]})";

class AvroReaderTest : public testing::Test {
 protected:
  AvroNodePtr Schema(std::string_view json = kRecordSchema) {
    return *ParseAvroSchema(json, "test");
  }

  // A file of records (i, text of i) for i in [0, count).
  std::string WriteNumbers(int64_t count, AvroWriterOptions options) {
    auto file = io_->Create("memory:/t.avro");
    auto writer = AvroWriter::Make(std::move(*file), *Schema(), std::move(options));
    EXPECT_THAT(writer, IsOk());
    for (int64_t i = 0; i < count; ++i) {
      AppendAvroLong((*writer)->record(), i);
      AppendAvroBytes((*writer)->record(), std::to_string(i));
      EXPECT_THAT((*writer)->EndRecord(), IsOk());
    }
    EXPECT_THAT((*writer)->Finish(), IsOk());
    return std::string(ReadFile(*io_, "memory:/t.avro")->view());
  }

  Result<std::unique_ptr<AvroReader>> Open(std::string_view bytes) {
    EXPECT_THAT(WriteFile(*io_, "memory:/t.avro", AsBytes(bytes)), IsOk());
    return AvroReader::Open(*io_->Open("memory:/t.avro"));
  }

  // Read the numbers of all blocks; the first error ends it.
  Result<std::vector<int64_t>> ReadNumbers(AvroReader& reader) {
    std::vector<int64_t> numbers;
    AvroBlock block;
    while (true) {
      FIRN_ASSIGN(const bool has_block, reader.NextBlock(block));
      if (!has_block) return numbers;
      AvroCursor cursor(block.bytes);
      for (int64_t i = 0; i < block.record_count; ++i) {
        numbers.push_back(cursor.ReadLong());
        EXPECT_EQ(cursor.ReadBytes(), std::to_string(numbers.back()));
      }
      EXPECT_TRUE(cursor.ok());
      EXPECT_EQ(cursor.remaining(), 0U);
    }
  }

  // A header for `schema`, with the sync marker of 16 times 'S', and what follows it.
  std::string HandMade(std::string_view schema, std::string_view codec, std::string_view rest) {
    std::string bytes("Obj\x01", 4);
    AppendAvroLong(bytes, 2);
    AppendAvroBytes(bytes, "avro.schema");
    AppendAvroBytes(bytes, schema);
    AppendAvroBytes(bytes, "avro.codec");
    AppendAvroBytes(bytes, codec);
    AppendAvroLong(bytes, 0);
    return bytes + std::string(16, 'S') + std::string(rest);
  }
  std::string Block(int64_t count, std::string_view content, int64_t size = -1) {
    std::string bytes;
    AppendAvroLong(bytes, count);
    AppendAvroLong(bytes, size < 0 ? static_cast<int64_t>(content.size()) : size);
    return bytes + std::string(content) + std::string(16, 'S');
  }
  // The error of the first block.
  Result<bool> FirstBlock(std::string_view bytes) {
    FIRN_ASSIGN(const auto reader, Open(bytes));
    AvroBlock block;
    return reader->NextBlock(block);
  }

  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
};

TEST_F(AvroReaderTest, ReadsBackWhatTheWriterWroteInEveryCodec) {
  for (const AvroCodec codec :
       {AvroCodec::kNull, AvroCodec::kDeflate, AvroCodec::kSnappy, AvroCodec::kZstandard}) {
    const std::string bytes =
        WriteNumbers(5000, {.codec = codec, .metadata = {{"k", "v"}}, .block_bytes = 1000});
    auto reader = Open(bytes);
    ASSERT_THAT(reader, IsOk());
    EXPECT_EQ((*reader)->codec(), codec);
    EXPECT_EQ(*(*reader)->FindMetadata("k"), "v");
    EXPECT_EQ((*reader)->FindMetadata("none"), nullptr);
    const auto numbers = ReadNumbers(**reader);
    ASSERT_THAT(numbers, IsOk());
    ASSERT_EQ(numbers->size(), 5000U);
    EXPECT_EQ(numbers->back(), 4999);
  }
}

TEST_F(AvroReaderTest, ReadsAFileWithoutRecords) {
  auto reader = Open(WriteNumbers(0, {}));
  ASSERT_THAT(reader, IsOk());
  EXPECT_THAT(*ReadNumbers(**reader), testing::IsEmpty());
}

TEST_F(AvroReaderTest, PartsOfAFileShareNoBlock) {
  const std::string bytes = WriteNumbers(3000, {.codec = AvroCodec::kNull, .block_bytes = 500});
  const auto size = static_cast<int64_t>(bytes.size());
  for (const int64_t step : {int64_t{1000}, int64_t{777}, size}) {
    std::vector<int64_t> numbers;
    for (int64_t begin = 0; begin < size; begin += step) {
      auto reader = Open(bytes);
      ASSERT_THAT((*reader)->SeekToBlock(begin), IsOk());
      AvroBlock block;
      while (*(*reader)->NextBlock(block) && block.offset - kAvroSyncBytes < begin + step) {
        AvroCursor cursor(block.bytes);
        for (int64_t i = 0; i < block.record_count; ++i) {
          numbers.push_back(cursor.ReadLong());
          cursor.SkipBytes();
        }
      }
    }
    ASSERT_EQ(numbers.size(), 3000U) << step;
    for (int64_t i = 0; i < 3000; ++i)
      EXPECT_EQ(numbers[static_cast<size_t>(i)], i);
  }
}

TEST_F(AvroReaderTest, SaysThatAFileIsNoAvro) {
  EXPECT_THAT(Open("PAR1 and more"), IsError(ErrorCode::kCorrupt, "not an Avro file"));
  EXPECT_THAT(Open(""), IsError(ErrorCode::kCorrupt, "not an Avro file"));
}

TEST_F(AvroReaderTest, EveryTruncationIsAnErrorOrABlockBoundary) {
  const std::string bytes = WriteNumbers(300, {.codec = AvroCodec::kNull, .block_bytes = 500});
  int whole = 0;
  for (size_t length = 0; length < bytes.size(); ++length) {
    auto reader = Open(bytes.substr(0, length));
    if (!reader.ok()) {
      EXPECT_EQ(reader.error().code(), ErrorCode::kCorrupt);
      continue;
    }
    const auto numbers = ReadNumbers(**reader);
    if (numbers.ok()) ++whole;
  }
  EXPECT_LT(whole, 10);  // One for each block boundary.
}

TEST_F(AvroReaderTest, NamesTheBlockWithAWrongSyncMarker) {
  std::string bytes = WriteNumbers(300, {.codec = AvroCodec::kNull, .block_bytes = 500});
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  auto reader = Open(bytes);
  EXPECT_THAT(ReadNumbers(**reader),
              IsError(ErrorCode::kCorrupt, "it does not end with the sync marker"));
  EXPECT_THAT(ReadNumbers(**reader), IsError(ErrorCode::kCorrupt, "memory:/t.avro: block"));
}

TEST_F(AvroReaderTest, RefusesAbsurdBlocks) {
  const auto refuse = [&](const std::string& block, const char* text) {
    EXPECT_THAT(FirstBlock(HandMade(kRecordSchema, "null", block)),
                IsError(ErrorCode::kCorrupt, text));
  };
  refuse(Block(int64_t{1} << 60, "ab"), "claims 1152921504606846976 records, its 2 bytes hold");
  refuse(Block(-1, "ab"), "claims -1 records");
  refuse(Block(1, "ab", int64_t{10} << 30), "claims 1 records in 10737418240 bytes");
  refuse(Block(1, "ab", std::numeric_limits<int64_t>::max()), "claims 1 records");
  refuse(std::string(20, '\xff'), "ends inside the header");
}

TEST_F(AvroReaderTest, RefusesMillionsOfRecordsWithoutBytes) {
  const std::string schema =
      R"({"type":"record","name":"t","fields":[{"name":"n","type":"null"}]})";
  EXPECT_THAT(FirstBlock(HandMade(schema, "null", Block(1000, ""))), IsOk());
  EXPECT_THAT(FirstBlock(HandMade(schema, "null", Block(int64_t{1} << 40, ""))),
              IsError(ErrorCode::kCorrupt, "hold at most 1048576"));
}

TEST_F(AvroReaderTest, RefusesDamagedCompression) {
  for (const char* codec : {"deflate", "snappy", "zstandard"}) {
    EXPECT_THAT(FirstBlock(HandMade(kRecordSchema, codec, Block(1, "no such data"))),
                IsError(ErrorCode::kCorrupt, "data"))
        << codec;
    EXPECT_THAT(FirstBlock(HandMade(kRecordSchema, codec, Block(1, ""))),
                IsError(ErrorCode::kCorrupt, "block 0"))
        << codec;
  }
  EXPECT_THAT(FirstBlock(HandMade(kRecordSchema, "bzip2", "")),
              IsError(ErrorCode::kUnsupported, "Avro codec 'bzip2'"));
}

TEST_F(AvroReaderTest, ToleratesAChecksumAfterDeflateData) {
  Compressor compressor(AvroCodec::kDeflate);
  const std::string record("\x02\x02x", 3);
  const std::string block =
      std::string(AsText(*compressor.CompressAvro(AsBytes(record)))) + "\x01\x02\x03";
  EXPECT_THAT(FirstBlock(HandMade(kRecordSchema, "deflate", Block(1, block))), IsOk());
}

TEST_F(AvroReaderTest, SnappyIsCheckedByItsCrc) {
  std::string bytes = WriteNumbers(10, {.codec = AvroCodec::kSnappy});
  bytes[bytes.size() - 17] = static_cast<char>(bytes[bytes.size() - 17] ^ 1);
  EXPECT_THAT(FirstBlock(bytes), IsError(ErrorCode::kCorrupt, "CRC of the snappy data"));
}

TEST(DecompressorTest, StopsBombsAtTheLimit) {
  const std::string zeros(10'000'000, '\0');
  for (const AvroCodec codec : {AvroCodec::kDeflate, AvroCodec::kSnappy, AvroCodec::kZstandard}) {
    Compressor compressor(codec);
    const auto bomb = compressor.CompressAvro(AsBytes(zeros));
    ASSERT_THAT(bomb, IsOk());
    Decompressor decompressor;
    EXPECT_THAT(decompressor.DecompressAvro(codec, *bomb, 1'000'000),
                IsError(ErrorCode::kCorrupt, "more than 1000000 bytes"));
    const auto whole = decompressor.DecompressAvro(codec, *bomb);
    ASSERT_THAT(whole, IsOk());
    EXPECT_EQ(AsText(*whole), zeros);
  }
}

TEST(AvroCursorTest, FailsOnceAndStaysEmpty) {
  const std::string bytes(
      "\x08"
      "abc",
      4);
  AvroCursor cursor(AsBytes(bytes));
  EXPECT_EQ(cursor.ReadBytes(), "");
  EXPECT_FALSE(cursor.ok());
  EXPECT_STREQ(cursor.failure(), "a value reaches beyond the end of the block");
  EXPECT_EQ(cursor.ReadLong(), 0);
  EXPECT_EQ(cursor.remaining(), 0U);
}

TEST(AvroCursorTest, ReadsNumbersOfEverySize) {
  for (const int64_t value :
       {int64_t{0}, int64_t{-1}, int64_t{63}, int64_t{-64}, int64_t{64}, int64_t{8191},
        int64_t{8192}, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    std::string bytes;
    AppendAvroLong(bytes, value);
    AvroCursor cursor(AsBytes(bytes));
    EXPECT_EQ(cursor.ReadLong(), value);
    EXPECT_TRUE(cursor.ok());
    EXPECT_EQ(cursor.remaining(), 0U);
  }
}

TEST(AvroCursorTest, RefusesNegativeAndAbsurdLengths) {
  const auto read_bytes = [](int64_t length) {
    std::string bytes;
    AppendAvroLong(bytes, length);
    AvroCursor cursor(AsBytes(bytes));
    cursor.ReadBytes();
    return cursor.ok();
  };
  EXPECT_TRUE(read_bytes(0));
  EXPECT_FALSE(read_bytes(-1));
  EXPECT_FALSE(read_bytes(int64_t{10} << 30));
  EXPECT_FALSE(read_bytes(std::numeric_limits<int64_t>::max()));
  EXPECT_FALSE(read_bytes(std::numeric_limits<int64_t>::min()));
}

TEST(AvroCursorTest, RefusesArraysLargerThanTheBlock) {
  const auto skip = [](std::string_view schema, int64_t count) {
    const auto node = *ParseAvroSchema(schema, "test");
    std::string bytes;
    AppendAvroLong(bytes, count);
    bytes += std::string(8, '\0');
    AvroCursor cursor(AsBytes(bytes));
    cursor.Skip(*node);
    return cursor.ok();
  };
  EXPECT_TRUE(skip(R"({"type":"array","items":"long"})", 7));
  EXPECT_FALSE(skip(R"({"type":"array","items":"long"})", 9));
  EXPECT_FALSE(skip(R"({"type":"map","values":"long"})", int64_t{1} << 60));
  EXPECT_FALSE(skip(R"({"type":"array","items":"long"})", std::numeric_limits<int64_t>::min()));
  // Items without bytes are skipped at once, whatever their number.
  EXPECT_TRUE(skip(R"({"type":"array","items":"null"})", int64_t{1} << 60));
}

TEST(AvroCursorTest, SkipsBlocksThatTellTheirSize) {
  const auto node = *ParseAvroSchema(R"({"type":"array","items":"string"})", "test");
  std::string bytes;
  AppendAvroLong(bytes, -2);
  AppendAvroLong(bytes, 6);
  bytes +=
      "\x04"
      "ab"
      "\x04"
      "cd";
  AppendAvroLong(bytes, 1);
  bytes +=
      "\x02"
      "x";
  AppendAvroLong(bytes, 0);
  AvroCursor cursor(AsBytes(bytes));
  cursor.Skip(*node);
  EXPECT_TRUE(cursor.ok());
  EXPECT_EQ(cursor.remaining(), 0U);
}

}  // namespace
}  // namespace firn
