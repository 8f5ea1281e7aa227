#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/ingest/text/text_types_internal.h"

namespace firn {
namespace {

std::string TypeOf(const std::vector<std::string>& texts, bool infers_decimals = false) {
  // Learned at once, and in two halves that are merged: the same.
  TextType whole(infers_decimals);
  TextType first(infers_decimals);
  TextType second(infers_decimals);
  for (size_t i = 0; i < texts.size(); ++i) {
    const TextPlace place{.file = 0, .line = static_cast<int64_t>(i)};
    whole.Add(texts[i], place);
    (i < texts.size() / 2 ? first : second).Add(texts[i], place);
  }
  first.Merge(second);
  EXPECT_EQ(FormatType(*first.type()), FormatType(*whole.type()));
  return FormatType(*whole.type());
}

TEST(TextTypeTest, IsTheNarrowestThatHoldsAllValues) {
  EXPECT_EQ(TypeOf({"true", "FALSE"}), "boolean");
  EXPECT_EQ(TypeOf({"1", "-2", " 3 "}), "long");
  EXPECT_EQ(TypeOf({"1", "2.5"}), "double");
  EXPECT_EQ(TypeOf({"1e3", "nan", "-inf"}), "double");
  EXPECT_EQ(TypeOf({"2026-01-31", "1969-12-31"}), "date");
  EXPECT_EQ(TypeOf({"2026-01-31", "2026-01-31 10:00:00"}), "timestamp");
  EXPECT_EQ(TypeOf({"2026-01-31T10:00:00Z", "2026-01-31T10:00:00+02:00"}), "timestamptz");
  EXPECT_EQ(TypeOf({"x", "1"}), "string");
  EXPECT_EQ(TypeOf({}), "string");
}

std::string NarrowTypeOf(const std::vector<std::string>& texts) {
  TextType whole;
  TextType first;
  TextType second;
  for (size_t i = 0; i < texts.size(); ++i) {
    whole.Add(texts[i], {});
    (i < texts.size() / 2 ? first : second).Add(texts[i], {});
  }
  first.Merge(second);
  EXPECT_EQ(FormatType(*first.narrow_type()), FormatType(*whole.narrow_type()));
  return FormatType(*whole.narrow_type());
}

TEST(TextTypeTest, TellsWhetherATypeOf32BitsHoldsAllValues) {
  EXPECT_EQ(NarrowTypeOf({"1", "2147483647", "-2147483648"}), "int");
  EXPECT_EQ(NarrowTypeOf({"1", "2147483648"}), "long");
  EXPECT_EQ(NarrowTypeOf({"1000000000", "3000000000"}), "long") << "of as many digits";
  EXPECT_EQ(NarrowTypeOf({"0.1", "-2.5", "3"}), "float");
  EXPECT_EQ(NarrowTypeOf({"nan", "inf", "1e38"}), "float");
  EXPECT_EQ(NarrowTypeOf({"0.5", "1e39"}), "double");
  EXPECT_EQ(NarrowTypeOf({"0.5", "0.123456789"}), "double");
  EXPECT_EQ(NarrowTypeOf({"1234.5678", "2345.6789"}), "double");
  EXPECT_EQ(NarrowTypeOf({"16777217", "0.5"}), "double");
  EXPECT_EQ(NarrowTypeOf({"0.5", "16777217"}), "double");
  EXPECT_EQ(NarrowTypeOf({"16777216", "0.5"}), "float");
  EXPECT_EQ(NarrowTypeOf({"x", "1"}), "string");
}

TEST(TextTypeTest, IsStringWhereNothingElseKeepsEveryDigit) {
  EXPECT_EQ(TypeOf({"01234", "99999"}), "string");
  EXPECT_EQ(TypeOf({"0", "0.5", "-0"}), "double");
  EXPECT_EQ(TypeOf({"12345678901234567890"}), "string");
  EXPECT_EQ(TypeOf({"9007199254740993", "1.5"}), "string");
  EXPECT_EQ(TypeOf({"1.5", "9007199254740993"}), "string");
  EXPECT_EQ(TypeOf({"9007199254740993"}), "long");
}

TEST(TextTypeTest, IsStringForKindsThatHaveNothingInCommon) {
  EXPECT_EQ(TypeOf({"1", "true"}), "string");
  EXPECT_EQ(TypeOf({"2026-01-31", "7"}), "string");
  EXPECT_EQ(TypeOf({"2026-01-31T10:00:00", "2026-01-31T10:00:00Z"}), "string");
  EXPECT_EQ(TypeOf({"2026-02-30"}), "string");
}

TEST(TextTypeTest, IsADecimalOfAllDigitsOnRequest) {
  EXPECT_EQ(TypeOf({"1.50", "1234.5", "7"}, true), "decimal(6,2)");
  EXPECT_EQ(TypeOf({"12345678901234567890"}, true), "decimal(20,0)");
  EXPECT_EQ(TypeOf({"1.5", "1e3"}, true), "double");
  EXPECT_EQ(TypeOf({std::string(30, '9') + ".5", "0." + std::string(20, '1')}, true), "string");
}

TEST(TextTypeTest, TellsWhichTextMadeTheColumnWide) {
  TextType type;
  type.Add("1", {.file = 0, .line = 2});
  EXPECT_EQ(type.reason_text(), "");
  type.Add("x7", {.file = 1, .line = 9});
  type.Add("y", {.file = 1, .line = 10});
  EXPECT_EQ(type.reason_text(), "x7");
  EXPECT_EQ(type.reason_place().file, 1U);
  EXPECT_EQ(type.reason_place().line, 9);
}

// A column that is learned text by text, and one that merges what each text alone tells.
TEST(TextTypeTest, LooksAtTextsThatAreLikeTheOthersNoLess) {
  const std::vector<std::string> texts = {"7",          "123",
                                          "-5",         "0",
                                          "00",         "007",
                                          "1.5",        "12.75",
                                          "0.5",        "00.5",
                                          "1.",         ".5",
                                          "1e3",        "1.5e3",
                                          "1.x5",       "2026-01-31",
                                          "2026-02-30", "2026-01-31T10:00",
                                          "true",       "12345678901234567",
                                          "x",          ""};
  const auto random = MakeSeededRandom(1);
  for (int round = 0; round < 20000; ++round) {
    const bool infers_decimals = random->Below(2) == 0;
    TextType learned(infers_decimals);
    TextType merged(infers_decimals);
    // Mostly of one kind, which makes the others rare.
    const size_t usual = random->Below(texts.size());
    std::string all;
    for (int64_t i = 0; i < 8; ++i) {
      const bool is_usual = random->Below(3) != 0;
      const std::string& text = texts[is_usual ? usual : random->Below(texts.size())];
      const TextPlace place{.file = 0, .line = i};
      TextType one(infers_decimals);
      one.Add(text, place);
      merged.Merge(one);
      learned.Add(text, place);
      all += "'" + text + "' ";
    }
    ASSERT_EQ(FormatType(*learned.type()), FormatType(*merged.type())) << all;
  }
}

}  // namespace
}  // namespace firn
