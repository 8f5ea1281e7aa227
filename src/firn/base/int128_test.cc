#include "firn/base/int128.h"

#include <string>

#include <gtest/gtest.h>

#include "firn/base/bytes.h"

namespace firn {
namespace {

constexpr Int128 kMax = static_cast<Int128>(~UInt128{0} >> 1);
constexpr Int128 kMin = -kMax - 1;

TEST(Int128Test, FormatsAndParsesTheLimits) {
  const std::string max = "170141183460469231731687303715884105727";
  const std::string min = "-170141183460469231731687303715884105728";
  EXPECT_EQ(FormatInt128(kMax), max);
  EXPECT_EQ(FormatInt128(kMin), min);
  EXPECT_TRUE(ParseInt128(max) == kMax);
  EXPECT_TRUE(ParseInt128("+" + max) == kMax);
  EXPECT_TRUE(ParseInt128(min) == kMin);
  EXPECT_EQ(FormatInt128(0), "0");
  EXPECT_EQ(FormatInt128(-1), "-1");
}

TEST(Int128Test, RefusesWhatIsNoNumberOrDoesNotFit) {
  for (const char* text :
       {"", "-", "+", "1.0", " 1", "1 ", "--1", "0x1", "1e3",
        "170141183460469231731687303715884105728", "-170141183460469231731687303715884105729",
        "999999999999999999999999999999999999999999"}) {
    EXPECT_FALSE(ParseInt128(text)) << text;
  }
  EXPECT_TRUE(ParseInt128("0000000000000000000000000000000000000000000000001") == Int128{1});
}

TEST(Int128Test, WritesTheShortestTwosComplement) {
  EXPECT_EQ(FormatHex(AsBytes(ToBigEndian(0))), "00");
  EXPECT_EQ(FormatHex(AsBytes(ToBigEndian(127))), "7f");
  EXPECT_EQ(FormatHex(AsBytes(ToBigEndian(128))), "0080");
  EXPECT_EQ(FormatHex(AsBytes(ToBigEndian(-1))), "ff");
  EXPECT_EQ(FormatHex(AsBytes(ToBigEndian(-128))), "80");
  EXPECT_EQ(FormatHex(AsBytes(ToBigEndian(-129))), "ff7f");
  EXPECT_EQ(FormatHex(AsBytes(ToBigEndian(kMin))), "80000000000000000000000000000000");
}

TEST(Int128Test, ReadsBackWhatItWrites) {
  for (int shift = 0; shift < 127; ++shift) {
    for (const Int128 near : {-1, 0, 1}) {
      const Int128 value = (Int128{1} << shift) + near;
      EXPECT_TRUE(FromBigEndian(AsBytes(ToBigEndian(value))) == value);
      EXPECT_TRUE(FromBigEndian(AsBytes(ToBigEndian(-value))) == -value);
      EXPECT_TRUE(ParseInt128(FormatInt128(value)) == value);
      EXPECT_TRUE(ParseInt128(FormatInt128(-value)) == -value);
    }
  }
}

TEST(Int128Test, ReadsLongFormsWhoseExtraBytesExtendTheSign) {
  EXPECT_TRUE(FromBigEndian(AsBytes(std::string(20, '\0') + '\x05')) == Int128{5});
  EXPECT_TRUE(FromBigEndian(AsBytes(std::string(20, '\xFF') + '\xFB')) == Int128{-5});
  EXPECT_TRUE(FromBigEndian(AsBytes(std::string(1, '\0') + ToBigEndian(kMax))) == kMax);
}

TEST(Int128Test, RefusesBytesThatAreTooWideOrNone) {
  EXPECT_FALSE(FromBigEndian({}));
  EXPECT_FALSE(FromBigEndian(AsBytes(std::string(1, '\0') + ToBigEndian(kMin))));
  EXPECT_FALSE(FromBigEndian(AsBytes(std::string(1, '\xFF') + ToBigEndian(kMax))));
  EXPECT_FALSE(FromBigEndian(AsBytes("\x01" + std::string(16, '\0'))));
}

TEST(Int128Test, KnowsThePowersOfTen) {
  EXPECT_TRUE(PowerOfTen(0) == Int128{1});
  EXPECT_EQ(FormatInt128(PowerOfTen(38)), "1" + std::string(38, '0'));
}

}  // namespace
}  // namespace firn
