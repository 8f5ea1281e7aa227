#include <array>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/memory_pool.h>
#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/format/types/value.h"
#include "firn/ingest/text/text_column_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

TextColumn Convert(const Type& type, const std::vector<std::string_view>& texts) {
  auto column = ConvertTexts(type, texts, /*are_ascii=*/false, arrow::default_memory_pool());
  EXPECT_THAT(column, IsOk());
  return *std::move(column);
}

TEST(TextColumnTest, TellsNullsFromEmptyTextsAndFromBadOnes) {
  const std::string bad = "\xFF";
  const TextColumn texts =
      Convert(*Type::Primitive(TypeId::kString), {"a", {}, "", bad, "\xC3\xBC"});

  EXPECT_THAT(texts.bad, testing::ElementsAre(3U));
  const auto& strings = static_cast<const arrow::StringArray&>(*texts.values);
  EXPECT_EQ(strings.null_count(), 2);
  EXPECT_TRUE(strings.IsNull(1) && strings.IsNull(3));
  EXPECT_EQ(strings.GetView(0), "a");
  EXPECT_EQ(strings.GetView(2), "");
  EXPECT_EQ(strings.GetView(4), "\xC3\xBC");
  EXPECT_TRUE(strings.ValidateFull().ok());
}

TEST(TextColumnTest, ReadsNumbersInEveryForm) {
  const TextColumn longs =
      Convert(*Type::Primitive(TypeId::kLong), {"1", " -12 ", "+7", "12345678901234567", "1.0", "",
                                                "9223372036854775808", "-9223372036854775808"});
  EXPECT_THAT(longs.bad, testing::ElementsAre(4U, 5U, 6U));
  const auto& numbers = static_cast<const arrow::Int64Array&>(*longs.values);
  EXPECT_EQ(numbers.Value(0), 1);
  EXPECT_EQ(numbers.Value(1), -12);
  EXPECT_EQ(numbers.Value(2), 7);
  EXPECT_EQ(numbers.Value(3), 12345678901234567);
  EXPECT_EQ(numbers.Value(7), INT64_MIN);

  const TextColumn ints = Convert(*Type::Primitive(TypeId::kInt), {"2147483648", "-2147483648"});
  EXPECT_THAT(ints.bad, testing::ElementsAre(0U));
}

// Decimals and dates that are read quickly are those of the parsers that know every form.
TEST(TextColumnTest, ReadsWhatTheParserOfValuesReads) {
  const auto random = MakeSeededRandom(3);
  const std::array types = {Type::Decimal(9, 2), Type::Decimal(5, 0), Type::Decimal(20, 3),
                            Type::Decimal(38, 10), Type::Primitive(TypeId::kDate)};
  for (const TypePtr& type : types) {
    std::deque<std::string> owned;
    std::vector<std::string_view> texts;
    for (int i = 0; i < 20000; ++i) {
      std::string text;
      if (type->id() == TypeId::kDate) {
        text = fmt::format("{:04}-{:02}-{:02}", random->Below(10000), random->Below(14),
                           random->Below(33));
        if (random->Below(5) == 0) text[random->Below(text.size())] = "/0-9x"[random->Below(5)];
      } else {
        text = fmt::format("{}{}", random->Below(3) == 0 ? "-" : "", random->Below(1000000));
        if (random->Below(4) != 0) text.insert(text.size() - random->Below(text.size()), 1, '.');
        if (random->Below(9) == 0) text += "e2";
      }
      texts.push_back(owned.emplace_back(std::move(text)));
    }
    const TextColumn column = Convert(*type, texts);
    std::vector<size_t> bad;
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto value = ParseValue(texts[i], *type);
      if (!value.ok()) {
        bad.push_back(i);
      } else if (type->id() == TypeId::kDate) {
        const auto& dates = static_cast<const arrow::Date32Array&>(*column.values);
        ASSERT_EQ(Value(dates.Value(static_cast<int64_t>(i))), *value) << texts[i];
      } else {
        const auto& decimals = static_cast<const arrow::FixedSizeBinaryArray&>(*column.values);
        Int128 unscaled = 0;
        std::memcpy(&unscaled, decimals.GetValue(static_cast<int64_t>(i)), sizeof(unscaled));
        ASSERT_EQ(Value(unscaled), *value) << texts[i];
      }
    }
    EXPECT_EQ(column.bad, bad) << FormatType(*type);
  }
}

}  // namespace
}  // namespace firn
