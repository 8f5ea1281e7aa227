#include "firn/format/layout/partition_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/types/value_testing_internal.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

NestedField Column(int32_t id, std::string name, TypePtr type) {
  return {.id = id, .name = std::move(name), .type = std::move(type)};
}

TypePtr Of(TypeId id) { return Type::Primitive(id); }

PartitionField Field(int32_t source_id, int32_t field_id, std::string name,
                     std::string_view transform) {
  return {.source_ids = {source_id},
          .field_id = field_id,
          .name = std::move(name),
          .transform = *ParseTransform(transform)};
}

SchemaPtr MakeSchema() {
  return std::make_shared<const Schema>(
      0, std::vector<NestedField>{
             Column(1, "id", Of(TypeId::kLong)), Column(2, "ts", Of(TypeId::kTimestamptz)),
             Column(3, "name", Of(TypeId::kString)),
             Column(4, "list", Type::List(Column(5, "", Of(TypeId::kInt)))),
             Column(6, "s", Type::Struct({Column(7, "x", Of(TypeId::kInt))}))});
}

std::string PathOf(const PartitionField& field, const Value& value) {
  const PartitionSpec spec{.spec_id = 0, .fields = {field}};
  return PartitionPath(spec, *PartitionType(spec, {MakeSchema()}), StructValue{{value}});
}

TEST(PartitionSpecTest, TheTypeHasOneOptionalFieldPerPartitionField) {
  const PartitionSpec spec{
      .spec_id = 1,
      .fields = {Field(1, 1000, "id_bucket", "bucket[4]"), Field(2, 1001, "ts_day", "day"),
                 Field(3, 1002, "name", "identity"), Field(3, 1003, "odd", "zorder[2]")}};
  EXPECT_EQ(FormatType(*PartitionType(spec, {MakeSchema()})),
            "struct<1000: id_bucket: optional int, 1001: ts_day: optional date, "
            "1002: name: optional string, 1003: odd: optional string>");
}

TEST(PartitionSpecTest, AnOldSpecKeepsItsTypeAfterItsColumnWasDropped) {  // B77
  const PartitionSpec old_spec{
      .spec_id = 0,
      .fields = {Field(9, 1000, "trip_bucket_8", "bucket[8]"), Field(9, 1001, "trip", "identity")}};
  const auto before = std::make_shared<const Schema>(
      0, std::vector<NestedField>{Column(1, "id", Of(TypeId::kLong)),
                                  Column(9, "trip", Of(TypeId::kLong))});
  const char* type = "struct<1000: trip_bucket_8: optional int, 1001: trip: optional long>";
  EXPECT_EQ(FormatType(*PartitionType(old_spec, {MakeSchema(), before})), type);
  EXPECT_EQ(FormatType(*PartitionType(old_spec, {MakeSchema()})),
            "struct<1000: trip_bucket_8: optional int, 1001: trip: optional unknown>");
}

TEST(PartitionSpecTest, ThePromotedTypeOfAColumnComesFirst) {
  const PartitionSpec spec{.spec_id = 0, .fields = {Field(1, 1000, "id", "identity")}};
  const auto before = std::make_shared<const Schema>(
      0, std::vector<NestedField>{Column(1, "id", Of(TypeId::kInt))});
  EXPECT_EQ(FormatType(*PartitionType(spec, {MakeSchema(), before})),
            "struct<1000: id: optional long>");
}

TEST(PartitionSpecTest, OnlyVoidFieldsAreUnpartitioned) {
  EXPECT_TRUE(PartitionSpec{}.is_unpartitioned());
  EXPECT_TRUE(
      (PartitionSpec{.spec_id = 1, .fields = {Field(1, 1000, "a", "void")}}).is_unpartitioned());
  EXPECT_FALSE(
      (PartitionSpec{.spec_id = 1,
                     .fields = {Field(1, 1000, "a", "void"), Field(1, 1001, "b", "identity")}})
          .is_unpartitioned());
}

TEST(PartitionSpecTest, PathsAreEscapedAsHtmlForms) {
  const PartitionField name = Field(3, 1000, "na me/", "identity");
  EXPECT_EQ(PathOf(name, std::string("a b/c=\xC3\xA9*-._~\xE2\x98\xBA%+:\"{}\xF0\x9F\x98\x80")),
            "na+me%2F=a+b%2Fc%3D%C3%A9*-._%7E%E2%98%BA%25%2B%3A%22%7B%7D%F0%9F%98%80");
  EXPECT_EQ(PathOf(name, std::string()), "na+me%2F=");
  EXPECT_EQ(PathOf(name, Value()), "na+me%2F=null");
  EXPECT_EQ(PathOf(Field(2, 1000, "ts", "identity"), int64_t{-1}),
            "ts=1969-12-31T23%3A59%3A59.999999%2B00%3A00");
  EXPECT_EQ(PathOf(Field(2, 1000, "ts_hour", "hour"), int32_t{-1}), "ts_hour=1969-12-31-23");
  EXPECT_EQ(PathOf(Field(2, 1000, "ts_month", "month"), int32_t{-1}), "ts_month=1969-12");
}

TEST(PartitionSpecTest, PathsAreThoseOfSpark) {
  const PartitionSpec spec{
      .spec_id = 0,
      .fields = {Field(2, 1000, "ts_day", "day"), Field(1, 1001, "id_bucket", "bucket[4]"),
                 Field(3, 1002, "name_trunc", "truncate[2]")}};
  const TypePtr type = PartitionType(spec, {MakeSchema()});
  EXPECT_EQ(PartitionPath(spec, *type, {{int32_t{-1}, int32_t{3}, std::string("x")}}),
            "ts_day=1969-12-31/id_bucket=3/name_trunc=x");
  EXPECT_EQ(PartitionPath(spec, *type, {{int32_t{19787}, int32_t{3}, std::string("\xC3\xA9l")}}),
            "ts_day=2024-03-05/id_bucket=3/name_trunc=%C3%A9l");
  EXPECT_EQ(PartitionPath(spec, *type, {{Value(), Value(), Value()}}),
            "ts_day=null/id_bucket=null/name_trunc=null");
  EXPECT_EQ(PartitionPath(PartitionSpec{}, *Type::Struct({}), {}), "");
}

PartitionSpecPtr MakeSpec(int32_t id, std::vector<PartitionField> fields) {
  return std::make_shared<const PartitionSpec>(
      PartitionSpec{.spec_id = id, .fields = std::move(fields)});
}

TEST(PartitionSpecTest, TheUnifiedTypeHoldsTheFieldsOfAllSpecs) {
  const std::vector<PartitionSpecPtr> specs = {
      MakeSpec(0, {Field(3, 1000, "category", "identity")}),
      MakeSpec(1, {Field(2, 1001, "ts_day", "day")}),
      MakeSpec(2, {Field(2, 1001, "day", "day"), Field(1, 1002, "id_bucket_4", "bucket[4]")})};
  const TypePtr type = UnifiedPartitionType(specs, {MakeSchema()});
  EXPECT_EQ(FormatType(*type),
            "struct<1000: category: optional string, 1001: day: optional date, "
            "1002: id_bucket_4: optional int>");
  EXPECT_THAT(ToUnifiedPartition(*specs[1], {{int32_t{7}}}, *type).fields,
              ElementsAre(Value(), Value(int32_t{7}), Value()));
  EXPECT_THAT(ToUnifiedPartition(*specs[2], {{int32_t{7}, int32_t{3}}}, *type).fields,
              ElementsAre(Value(), Value(int32_t{7}), Value(int32_t{3})));
}

TEST(PartitionSpecTest, AFieldThatVersionOneDroppedKeepsItsTypeInTheUnifiedType) {
  const std::vector<PartitionSpecPtr> specs = {MakeSpec(0, {Field(1, 1000, "b", "bucket[4]")}),
                                               MakeSpec(1, {Field(1, 1000, "b", "void")})};
  EXPECT_EQ(FormatType(*UnifiedPartitionType(specs, {MakeSchema()})),
            "struct<1000: b: optional int>");
}

TEST(PartitionSpecTest, ANameThatNewerFieldsUseIsMadeUnique) {
  const std::vector<PartitionSpecPtr> specs = {MakeSpec(0, {Field(1, 1000, "p", "bucket[4]")}),
                                               MakeSpec(1, {Field(1, 1001, "p", "bucket[8]")})};
  EXPECT_EQ(FormatType(*UnifiedPartitionType(specs, {MakeSchema()})),
            "struct<1000: p_1000: optional int, 1001: p: optional int>");
}

TEST(PartitionSpecTest, UnifiedValuesAreWidenedOrNullButNeverOfAnotherType) {
  const TypePtr type = Type::Struct({Column(1000, "a", Of(TypeId::kLong))});
  const PartitionSpec spec{.spec_id = 0, .fields = {Field(1, 1000, "a", "identity")}};
  EXPECT_THAT(ToUnifiedPartition(spec, {{int32_t{5}}}, *type).fields,
              ElementsAre(Value(int64_t{5})));
  EXPECT_THAT(ToUnifiedPartition(spec, {{std::string("x")}}, *type).fields, ElementsAre(Value()));
}

struct InvalidSpec {
  const char* name;
  std::vector<PartitionField> fields;
  const char* message;
};

std::vector<InvalidSpec> InvalidSpecs() {
  return {
      {"NoName", {Field(1, 1000, "", "identity")}, "empty name"},
      {"SameName",
       {Field(1, 1000, "a", "identity"), Field(2, 1001, "a", "day")},
       "'a' stands twice"},
      {"SameId", {Field(1, 1000, "a", "identity"), Field(2, 1000, "b", "day")}, "id 1000"},
      {"MissingColumn", {Field(99, 1000, "a", "identity")}, "source column 99"},
      {"NestedColumn", {Field(6, 1000, "a", "identity")}, "expected a primitive"},
      {"InList", {Field(5, 1000, "a", "identity")}, "lies in a list"},
      {"WrongType", {Field(3, 1000, "a", "day")}, "day is not defined for type string"},
      {"NoSource", {{.source_ids = {}, .field_id = 1000, .name = "a"}}, "no source column"},
  };
}

class InvalidSpecTest : public testing::TestWithParam<InvalidSpec> {};

TEST_P(InvalidSpecTest, IsRefusedWithTheFieldNamed) {
  const auto status =
      ValidatePartitionSpec({.spec_id = 0, .fields = GetParam().fields}, *MakeSchema());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(status.error().message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(All, InvalidSpecTest, testing::ValuesIn(InvalidSpecs()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(PartitionSpecTest, FieldsInStructsAndVoidFieldsOfDroppedColumnsAreValid) {
  const PartitionSpec spec{
      .spec_id = 0,
      .fields = {Field(7, 1000, "s.x", "identity"), Field(99, 1001, "gone", "void"),
                 Field(3, 1002, "odd", "zorder[2]")}};
  const auto status = ValidatePartitionSpec(spec, *MakeSchema());
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message());
}

TEST(PartitionSpecTest, ANewSpecHasNoRedundantFieldsAndNoNamesOfOtherColumns) {
  const auto validate = [](std::vector<PartitionField> fields) {
    const auto status =
        ValidateNewPartitionSpec({.spec_id = 0, .fields = std::move(fields)}, *MakeSchema());
    return status.ok() ? std::string("ok") : status.error().Format();
  };
  EXPECT_EQ(validate({Field(1, 1000, "id", "identity"), Field(1, 1001, "b", "bucket[4]"),
                      Field(1, 1002, "c", "bucket[8]"), Field(2, 1003, "d", "day")}),
            "ok");
  EXPECT_THAT(validate({Field(1, 1000, "name", "identity")}), HasSubstr("choose another name"));
  EXPECT_THAT(validate({Field(3, 1000, "name", "truncate[2]")}), HasSubstr("choose another name"));
  EXPECT_THAT(validate({Field(1, 1000, "a", "bucket[4]"), Field(1, 1001, "b", "bucket[4]")}),
              HasSubstr("has a bucket[4] field already"));
  EXPECT_THAT(validate({Field(2, 1000, "a", "day"), Field(2, 1001, "b", "hour")}),
              HasSubstr("has a time field already"));
  EXPECT_THAT(validate({Field(1, 1000, "a", "zorder[2]")}), HasSubstr("expected one of bucket"));
}

}  // namespace
}  // namespace firn
