#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/base/random.h"
#include "firn/parquet/chunk_testing_internal.h"
#include "firn/parquet/value_order_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

SchemaElement Leaf(PhysicalType type, LeafMeaning meaning = {}) {
  return {.type = type, .type_length = 5, .name = "a", .meaning = meaning};
}

const std::byte* Data(const std::string& text) { return AsBytes(text).data(); }

// Big-endian two's complement of `width` bytes.
std::string BigEndian(int64_t value, size_t width) {
  std::string bytes(width, '\0');
  for (size_t i = 0; i < width; ++i) {
    const size_t shift = 8 * (width - 1 - i);
    bytes[i] = static_cast<char>(value >> std::min<size_t>(shift, 63));
  }
  return bytes;
}

TEST(ValueOrderTest, FollowsTypeAndMeaning) {
  EXPECT_THAT(OrderOf(Leaf(PhysicalType::kBoolean)), IsOkAnd(ValueOrder::kBoolean));
  EXPECT_THAT(OrderOf(Leaf(PhysicalType::kInt32)), IsOkAnd(ValueOrder::kInt32));
  EXPECT_THAT(OrderOf(Leaf(PhysicalType::kInt64)), IsOkAnd(ValueOrder::kInt64));
  EXPECT_THAT(OrderOf(Leaf(PhysicalType::kFloat)), IsOkAnd(ValueOrder::kFloat));
  EXPECT_THAT(OrderOf(Leaf(PhysicalType::kDouble)), IsOkAnd(ValueOrder::kDouble));
  EXPECT_THAT(OrderOf(Leaf(PhysicalType::kByteArray)), IsOkAnd(ValueOrder::kUnsignedBytes));
  EXPECT_THAT(OrderOf(Leaf(PhysicalType::kFixedLenByteArray)), IsOkAnd(ValueOrder::kUnsignedBytes));
  EXPECT_THAT(OrderOf(Leaf(PhysicalType::kFixedLenByteArray, {LeafMeaning::Kind::kDecimal, 2})),
              IsOkAnd(ValueOrder::kSignedBytes));
  EXPECT_THAT(OrderOf(Leaf(PhysicalType::kInt96)), IsError(ErrorCode::kUnsupported, "INT96"));
  EXPECT_EQ(ValueWidth(Leaf(PhysicalType::kBoolean)), 1u);
  EXPECT_EQ(ValueWidth(Leaf(PhysicalType::kFixedLenByteArray)), 5u);
  EXPECT_EQ(ValueWidth(Leaf(PhysicalType::kByteArray)), 0u);
  EXPECT_EQ(ValueWidth(Leaf(PhysicalType::kInt96)), 12u);
}

TEST(ValueOrderTest, ComparesNumbersAsNumbers) {
  const std::vector<int64_t> numbers = {INT64_MIN, INT32_MIN, -256, -1, 0, 1, 255, 256, INT64_MAX};
  for (const int64_t a : numbers) {
    for (const int64_t b : numbers) {
      const int expected = a < b ? -1 : (a > b ? 1 : 0);
      EXPECT_EQ(ComparePlain(ValueOrder::kInt64, PlainOf(a), PlainOf(b)), expected);
      EXPECT_EQ(ComparePlain(ValueOrder::kDouble, PlainOf(static_cast<double>(a)),
                             PlainOf(static_cast<double>(b))),
                expected);
    }
  }
  EXPECT_LT(ComparePlain(ValueOrder::kInt32, PlainOf(int32_t{-1}), PlainOf(int32_t{0})), 0);
  EXPECT_LT(ComparePlain(ValueOrder::kFloat, PlainOf(-1.5F), PlainOf(0.5F)), 0);
  EXPECT_EQ(ComparePlain(ValueOrder::kFloat, PlainOf(-0.0F), PlainOf(0.0F)), 0);
  EXPECT_LT(ComparePlain(ValueOrder::kBoolean, std::string(1, '\0'), "\1"), 0);
}

TEST(ValueOrderTest, ComparesTextByUnsignedBytes) {
  EXPECT_LT(ComparePlain(ValueOrder::kUnsignedBytes, "", "a"), 0);
  EXPECT_LT(ComparePlain(ValueOrder::kUnsignedBytes, "a", "ab"), 0);
  EXPECT_LT(ComparePlain(ValueOrder::kUnsignedBytes, "z", "\x80"), 0);
  EXPECT_LT(ComparePlain(ValueOrder::kUnsignedBytes, std::string("a\0", 2), "a\x01"), 0);
  EXPECT_EQ(ComparePlain(ValueOrder::kUnsignedBytes, "abc", "abc"), 0);
}

TEST(ValueOrderTest, ComparesDecimalsOfAnyLengthAsNumbers) {
  const std::vector<int64_t> numbers = {-70000, -32768, -256, -255, -129, -128, -2,    -1,
                                        0,      1,      127,  128,  255,  256,  32767, 70000};
  for (const int64_t a : numbers) {
    for (const int64_t b : numbers) {
      for (const size_t width_a : {3u, 4u, 16u}) {
        for (const size_t width_b : {3u, 9u}) {
          EXPECT_EQ(
              ComparePlain(ValueOrder::kSignedBytes, BigEndian(a, width_a), BigEndian(b, width_b)),
              a < b ? -1 : (a > b ? 1 : 0))
              << a << " " << b;
        }
      }
    }
  }
  EXPECT_EQ(ComparePlain(ValueOrder::kSignedBytes, "", BigEndian(0, 2)), 0);
  EXPECT_GT(ComparePlain(ValueOrder::kSignedBytes, "", BigEndian(-1, 2)), 0);
}

TEST(ValueBoundsTest, HaveNoValueAtFirst) {
  ValueBounds bounds(ValueOrder::kInt32);
  bounds.AddFixed(nullptr, 0, 4);
  bounds.Merge(ValueBounds(ValueOrder::kInt32));

  EXPECT_FALSE(bounds.has_value());
}

TEST(ValueBoundsTest, LeaveOutNanAndCountIt) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  ValueBounds bounds(ValueOrder::kDouble);
  bounds.AddFixed(Data(PlainOf(nan) + PlainOf(-nan)), 2, 8);
  EXPECT_FALSE(bounds.has_value());
  EXPECT_EQ(bounds.nan_count(), 2);

  ValueBounds more(ValueOrder::kDouble);
  const std::string values = PlainOf(2.5) + PlainOf(nan) + PlainOf(-infinity);
  more.AddFixed(Data(values), 3, 8);
  bounds.Merge(more);

  EXPECT_EQ(bounds.min(), PlainOf(-infinity));
  EXPECT_EQ(bounds.max(), PlainOf(2.5));
  EXPECT_EQ(bounds.nan_count(), 3);
}

TEST(ValueBoundsTest, HoldInfinityWhereThereIsNothingElse) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float value : {infinity, -infinity}) {
    ValueBounds bounds(ValueOrder::kFloat);
    const std::string values = PlainOf(value) + PlainOf(std::nanf(""));
    bounds.AddFixed(Data(values), 2, 4);
    EXPECT_EQ(bounds.min(), PlainOf(value));
    EXPECT_EQ(bounds.max(), PlainOf(value));
  }
}

// Readers compare bounds bit by bit or as numbers: both zeros must lie between them.
TEST(ValueBoundsTest, EncloseBothZeros) {
  for (const double zero : {0.0, -0.0}) {
    ValueBounds bounds(ValueOrder::kDouble);
    bounds.AddFixed(Data(PlainOf(zero)), 1, 8);
    EXPECT_EQ(bounds.min(), PlainOf(-0.0));
    EXPECT_EQ(bounds.max(), PlainOf(0.0));
  }
  ValueBounds floats(ValueOrder::kFloat);
  floats.AddRange(PlainOf(0.0F), PlainOf(-0.0F));
  EXPECT_EQ(floats.min(), PlainOf(-0.0F));
  EXPECT_EQ(floats.max(), PlainOf(0.0F));
}

TEST(ValueBoundsTest, HoldTheExtremesOfNumbers) {
  ValueBounds bounds(ValueOrder::kInt32);
  const std::string values =
      PlainOf(int32_t{5}) + PlainOf(INT32_MIN) + PlainOf(INT32_MAX) + PlainOf(int32_t{-1});
  bounds.AddFixed(Data(values), 4, 4);

  EXPECT_EQ(bounds.min(), PlainOf(INT32_MIN));
  EXPECT_EQ(bounds.max(), PlainOf(INT32_MAX));
}

TEST(ValueBoundsTest, HoldTheExtremesOfTextsThatShareTheirFirstBytes) {
  const auto random = MakeSeededRandom(8);
  for (int round = 0; round < 300; ++round) {
    ValueBounds bounds(ValueOrder::kUnsignedBytes);
    ValueBounds merged(ValueOrder::kUnsignedBytes);
    std::vector<std::string> values;
    for (uint64_t i = 1 + random->Below(20); i > 0; --i) {
      std::string value = random->Below(2) == 0 ? "12345678" : "";
      while (random->Below(4) != 0)
        value += "\0\1a\x7F\x80\xFF"[random->Below(6)];
      bounds.AddBytes(value);
      ValueBounds one(ValueOrder::kUnsignedBytes);
      one.AddBytes(value);
      merged.Merge(one);
      values.push_back(value);
    }
    std::sort(values.begin(), values.end(), [](const std::string& a, const std::string& b) {
      return std::lexicographical_compare(
          a.begin(), a.end(), b.begin(), b.end(),
          [](char x, char y) { return static_cast<uint8_t>(x) < static_cast<uint8_t>(y); });
    });
    ASSERT_EQ(bounds.min(), values.front());
    ASSERT_EQ(bounds.max(), values.back());
    ASSERT_EQ(merged.min(), values.front());
    ASSERT_EQ(merged.max(), values.back());
  }
}

TEST(ValueBoundsTest, HoldTheExtremesOfDecimals) {
  ValueBounds bounds(ValueOrder::kSignedBytes);
  const std::string values = BigEndian(3, 5) + BigEndian(-3, 5) + BigEndian(-200, 5);
  bounds.AddFixed(Data(values), 3, 5);

  EXPECT_EQ(bounds.min(), BigEndian(-200, 5));
  EXPECT_EQ(bounds.max(), BigEndian(3, 5));
}

}  // namespace
}  // namespace firn
