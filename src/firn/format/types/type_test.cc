#include "firn/format/types/type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

using testing::HasSubstr;

TypePtr Parse(std::string_view text) {
  auto type = ParsePrimitiveType(text);
  EXPECT_TRUE(type.ok()) << text;
  return type.ok() ? *type : Type::Primitive(TypeId::kUnknown);
}

TEST(TypeTest, TextOfPrimitivesReadsBackAsTheSameType) {
  for (const char* text : {"unknown",
                           "boolean",
                           "int",
                           "long",
                           "float",
                           "double",
                           "decimal(9,2)",
                           "decimal(38,0)",
                           "date",
                           "time",
                           "timestamp",
                           "timestamptz",
                           "timestamp_ns",
                           "timestamptz_ns",
                           "string",
                           "uuid",
                           "fixed[16]",
                           "binary",
                           "variant",
                           "geometry",
                           "geometry(EPSG:4326)",
                           "geography",
                           "geography(EPSG:4326)",
                           "geography(OGC:CRS84, karney)"}) {
    EXPECT_EQ(FormatType(*Parse(text)), text);
    EXPECT_EQ(*Parse(text), *Parse(FormatType(*Parse(text))));
  }
}

TEST(TypeTest, ReadsTheSpellingsOfOtherWriters) {
  EXPECT_EQ(*Parse("decimal(9, 2)"), *Type::Decimal(9, 2));
  EXPECT_EQ(*Parse("DECIMAL( 9 , 2 )"), *Type::Decimal(9, 2));
  EXPECT_EQ(*Parse("fixed[ 16 ]"), *Type::Fixed(16));
  EXPECT_EQ(*Parse("TimestampTZ"), *Type::Primitive(TypeId::kTimestamptz));
  EXPECT_EQ(*Parse("geometry(OGC:CRS84)"), *Type::Primitive(TypeId::kGeometry));
  EXPECT_EQ(*Parse("geometry('EPSG:4326')"), *Type::Geometry("epsg:4326"));
  EXPECT_EQ(*Parse("geography(OGC:CRS84, spherical)"), *Type::Primitive(TypeId::kGeography));
  EXPECT_EQ(*Parse("geography( srid:0 , Vincenty )"), *Type::Geography("SRID:0", "vincenty"));
}

TEST(TypeTest, RefusesTextThatIsNoTypeAndShowsIt) {
  for (const char* text :
       {"", "lon", "decimal", "decimal(9)", "decimal(0,0)", "decimal(39,2)", "decimal(9,-2)",
        "decimal(9,2", "decimal(9;2)", "fixed", "fixed[-1]", "fixed[99999999999]", "fixed(16)",
        "geography(OGC:CRS84, flat)", "struct", "list", "map", "int(4)", "int[4]"}) {
    const auto type = ParsePrimitiveType(text);
    ASSERT_FALSE(type.ok()) << text;
    EXPECT_EQ(type.error().code(), ErrorCode::kCorrupt);
    EXPECT_THAT(type.error().message(), HasSubstr(std::string("'") + text + "'"));
  }
}

TEST(TypeTest, NestedTypesCompareDeeply) {
  const auto make = [](int32_t id, const char* doc) {
    NestedField x{.id = id, .name = "x", .type = Type::Primitive(TypeId::kInt), .required = true};
    x.doc = doc;
    NestedField element{.id = 2, .name = "element", .type = Type::Struct({x})};
    return Type::List(element);
  };
  EXPECT_EQ(*make(3, ""), *make(3, ""));
  EXPECT_NE(*make(3, ""), *make(4, ""));
  EXPECT_NE(*make(3, ""), *make(3, "documented"));
  EXPECT_EQ(FormatType(*make(3, "")), "list<struct<3: x: required int>>");
}

TEST(TypeTest, PromotionsAreThoseOfTheFormatVersion) {
  const TypePtr int_type = Type::Primitive(TypeId::kInt);
  const TypePtr long_type = Type::Primitive(TypeId::kLong);
  const TypePtr date = Type::Primitive(TypeId::kDate);
  const TypePtr unknown = Type::Primitive(TypeId::kUnknown);
  for (const int version : {1, 2, 3}) {
    const bool is_v3 = version == 3;
    EXPECT_TRUE(IsPromotionAllowed(*int_type, *int_type, version));
    EXPECT_TRUE(IsPromotionAllowed(*int_type, *long_type, version));
    EXPECT_FALSE(IsPromotionAllowed(*long_type, *int_type, version));
    EXPECT_TRUE(IsPromotionAllowed(*Type::Primitive(TypeId::kFloat),
                                   *Type::Primitive(TypeId::kDouble), version));
    EXPECT_FALSE(IsPromotionAllowed(*int_type, *Type::Primitive(TypeId::kDouble), version));
    EXPECT_TRUE(IsPromotionAllowed(*Type::Decimal(9, 2), *Type::Decimal(20, 2), version));
    EXPECT_FALSE(IsPromotionAllowed(*Type::Decimal(9, 2), *Type::Decimal(20, 3), version));
    EXPECT_FALSE(IsPromotionAllowed(*Type::Decimal(9, 2), *Type::Decimal(8, 2), version));
    EXPECT_EQ(IsPromotionAllowed(*date, *Type::Primitive(TypeId::kTimestamp), version), is_v3);
    EXPECT_EQ(IsPromotionAllowed(*date, *Type::Primitive(TypeId::kTimestampNs), version), is_v3);
    EXPECT_FALSE(IsPromotionAllowed(*date, *Type::Primitive(TypeId::kTimestamptz), version));
    EXPECT_EQ(IsPromotionAllowed(*unknown, *long_type, version), is_v3);
  }
}

TEST(TypeTest, DecimalsTakeTheFewestBytesThatHoldTheirDigits) {
  const std::vector<int32_t> digits = {2, 4, 6, 9, 11, 14, 16, 18, 21, 23, 26, 28, 31, 33, 35, 38};
  for (size_t i = 0; i < digits.size(); ++i) {
    EXPECT_EQ(DecimalByteWidth(digits[i]), static_cast<int32_t>(i + 1));
    if (i > 0) {
      EXPECT_EQ(DecimalByteWidth(digits[i - 1] + 1), static_cast<int32_t>(i + 1));
    }
  }
  EXPECT_EQ(DecimalByteWidth(1), 1);
}

TEST(TypeTest, NewTypesNeedFormatVersionThree) {
  EXPECT_EQ(MinFormatVersion(TypeId::kTimestamp), 1);
  EXPECT_EQ(MinFormatVersion(TypeId::kMap), 1);
  EXPECT_EQ(MinFormatVersion(TypeId::kTimestamptzNs), 3);
  EXPECT_EQ(MinFormatVersion(TypeId::kVariant), 3);
  EXPECT_EQ(MinFormatVersion(TypeId::kUnknown), 3);
  EXPECT_EQ(MinFormatVersion(TypeId::kGeography), 3);
}

}  // namespace
}  // namespace firn
