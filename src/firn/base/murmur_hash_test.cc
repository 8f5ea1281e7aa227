#include "firn/base/murmur_hash.h"

#include <string>

#include <gtest/gtest.h>

#include "firn/base/bytes.h"

namespace firn {
namespace {

// Texts whose hashes are well known.
TEST(MurmurHashTest, MatchesKnownVectors) {
  EXPECT_EQ(HashMurmur3Wide({}), 0U);
  EXPECT_EQ(HashMurmur3Wide(AsBytes("hello")), 0xCBD8A7B341BD9B02ULL);
  EXPECT_EQ(HashMurmur3Wide(AsBytes("hello, world")), 0x342FAC623A5EBC8EULL);
  EXPECT_EQ(HashMurmur3Wide(AsBytes("19 Jan 2038 at 3:14:07 AM")), 0xB89E5988B737AFFCULL);
  EXPECT_EQ(HashMurmur3Wide(AsBytes("The quick brown fox jumps over the lazy dog.")),
            0xCD99481F9EE902C9ULL);
}

TEST(MurmurHashTest, DependsOnEveryByteAndOnTheSeed) {
  const std::string text(40, 'a');
  for (size_t size = 0; size < text.size(); ++size) {
    const auto bytes = AsBytes(text).first(size);
    EXPECT_NE(HashMurmur3Wide(bytes, 1), HashMurmur3Wide(bytes, 2)) << size;
    for (size_t i = 0; i < size; ++i) {
      std::string other = text.substr(0, size);
      other[i] = 'b';
      EXPECT_NE(HashMurmur3Wide(AsBytes(other), 1), HashMurmur3Wide(bytes, 1)) << size << i;
    }
  }
}

}  // namespace
}  // namespace firn
