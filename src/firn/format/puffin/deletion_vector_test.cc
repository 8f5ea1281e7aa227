#include "firn/format/puffin/deletion_vector.h"

#include <limits>
#include <set>
#include <string>

#include <rapidcheck.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/base/hash.h"
#include "firn/io/io.h"
#include "firn/testing/matchers.h"
#include "firn/testing/testdata.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size();) {
    if (hex[i] == ' ') {
      ++i;
      continue;
    }
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    i += 2;
  }
  return bytes;
}

PositionSet Of(std::initializer_list<int64_t> positions) {
  PositionSet set;
  for (const int64_t position : positions)
    set.Add(position);
  return set;
}

std::vector<int64_t> All(const PositionSet& set) { return set.InRange(0, kMax); }

// Vectors of the reference, 6.4; their CRCs were computed elsewhere.
struct Vector {
  const char* name;
  std::vector<int64_t> positions;
  const char* blob;
};
const Vector kVectors[] = {
    {"empty", {}, "0000000c d1d33964 0000000000000000 bf18480c"},
    {"odd numbers",
     {1, 3, 5, 7, 9},
     "0000002a d1d33964 0100000000000000 00000000 3a300000 01000000 00000400 10000000 0100 0300 "
     "0500 0700 0900 b3fb20be"},
    {"small and large",
     {100, 101, 2147483747, 2147483748},
     "00000030 d1d33964 0100000000000000 00000000 3a300000 02000000 00000100 00800100 18000000 "
     "1c000000 6400 6500 6300 6400 15eb1c7c"},
};

TEST(DeletionVectorTest, WritesTheVectorsOfTheSpec) {
  for (const Vector& vector : kVectors) {
    PositionSet set;
    for (const int64_t position : vector.positions)
      set.Add(position);
    EXPECT_EQ(FormatHex(AsBytes(FormatDeletionVector(set))),
              FormatHex(AsBytes(FromHex(vector.blob))))
        << vector.name;
  }
}

TEST(DeletionVectorTest, ReadsTheVectorsOfTheSpec) {
  for (const Vector& vector : kVectors) {
    const auto set = ParseDeletionVector(AsBytes(FromHex(vector.blob)));
    ASSERT_THAT(set, IsOk()) << vector.name;
    EXPECT_EQ(All(*set), vector.positions) << vector.name;
    EXPECT_EQ(set->cardinality(), static_cast<int64_t>(vector.positions.size()));
  }
}

TEST(DeletionVectorTest, WritesLongRunsAsRuns) {
  PositionSet set;
  set.AddRange(0, 1'000'000);
  EXPECT_LT(FormatDeletionVector(set).size(), 300U);
  EXPECT_EQ(ParseDeletionVector(AsBytes(FormatDeletionVector(set)))->cardinality(), 1'000'000);
}

TEST(DeletionVectorTest, EveryTruncationAndEveryFlippedBitIsFound) {
  const std::string blob = FromHex(kVectors[2].blob);
  for (size_t length = 0; length < blob.size(); ++length) {
    EXPECT_THAT(ParseDeletionVector(AsBytes(blob.substr(0, length))),
                IsError(ErrorCode::kCorrupt, "deletion vector"));
  }
  for (size_t bit = 0; bit < blob.size() * 8; ++bit) {
    std::string damaged = blob;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_THAT(ParseDeletionVector(AsBytes(damaged)), IsError(ErrorCode::kCorrupt)) << bit;
  }
}

TEST(DeletionVectorTest, SaysWhatIsWrong) {
  std::string blob = FromHex(kVectors[1].blob);
  blob.back() = static_cast<char>(blob.back() ^ 1);
  EXPECT_THAT(ParseDeletionVector(AsBytes(blob)), IsError(ErrorCode::kCorrupt, "its CRC is"));
  blob = FromHex(kVectors[1].blob);
  blob[4] = 0;
  EXPECT_THAT(ParseDeletionVector(AsBytes(blob)), IsError(ErrorCode::kCorrupt, "magic 00d33964"));
  blob = FromHex(kVectors[1].blob) + "x";
  EXPECT_THAT(ParseDeletionVector(AsBytes(blob)),
              IsError(ErrorCode::kCorrupt, "its length says 42 bytes, the blob holds 43"));
}

TEST(PositionSetTest, HoldsPositionsOf63Bits) {
  PositionSet set = Of({0, 5, int64_t{1} << 32, (int64_t{1} << 40) + 7, kMax - 1});
  EXPECT_EQ(set.cardinality(), 5);
  EXPECT_TRUE(set.Contains(kMax - 1));
  EXPECT_TRUE(set.Contains(int64_t{1} << 32));
  EXPECT_FALSE(set.Contains((int64_t{1} << 32) + 1));
  EXPECT_FALSE(set.Contains(-1));
  EXPECT_THAT(All(set), ElementsAre(0, 5, int64_t{1} << 32, (int64_t{1} << 40) + 7, kMax - 1));
}

TEST(PositionSetTest, RangesCrossTheBorderOfABitmap) {
  const int64_t border = int64_t{1} << 32;
  PositionSet set;
  set.AddRange(border - 3, border + 2);
  set.AddRange(7, 7);
  EXPECT_THAT(All(set), ElementsAre(border - 3, border - 2, border - 1, border, border + 1));
  EXPECT_THAT(set.InRange(border - 1, border + 1), ElementsAre(border - 1, border));
  EXPECT_EQ(set.CountInRange(border - 1, border + 1), 2);
  EXPECT_EQ(set.CountInRange(0, kMax), 5);
  EXPECT_EQ(set.CountInRange(border + 2, border - 2), 0);
  EXPECT_THAT(set.InRange(-5, 0), IsEmpty());
}

TEST(PositionSetTest, CopiesAreIndependentAndMovedFromSetsAreEmpty) {
  PositionSet set = Of({1});
  PositionSet copy = set;
  copy.Add(2);
  EXPECT_EQ(set.cardinality(), 1);
  PositionSet moved = std::move(copy);
  EXPECT_EQ(moved.cardinality(), 2);
  EXPECT_TRUE(copy.empty());  // NOLINT: a moved-from set is empty, and that is what is tested.
  copy = moved;
  EXPECT_EQ(copy.cardinality(), 2);
}

TEST(PositionSetTest, UnionKeepsBothSides) {
  PositionSet set = Of({1, 9});
  set.Union(Of({2, 9, int64_t{1} << 33}));
  EXPECT_THAT(All(set), ElementsAre(1, 2, 9, int64_t{1} << 33));
}

TEST(PositionSetTest, SerializesDenseKeysLikeJavaAndReadsSparseOnes) {
  const std::string dense = Of({int64_t{2} << 32}).Serialize();
  EXPECT_EQ(FormatHex(AsBytes(dense)),
            "0300000000000000"
            "000000003a30000000000000"
            "010000003a30000000000000"
            "020000003a300000010000000000000010000000"
            "0000");
  const std::string sparse =
      FromHex("0100000000000000 020000003a300000010000000000000010000000 0000");
  EXPECT_THAT(All(*PositionSet::Deserialize(AsBytes(sparse))), ElementsAre(int64_t{2} << 32));
  EXPECT_THAT(All(*PositionSet::Deserialize(AsBytes(dense))), ElementsAre(int64_t{2} << 32));
  // A huge key is written without the billions of empty bitmaps before it.
  EXPECT_LT(Of({kMax - 1}).Serialize().size(), 100U);
}

TEST(PositionSetTest, AgreesWithASortedSet) {
  rc::check([] {
    const auto near = *rc::gen::container<std::vector<uint16_t>>(rc::gen::arbitrary<uint16_t>());
    const auto far = *rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>());
    PositionSet set;
    std::set<int64_t> expected;
    for (const uint16_t position : near) {
      set.AddRange(position, position + position % 50);
      for (int i = 0; i < position % 50; ++i)
        expected.insert(position + i);
    }
    for (const uint32_t position : far) {
      const int64_t wide = int64_t{position} << (position % 7);
      set.Add(wide);
      expected.insert(wide);
    }
    RC_ASSERT(set.cardinality() == static_cast<int64_t>(expected.size()));
    RC_ASSERT(All(set) == std::vector<int64_t>(expected.begin(), expected.end()));
    const auto read = PositionSet::Deserialize(AsBytes(set.Serialize()));
    RC_ASSERT(read.ok() && All(*read) == All(set));
    const auto blob = ParseDeletionVector(AsBytes(FormatDeletionVector(set)));
    RC_ASSERT(blob.ok() && All(*blob) == All(set));
    const int64_t begin = near.empty() ? 0 : near.front();
    const int64_t end = begin + 3000;
    const auto from = expected.lower_bound(begin);
    const auto to = expected.lower_bound(end);
    RC_ASSERT(set.InRange(begin, end) == std::vector<int64_t>(from, to));
    RC_ASSERT(set.CountInRange(begin, end) == std::distance(from, to));
  });
}

// One 64-bit bitmap with one part whose 32-bit bitmap is given in hex.
Result<PositionSet> ReadPart(std::string_view bitmap) {
  return PositionSet::Deserialize(AsBytes(FromHex("0100000000000000 00000000") + FromHex(bitmap)));
}

TEST(PositionSetTest, HostileBitmapsAreRefusedBeforeTheLibrarySeesThem) {
  const auto refuse = [](std::string_view bitmap, const char* text) {
    EXPECT_THAT(ReadPart(bitmap), IsError(ErrorCode::kCorrupt, text)) << bitmap;
  };
  refuse("", "the cookie need 4 bytes");
  refuse("39300000 01000000", "cookie 12345");
  refuse("3a300000 01000100", "65537 containers");
  refuse("3a300000 ffffffff", "4294967295 containers");
  refuse("3a300000 00000100 0000", "the container keys need 262144 bytes");
  refuse("3a300000 02000000 0100 0000 0100 0000 18000000 1a000000 0100 0100",
         "container key 1 after 1");
  refuse("3a300000 02000000 0200 0000 0100 0000 18000000 1a000000 0100 0100",
         "container key 1 after 2");
  refuse("3a300000 01000000 0000 0100 10000000 0500 0500", "value 5 after 5 in an array");
  refuse("3a300000 01000000 0000 0100 10000000 0500 0400", "value 4 after 5 in an array");
  refuse("3a300000 01000000 0000 0100 10000000 0500", "the values of an array need 4 bytes");
  refuse("3a300000 01000000 0000 ffff 10000000 00", "the bits of a container need 8192 bytes");
  refuse("3b300000 01 0000 0400 0100 0000 0500", "runs of 6 values in a container, its header");
  refuse("3b300000 01 0000 0400 0100 feff 0400", "a run ends at 65538");
  refuse("3b300000 01 0000 0400 0200 0500 0100 0600 0200", "a run starts at 6, before 7");
  refuse("3b300000 01 0000 0400 ffff 0500 0100", "the runs need 262140 bytes");
  refuse("3b300000 01 0000 0000 0000", "runs of 0 values");
  refuse("3b30ffff 01", "the run flags need 8192 bytes");
  refuse("3a300000 01000000 0000 0000 10000000 0500 00", "1 bytes after the last part");
}

TEST(PositionSetTest, BitmapContainersMustHoldWhatTheirHeaderSays) {
  std::string bits(8192, '\xFF');
  const std::string head =
      FromHex("0100000000000000 00000000 3a300000 01000000 0000 ffff 10000000");
  const auto whole = PositionSet::Deserialize(AsBytes(head + bits));
  ASSERT_THAT(whole, IsOk());
  EXPECT_EQ(whole->cardinality(), 65536);
  bits[100] = 0;
  EXPECT_THAT(PositionSet::Deserialize(AsBytes(head + bits)),
              IsError(ErrorCode::kCorrupt, "65528 bits are set in a container"));
}

TEST(PositionSetTest, PartsMustAscendBelowTheSignBit) {
  const std::string empty = "3a30000000000000";
  EXPECT_THAT(PositionSet::Deserialize(
                  AsBytes(FromHex("0200000000000000 01000000" + empty + "01000000" + empty))),
              IsError(ErrorCode::kCorrupt, "part 1 has the key 1, expected ascending"));
  EXPECT_THAT(PositionSet::Deserialize(AsBytes(FromHex("0100000000000000 00000080" + empty))),
              IsError(ErrorCode::kCorrupt, "part 0 has the key 2147483648"));
  EXPECT_THAT(PositionSet::Deserialize(AsBytes(FromHex("ffffffffffffffff 00000000" + empty))),
              IsError(ErrorCode::kCorrupt, "18446744073709551615 parts claimed, 1 found"));
  EXPECT_THAT(PositionSet::Deserialize({}), IsError(ErrorCode::kCorrupt, "0 bytes"));
}

Buffer ReadLocal(const std::string& path) {
  const auto io = MakeLocalFileIO();
  auto bytes = ReadFile(*io, path);
  EXPECT_THAT(bytes, IsOk());
  return bytes.ok() ? std::move(*bytes) : Buffer();
}

TEST(ReferenceFilesTest, DeletionVectorsOfJavaComeBackByteForByte) {
  const auto folder = SharedDataPath("apache-iceberg/position-index");
  if (!folder) GTEST_SKIP() << "no files of apache-iceberg beside the checkout";
  for (const char* name :
       {"empty", "small-alternating-values", "small-and-large-values", "all-container-types"}) {
    const Buffer blob = ReadLocal(*folder + "/" + name + "-position-index.bin");
    const auto set = ParseDeletionVector(blob.span());
    ASSERT_THAT(set, IsOk()) << name;
    EXPECT_EQ(FormatHex(AsBytes(FormatDeletionVector(*set))), FormatHex(blob.span())) << name;
  }
}

TEST(ReferenceFilesTest, BitmapsOfJavaComeBackByteForByte) {
  const auto folder = SharedDataPath("apache-iceberg/position-index");
  if (!folder) GTEST_SKIP() << "no files of apache-iceberg beside the checkout";
  for (const char* name : {"64map32bitvals", "64mapempty", "64mapspreadvals"}) {
    const Buffer bytes = ReadLocal(*folder + "/" + name + ".bin");
    const auto set = PositionSet::Deserialize(bytes.span());
    ASSERT_THAT(set, IsOk()) << name;
    EXPECT_EQ(FormatHex(AsBytes(set->Serialize())), FormatHex(bytes.span())) << name;
  }
  // This one was damaged by a conversion of its text encoding.
  const Buffer damaged = ReadLocal(*folder + "/64maphighvals.bin");
  EXPECT_THAT(PositionSet::Deserialize(damaged.span()), IsError(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace firn
