#include "firn/base/hash.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "firn/base/bytes.h"

namespace firn {
namespace {

TEST(HashTest, Murmur3MatchesTheVectorsOfItsAuthor) {
  EXPECT_EQ(HashMurmur3({}), 0U);
  EXPECT_EQ(HashMurmur3({}, 1), 0x514E28B7U);
  EXPECT_EQ(HashMurmur3({}, 0xFFFFFFFFU), 0x81F16F39U);
  EXPECT_EQ(HashMurmur3(AsBytes("test"), 0), 0xBA6BD213U);
  EXPECT_EQ(HashMurmur3(AsBytes("Hello, world!"), 0x9747B28CU), 0x24884CBAU);
  EXPECT_EQ(HashMurmur3(AsBytes("aaa"), 0x9747B28CU), 0x283E0130U);
  EXPECT_EQ(HashMurmur3(AsBytes("aa"), 0x9747B28CU), 0x5D211726U);
  EXPECT_EQ(HashMurmur3(AsBytes("a"), 0x9747B28CU), 0x7FA09EA6U);
}

TEST(HashTest, Murmur3MatchesTheVectorsOfTheIcebergSpec) {
  EXPECT_EQ(static_cast<int32_t>(HashMurmur3(AsBytes("iceberg"))), 1'210'000'089);
  const std::byte fixed[] = {std::byte{0}, std::byte{1}, std::byte{2}, std::byte{3}};
  EXPECT_EQ(static_cast<int32_t>(HashMurmur3(fixed)), -188'683'207);
  const int64_t number = 34;
  EXPECT_EQ(static_cast<int32_t>(HashMurmur3(std::as_bytes(std::span(&number, 1)))), 2'017'239'379);
}

TEST(HashTest, Crc32MatchesTheCheckValueAndContinues) {
  EXPECT_EQ(HashCrc32(AsBytes("123456789")), 0xCBF43926U);
  EXPECT_EQ(HashCrc32(AsBytes("6789"), HashCrc32(AsBytes("12345"))), 0xCBF43926U);
  EXPECT_EQ(HashCrc32({}), 0U);
  EXPECT_EQ(HashCrc32({}, 7), 7U);
}

TEST(HashTest, FastHashesDifferByContentAndSeed) {
  std::set<uint64_t> hashes;
  std::string text;
  for (int i = 0; i < 300; ++i) {
    hashes.insert(HashFast(AsBytes(text)));
    hashes.insert(HashFast(AsBytes(text), 1));
    text.push_back('x');
  }
  EXPECT_EQ(hashes.size(), 600U);
}

}  // namespace
}  // namespace firn
