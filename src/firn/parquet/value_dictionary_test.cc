#include <limits>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/base/random.h"
#include "firn/parquet/chunk_testing_internal.h"
#include "firn/parquet/value_dictionary_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;

TEST(ValueDictionaryTest, NumbersValuesAsTheyCome) {
  ValueDictionary dictionary(0);

  EXPECT_EQ(dictionary.Insert("b"), 0u);
  EXPECT_EQ(dictionary.Insert(""), 1u);
  EXPECT_EQ(dictionary.Insert("b"), 0u);
  EXPECT_EQ(dictionary.Insert(std::string("b\0", 2)), 2u);
  EXPECT_EQ(dictionary.Find(""), 1u);
  EXPECT_EQ(dictionary.Find("c"), std::nullopt);
  EXPECT_EQ(dictionary.size(), 3u);
  EXPECT_EQ(dictionary.plain_bytes(), 3u + 3 * 4);
  EXPECT_EQ(dictionary.At(2), std::string("b\0", 2));
}

TEST(ValueDictionaryTest, SortsTextsByTheirBytes) {
  ValueDictionary dictionary(0);
  for (const std::string_view value : {"b", "\x80", "", "a", "ab"})
    dictionary.Insert(value);

  EXPECT_THAT(dictionary.Sort(ValueOrder::kUnsignedBytes), ElementsAre(3, 4, 0, 1, 2));

  EXPECT_EQ(dictionary.At(0), "");
  EXPECT_EQ(dictionary.At(4), "\x80");
  EXPECT_EQ(dictionary.Find("ab"), 2u);
  EXPECT_EQ(dictionary.nan_begin(), 5u);
  EXPECT_EQ(AsText(dictionary.plain()),
            std::string("\0\0\0\0\1\0\0\0a\2\0\0\0ab\1\0\0\0b\1\0\0\0\x80", 25));
}

TEST(ValueDictionaryTest, KeepsFloatsApartByTheirBitsAndPutsNanLast) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ValueDictionary dictionary(8);
  for (const double value : {nan, 1.0, -0.0, 0.0, -nan, -5.0})
    dictionary.Insert(PlainOf(value));
  ASSERT_EQ(dictionary.size(), 6u);

  const std::vector<uint32_t> numbers = dictionary.Sort(ValueOrder::kDouble);

  EXPECT_EQ(dictionary.nan_begin(), 4u);
  EXPECT_EQ(dictionary.At(0), PlainOf(-5.0));
  EXPECT_EQ(dictionary.At(3), PlainOf(1.0));
  EXPECT_THAT((std::set{numbers[2], numbers[3]}), ElementsAre(1, 2));
  EXPECT_THAT((std::set{numbers[0], numbers[4]}), ElementsAre(4, 5));
  EXPECT_EQ(dictionary.At(numbers[0]), PlainOf(nan));
  EXPECT_EQ(dictionary.At(numbers[2]), PlainOf(-0.0));
}

TEST(ValueDictionaryTest, SortsDecimalsAsNumbers) {
  ValueDictionary dictionary(2);
  for (const std::string_view value : {"\x01\x01", "\xFF\xFF", "\x7F\xFF", "\x80\x01"})
    dictionary.Insert(value);

  EXPECT_THAT(dictionary.Sort(ValueOrder::kSignedBytes), ElementsAre(2, 1, 3, 0));
}

// As a map does it, through growth and sorting, for every width.
TEST(ValueDictionaryTest, FindsEveryValueAgain) {
  const auto random = MakeSeededRandom(9);
  for (const size_t width : {0u, 1u, 3u, 4u, 8u, 9u, 16u}) {
    ValueDictionary dictionary(width);
    std::map<std::string, uint32_t> model;
    for (int i = 0; i < 20'000; ++i) {
      std::string value(width == 0 ? random->Below(12) : width, '\0');
      if (!value.empty()) value[0] = static_cast<char>(random->Next());
      if (value.size() > 2) value[2] = static_cast<char>(random->Next());
      const auto next = static_cast<uint32_t>(model.size());
      ASSERT_EQ(dictionary.Insert(value), model.emplace(value, next).first->second);
    }
    ASSERT_EQ(dictionary.size(), model.size());
    const std::vector<uint32_t> numbers = dictionary.Sort(ValueOrder::kUnsignedBytes);
    uint32_t place = 0;
    std::map<std::string, uint32_t, std::less<>> sorted(model.begin(), model.end());
    for (const auto& [value, number] : sorted) {
      ASSERT_EQ(numbers[number], place);
      ASSERT_EQ(dictionary.At(place), value);
      ASSERT_EQ(dictionary.Find(value), place);
      ++place;
    }
  }
}

TEST(ValueDictionaryTest, TakesNumbersOfOneStrideWithoutSlowingDown) {
  for (const int shift : {0, 12, 32, 40, 44}) {
    ValueDictionary dictionary(8);
    for (int64_t i = 0; i < 100'000; ++i)
      dictionary.Insert(PlainOf(i << shift));
    EXPECT_EQ(dictionary.size(), 100'000u);
  }
  ValueDictionary doubles(8);
  for (int i = 0; i < 100'000; ++i)
    doubles.Insert(PlainOf(static_cast<double>(i)));
  EXPECT_EQ(doubles.size(), 100'000u);
}

}  // namespace
}  // namespace firn
