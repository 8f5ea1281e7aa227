#include "firn/format/types/value.h"

#include <cmath>
#include <limits>

#include <rapidcheck/gtest.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/types/type.h"
#include "firn/format/types/value_testing_internal.h"

namespace firn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ValueTest, FloatsAreEqualByCanonicalBits) {
  EXPECT_EQ(Value(kNan), Value(std::nan("7")));
  EXPECT_EQ(Value(kNan), Value(-kNan));
  EXPECT_EQ(HashValue(Value(kNan)), HashValue(Value(-kNan)));
  EXPECT_NE(Value(0.0), Value(-0.0));
  EXPECT_NE(Value(0.0F), Value(-0.0F));
  EXPECT_EQ(Value(1.5F), Value(1.5F));
}

TEST(ValueTest, ValuesOfDifferentFormsAreDifferent) {
  EXPECT_NE(Value(int32_t{1}), Value(int64_t{1}));
  EXPECT_NE(Value(std::string("a")), Value(BinaryValue{"a"}));
  EXPECT_NE(Value(), Value(false));
  EXPECT_EQ(Value(), Value());
}

TEST(ValueTest, FloatsAreOrderedWithNanAtTheEnds) {  // B90
  const std::vector<double> order = {-kNan, -kInfinity, -1.0, -0.0, 0.0, 1.0, kInfinity, kNan};
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = 0; j < order.size(); ++j) {
      EXPECT_EQ(CompareValues(order[i], order[j]), i <=> j) << order[i] << " " << order[j];
      const auto a = static_cast<float>(order[i]);
      const auto b = static_cast<float>(order[j]);
      EXPECT_EQ(CompareValues(a, b), i <=> j) << a << " " << b;
    }
  }
}

TEST(ValueTest, TextAndBytesAreOrderedAsUnsignedBytes) {
  EXPECT_TRUE(CompareValues(std::string("z"), std::string("\xC3\xA9")) < 0);
  // In UTF-16 the order of these two is the other way round.
  EXPECT_TRUE(CompareValues(std::string("\xEF\xBF\xBD"), std::string("\xF0\x9F\x98\x80")) < 0);
  EXPECT_TRUE(CompareValues(BinaryValue{"\x7F"}, BinaryValue{"\x80"}) < 0);
  EXPECT_TRUE(CompareValues(std::string("a"), std::string("ab")) < 0);
  UuidBytes low{};
  UuidBytes high{};
  low[0] = std::byte{0x7F};
  high[0] = std::byte{0x80};
  EXPECT_TRUE(CompareValues(low, high) < 0);
}

TEST(ValueTest, NestedValuesAreComparedPartByPart) {
  const Value a = Value::Struct({int32_t{1}, Value()});
  const Value b = Value::Struct({int32_t{1}, std::string("x")});
  EXPECT_NE(a, b);
  EXPECT_EQ(a, Value::Struct({int32_t{1}, Value()}));
  EXPECT_EQ(HashValue(a), HashValue(Value::Struct({int32_t{1}, Value()})));
  EXPECT_TRUE(CompareValues(a, b) < 0);
  const Value map = Value::Map({{std::string("k"), Value::List({1.5, 2.5})}});
  EXPECT_EQ(map, Value::Map({{std::string("k"), Value::List({1.5, 2.5})}}));
  EXPECT_NE(map, Value::Map({{std::string("k"), Value::List({1.5})}}));
}

TEST(ValueTest, KnowsTheFormOfEachType) {
  EXPECT_TRUE(HasFormOf(int32_t{1}, *Type::Primitive(TypeId::kDate)));
  EXPECT_FALSE(HasFormOf(int32_t{1}, *Type::Primitive(TypeId::kLong)));
  EXPECT_TRUE(HasFormOf(Int128{1}, *Type::Decimal(9, 2)));
  EXPECT_TRUE(HasFormOf(Value::List({}), *Type::List({.id = 1, .type = Type::Fixed(1)})));
  EXPECT_FALSE(HasFormOf(Value(), *Type::Primitive(TypeId::kUnknown)));
}

RC_GTEST_PROP(ValueProperty, OrderIsStrictAndTotalAndAgreesWithEquality, ()) {
  const TypePtr type = *AnyBoundedType();
  const Value a = AnyValue(*type);
  const Value b = AnyValue(*type);
  const Value c = AnyValue(*type);
  RC_ASSERT(std::is_eq(CompareValues(a, a)));
  RC_ASSERT(std::is_eq(CompareValues(a, b)) == (a == b));
  RC_ASSERT(std::is_lt(CompareValues(a, b)) == std::is_gt(CompareValues(b, a)));
  if (CompareValues(a, b) <= 0 && CompareValues(b, c) <= 0)
    RC_ASSERT(std::is_lteq(CompareValues(a, c)));
  if (a == b) RC_ASSERT(HashValue(a) == HashValue(b));
}

}  // namespace
}  // namespace firn
