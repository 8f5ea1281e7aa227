#include <string>

#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/data/orc/orc_decompressor_internal.h"

namespace firn {
namespace {

constexpr size_t kRoom = 100;

// What `hex` becomes, if that has no more than `room` bytes.
std::string Decompress(const std::string& hex, size_t room = kRoom) {
  const std::string bytes = *ParseHex(hex);
  std::string out(room, '\0');
  const int64_t size = DecompressLzo({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                                     {reinterpret_cast<uint8_t*>(out.data()), out.size()});
  return size < 0 ? "damaged" : out.substr(0, static_cast<size_t>(size));
}

// Eight literals, a match of six bytes with two literals behind it, a near match of two, and one of
// 38 bytes of which the length takes two bytes.
const std::string kBlock = "196162636465666768be0078790400200500001100";

TEST(LzoTest, CopiesLiteralsAndMatches) {
  const std::string expected = "abcdefghabcdefxyxy" + std::string(38, 'y');

  EXPECT_EQ(Decompress(kBlock + "00"), expected);
  EXPECT_EQ(Decompress(kBlock + "00" + "1461626311" + "0000"), expected + "abc");
}

TEST(LzoTest, CopiesLongRunsOfLiterals) {
  const std::string run(19, 'x');

  EXPECT_EQ(Decompress("0001" + FormatHex(AsBytes(run)) + "110000"), run);
}

TEST(LzoTest, RefusesWhatIsCutOffOrDoesNotFit) {
  EXPECT_EQ(Decompress(kBlock), "damaged");
  EXPECT_EQ(Decompress(kBlock + "00", 55), "damaged");
  EXPECT_EQ(Decompress("19616263"), "damaged");
  EXPECT_EQ(Decompress("14616263be00110000"), "damaged");  // From before the first byte.
  EXPECT_EQ(Decompress("0000"), "damaged");
}

}  // namespace
}  // namespace firn
