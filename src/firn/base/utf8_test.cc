#include "firn/base/utf8.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

// The well-formed sequences of the Unicode standard's table 3-7, as an independent check.
bool IsWellFormed(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto in = [&](size_t i, int low, int high) { return byte(i) >= low && byte(i) <= high; };
  const auto tail = [&](size_t from) {
    for (size_t i = from; i < text.size(); ++i) {
      if (!in(i, 0x80, 0xBF)) return false;
    }
    return true;
  };
  switch (text.size()) {
    case 1:
      return byte(0) <= 0x7F;
    case 2:
      return in(0, 0xC2, 0xDF) && tail(1);
    case 3:
      return tail(1) && ((byte(0) == 0xE0 && byte(1) >= 0xA0) || in(0, 0xE1, 0xEC) ||
                         (byte(0) == 0xED && byte(1) <= 0x9F) || in(0, 0xEE, 0xEF));
    default:
      return tail(1) && ((byte(0) == 0xF0 && byte(1) >= 0x90) || in(0, 0xF1, 0xF3) ||
                         (byte(0) == 0xF4 && byte(1) <= 0x8F));
  }
}

TEST(Utf8Test, EveryCodePointComesBack) {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value == 0xD800) value = 0xE000;
    const std::string text = EncodeUtf8(value);
    const auto point = DecodeUtf8(text);
    ASSERT_TRUE(point) << static_cast<uint32_t>(value);
    ASSERT_EQ(point->value, value);
    ASSERT_EQ(point->size, text.size());
    ASSERT_TRUE(IsWellFormed(text));
  }
}

TEST(Utf8Test, AgreesWithTheStandardOnAllShortSequences) {
  const auto check = [](const std::string& text) {
    const auto point = DecodeUtf8(text);
    ASSERT_EQ(point && point->size == text.size(), IsWellFormed(text))
        << testing::PrintToString(text);
  };
  for (int a = 0; a < 256; ++a) {
    check({static_cast<char>(a)});
    for (int b = 0; b < 256; ++b) {
      check({static_cast<char>(a), static_cast<char>(b)});
      for (const int c : {0x00, 0x7F, 0x80, 0xBF, 0xC0}) {
        check({static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)});
        check({static_cast<char>(a), static_cast<char>(b), '\x80', static_cast<char>(c)});
      }
    }
  }
}

TEST(Utf8Test, ValidatesWholeTexts) {
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8("a\u00E4\u20AC\U0001F600"));
  EXPECT_TRUE(IsValidUtf8(std::string("\0", 1)));
  EXPECT_FALSE(IsValidUtf8("a\xFF"));
  EXPECT_FALSE(IsValidUtf8("\xED\xA0\x80"));  // A surrogate.
  EXPECT_FALSE(IsValidUtf8("\xC0\x80"));      // An overlong NUL.
  EXPECT_FALSE(IsValidUtf8("\xE2\x82"));      // Cut off.
}

TEST(Utf8Test, CountsAndCutsCodePointsNotBytes) {
  const std::string_view text = "a\u00E4\u20AC\U0001F600z";
  EXPECT_EQ(CountCodePoints(text), 5U);
  EXPECT_EQ(TakeCodePoints(text, 0), "");
  EXPECT_EQ(TakeCodePoints(text, 2), "a\u00E4");
  EXPECT_EQ(TakeCodePoints(text, 4), "a\u00E4\u20AC\U0001F600");
  EXPECT_EQ(TakeCodePoints(text, 5), text);
  EXPECT_EQ(TakeCodePoints(text, 100), text);
}

TEST(Utf8Test, CountsEachByteThatIsNotValidAsOne) {
  EXPECT_EQ(CountCodePoints("\xFF\xFE\x80"), 3U);
  EXPECT_EQ(CountCodePoints("\xE2\x82"), 2U);
  EXPECT_EQ(TakeCodePoints("\xFF\u20AC\xFE", 2), "\xFF\u20AC");
}

}  // namespace
}  // namespace firn
