#include "firn/format/puffin/theta_sketch.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/base/murmur_hash.h"
#include "firn/base/random.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::SizeIs;

void AddNumber(ThetaSketch& sketch, int64_t number) {
  sketch.Update(std::as_bytes(std::span(&number, 1)));
}

ThetaSketch OfRange(int64_t begin, int64_t end) {
  ThetaSketch sketch;
  for (int64_t i = begin; i < end; ++i)
    AddNumber(sketch, i);
  return sketch;
}

// Hashes of the numbers, smallest first.
std::vector<uint64_t> HashesOfRange(int64_t begin, int64_t end) {
  std::vector<uint64_t> hashes;
  for (int64_t i = begin; i < end; ++i)
    hashes.push_back(HashMurmur3Wide(std::as_bytes(std::span(&i, 1)), 9001) >> 1);
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

std::string Hex(const ThetaSketch& sketch) { return FormatHex(AsBytes(sketch.Serialize())); }

// The seed hash that Java stores: the low 16 bits of the hash of the seed.
TEST(ThetaSketchTest, HasTheDefaultSeed) {
  const int64_t seed = 9001;
  EXPECT_EQ(HashMurmur3Wide(std::as_bytes(std::span(&seed, 1))) & 0xFFFF, 0x93CCU);
}

// Bytes that Spark 4.0.5 with Iceberg 1.11.0 wrote for columns of a table.
TEST(ThetaSketchTest, HasTheBytesOfJava) {
  EXPECT_EQ(Hex(ThetaSketch()), "01030300001e0000");
  ThetaSketch seven;
  const int32_t number = 7;
  seven.Update(std::as_bytes(std::span(&number, 1)));
  EXPECT_EQ(Hex(seven), "01030300003acc93b78a4cbbdbb4af02");
  ThetaSketch texts;
  for (const char* text : {"x", "y", "", "x"})
    texts.Update(AsBytes(text));
  EXPECT_EQ(Hex(texts), "02030300001acc93020000000000803ffec948d9bfcb9e63397149d9823ef668");
  ThetaSketch booleans;
  for (const std::byte value : {std::byte{1}, std::byte{0}})
    booleans.Update(std::span(&value, 1));
  EXPECT_EQ(Hex(booleans), "02030300001acc93020000000000803f649f00331e40e8035443e83313d70104");
}

TEST(ThetaSketchTest, IsExactUpToItsNominalEntries) {
  for (const int64_t count : {0, 1, 2, 3, 100, 4095, 4096}) {
    const ThetaSketch sketch = OfRange(0, count);
    EXPECT_EQ(sketch.DistinctCount(), count);
    EXPECT_EQ(sketch.Compact().hashes, HashesOfRange(0, count));
  }
  EXPECT_NE(OfRange(0, 4097).Compact().theta, OfRange(0, 4096).Compact().theta);
}

TEST(ThetaSketchTest, KeepsTheSmallestHashesAndCountsWithinItsError) {
  for (const int64_t count : {4097, 8192, 8193, 20'000, 1'000'000}) {
    const auto hashes = HashesOfRange(0, count);
    const ThetaSketch sketch = OfRange(0, count);
    const auto content = sketch.Compact();
    ASSERT_THAT(content.hashes, SizeIs(ThetaSketch::kNominalEntries));
    EXPECT_TRUE(std::equal(content.hashes.begin(), content.hashes.end(), hashes.begin()));
    EXPECT_EQ(content.theta, hashes[ThetaSketch::kNominalEntries]);
    constexpr double kFourErrors = 4 / 64.0;
    EXPECT_LT(std::abs(sketch.Estimate() / static_cast<double>(count) - 1), kFourErrors) << count;
  }
}

TEST(ThetaSketchTest, CountsAValueOnceAndAnEmptyOneNever) {
  ThetaSketch sketch;
  for (int i = 0; i < 5; ++i) {
    sketch.Update(AsBytes("a"));
    sketch.Update({});
    sketch.Update(AsBytes("b"));
  }
  EXPECT_EQ(sketch.DistinctCount(), 2);
}

TEST(ThetaSketchTest, MergesToTheSketchOfAllValuesHoweverTheyWereDealtOut) {
  const auto random = MakeSeededRandom(5);
  for (int round = 0; round < 20; ++round) {
    const auto count = static_cast<int64_t>(random->Next() % 30'000);
    std::vector<ThetaSketch> parts(1 + random->Next() % 7);
    for (int64_t i = 0; i < count; ++i) {
      AddNumber(parts[random->Next() % parts.size()], i);
      if (random->Next() % 4 == 0) AddNumber(parts[random->Next() % parts.size()], i);
    }
    ThetaSketch merged;
    for (const ThetaSketch& part : parts) {
      auto copy = ThetaSketch::Parse(AsBytes(part.Serialize()));
      ASSERT_THAT(copy, IsOk());
      merged.Merge(*copy);
    }
    EXPECT_EQ(merged.Serialize(), OfRange(0, count).Serialize()) << count;
    merged.Merge(merged);
    EXPECT_EQ(merged.Serialize(), OfRange(0, count).Serialize()) << count;
  }
}

TEST(ThetaSketchTest, ReadsWhatItWrites) {
  for (const int64_t count : {0, 1, 2, 5, 4096, 10'000}) {
    const std::string bytes = OfRange(0, count).Serialize();
    const auto read = ThetaSketch::Parse(AsBytes(bytes));
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(read->Serialize(), bytes);
  }
}

TEST(ThetaSketchTest, ReadsHashesInAnyOrderUnlessTheyAreSaidToBeOrdered) {
  std::string bytes = OfRange(0, 3).Serialize();
  std::swap_ranges(bytes.begin() + 16, bytes.begin() + 24, bytes.begin() + 24);
  EXPECT_THAT(ThetaSketch::Parse(AsBytes(bytes)), IsError(ErrorCode::kCorrupt, "hash 1"));
  bytes[5] = static_cast<char>(bytes[5] & ~16);
  const auto read = ThetaSketch::Parse(AsBytes(bytes));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->Serialize(), OfRange(0, 3).Serialize());
}

TEST(ThetaSketchTest, RefusesWhatIsDamagedOrOfAnotherKind) {
  const std::string exact = OfRange(0, 3).Serialize();
  const std::string large = OfRange(0, 5000).Serialize();
  const auto change = [](std::string bytes, size_t at, int value) {
    bytes[at] = static_cast<char>(value);
    return ThetaSketch::Parse(AsBytes(bytes));
  };
  EXPECT_THAT(ThetaSketch::Parse({}), IsError(ErrorCode::kCorrupt, "0 bytes"));
  EXPECT_THAT(ThetaSketch::Parse(AsBytes(exact).first(20)),
              IsError(ErrorCode::kCorrupt, "claims 3 hashes"));
  EXPECT_THAT(ThetaSketch::Parse(AsBytes(large).first(17)),
              IsError(ErrorCode::kCorrupt, "preamble of 3"));
  EXPECT_THAT(change(exact, 0, 0), IsError(ErrorCode::kCorrupt, "preamble of 0"));
  EXPECT_THAT(change(exact, 0, 4), IsError(ErrorCode::kCorrupt, "preamble of 4"));
  EXPECT_THAT(change(exact, 1, 4), IsError(ErrorCode::kUnsupported, "serial version 4"));
  EXPECT_THAT(change(exact, 2, 2), IsError(ErrorCode::kUnsupported, "family 2"));
  EXPECT_THAT(change(exact, 5, 0x1B), IsError(ErrorCode::kUnsupported, "big endian"));
  EXPECT_THAT(change(exact, 5, 0x12), IsError(ErrorCode::kCorrupt, "not compact"));
  EXPECT_THAT(change(exact, 6, 0), IsError(ErrorCode::kUnsupported, "expected 93cc"));
  EXPECT_THAT(change(exact, 11, 0x7F), IsError(ErrorCode::kCorrupt, "claims"));
  EXPECT_THAT(change(exact, 39, 0xFF), IsError(ErrorCode::kCorrupt, "hash 2"));
  EXPECT_THAT(change(large, 23, 0xFF), IsError(ErrorCode::kCorrupt, "theta of a sketch"));
  EXPECT_THAT(change(large, 23, 0), IsError(ErrorCode::kCorrupt, "hash"));
}

}  // namespace
}  // namespace firn
