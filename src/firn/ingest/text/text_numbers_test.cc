#include <charconv>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/format/types/decimal_text.h"
#include "firn/ingest/text/text_numbers_internal.h"

namespace firn {
namespace {

// A text that is a number, or nearly one.
std::string NumberText(Random& random) {
  constexpr std::string_view kOdd = "-+. /:x\xB0\0e";
  std::string text(random.Below(3) == 0 ? 1 : 0, '-');
  for (uint64_t size = random.Below(19); size > 0; --size)
    text += static_cast<char>('0' + random.Below(10));
  if (random.Below(3) == 0) text.insert(random.Below(text.size() + 1), 1, '.');
  if (random.Below(4) == 0 && !text.empty()) {
    text[random.Below(text.size())] = kOdd[random.Below(kOdd.size())];
  }
  return text;
}

TEST(TextNumbersTest, AreThoseThatCharactersOneByOneTell) {
  const auto random = MakeSeededRandom(1);
  int read = 0;
  for (int round = 0; round < 200000; ++round) {
    const std::string text = NumberText(*random);
    const auto value = ReadPlainInteger(text);
    const bool is_negative = text.starts_with('-');
    const size_t digits = text.size() - (is_negative ? 1 : 0);
    const bool is_plain =
        digits >= 1 && digits <= 16 &&
        text.find_first_not_of("0123456789", is_negative ? 1 : 0) == std::string::npos;
    ASSERT_EQ(value.has_value(), is_plain) << text;
    if (!value) continue;
    ++read;
    int64_t expected = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    ASSERT_EQ(*value, expected) << text;
  }
  EXPECT_GT(read, 10000);
}

TEST(TextNumbersTest, DecimalsAreThoseOfTheGeneralParser) {
  const auto random = MakeSeededRandom(2);
  int read = 0;
  for (int round = 0; round < 200000; ++round) {
    const std::string text = NumberText(*random);
    const auto scale = static_cast<int32_t>(1 + random->Below(8));
    int64_t power = 1;
    for (int32_t i = 0; i < scale; ++i)
      power *= 10;
    const auto value = ReadPlainDecimal(text, static_cast<size_t>(scale), power);
    if (!value) continue;
    ++read;
    const auto expected = ParseDecimal(text, 38, scale);
    ASSERT_TRUE(expected.ok()) << text;
    ASSERT_EQ(*expected, Int128{*value}) << text;
  }
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace firn
