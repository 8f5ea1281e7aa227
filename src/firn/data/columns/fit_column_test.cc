#include "firn/data/columns/fit_column.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>

#include <gmock/gmock.h>

#include "firn/data/arrow/arrow_types.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

ArrayPtr FromJson(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  const auto array = arrow::json::ArrayFromJSONString(type, json);
  EXPECT_TRUE(array.ok()) << array.status().ToString();
  return *array;
}

Result<ArrayPtr> Fit(const ArrayPtr& array, TypePtr type, bool required = false) {
  NestedField field{.id = 1, .name = "c", .type = std::move(type), .required = required};
  return FitColumn(array, field, arrow::default_memory_pool());
}

TypePtr StructOf(TypePtr a, bool required = false) {
  return Type::Struct({{.id = 2, .name = "a", .type = std::move(a), .required = required}});
}

TEST(FitColumnTest, TurnsTextIntoUuidsAtAnyDepth) {
  const std::string uuid = "f79c3e09-677c-4bbd-a479-3f349cb785e7";
  const auto fitted =
      Fit(FromJson(arrow::list(arrow::field("l", arrow::utf8())),
                   R"([[")" + uuid + R"(", null], null])"),
          Type::List({.id = 2, .name = "element", .type = Type::Primitive(TypeId::kUuid)}));
  ASSERT_THAT(fitted, IsOk());
  EXPECT_TRUE((*fitted)->ValidateFull().ok());
  const auto& values = *static_cast<const arrow::ListArray&>(**fitted).values();
  EXPECT_EQ(static_cast<const arrow::FixedSizeBinaryArray&>(values).GetView(0).substr(0, 2),
            "\xf7\x9c");
  EXPECT_TRUE(values.IsNull(1));
}

TEST(FitColumnTest, KeepsStructsOfSlices) {
  const auto type = arrow::struct_({arrow::field("x", arrow::binary())});
  const ArrayPtr whole = FromJson(type, R"([{"x": "ab"}, null, {"x": null}, {"x": "cd"}])");
  const auto fitted = Fit(whole->Slice(1), StructOf(Type::Fixed(2)));
  ASSERT_THAT(fitted, IsOk());
  EXPECT_TRUE((*fitted)->ValidateFull().ok());
  ASSERT_EQ((*fitted)->length(), 3);
  EXPECT_TRUE((*fitted)->IsNull(0));
  EXPECT_TRUE((*fitted)->IsValid(1));
  const auto& field = *static_cast<const arrow::StructArray&>(**fitted).field(0);
  EXPECT_TRUE(field.IsNull(1));
  EXPECT_EQ(static_cast<const arrow::FixedSizeBinaryArray&>(field).GetView(2), "cd");
}

TEST(FitColumnTest, MissesValuesOnlyWhereThereIsAStruct) {
  const auto type = arrow::struct_({arrow::field("a", arrow::int32())});
  const TypePtr wanted = StructOf(Type::Primitive(TypeId::kInt), true);
  EXPECT_THAT(Fit(FromJson(type, R"([null, {"a": 1}])"), wanted), IsOk());
  EXPECT_THAT(Fit(FromJson(type, R"([null, {"a": null}])"), wanted),
              IsError(ErrorCode::kInvalidInput, "'a' is required"));
  EXPECT_THAT(Fit(FromJson(type, R"([null])"), wanted, true),
              IsError(ErrorCode::kInvalidInput, "'c' is required"));
}

TEST(FitColumnTest, FitsKeysAndValuesOfMaps) {
  const auto fitted =
      Fit(FromJson(arrow::map(arrow::utf8(), arrow::binary()), R"([[["k", "abc"]], null, []])"),
          Type::Map(
              {.id = 2, .name = "key", .type = Type::Primitive(TypeId::kString), .required = true},
              {.id = 3, .name = "value", .type = Type::Fixed(3)}));
  ASSERT_THAT(fitted, IsOk());
  EXPECT_TRUE((*fitted)->ValidateFull().ok());
}

TEST(FitColumnTest, RefusesWhatIsNoValueOfTheType) {
  EXPECT_THAT(Fit(FromJson(arrow::utf8(), R"(["x"])"), Type::Primitive(TypeId::kUuid)),
              IsError(ErrorCode::kInvalidInput, "'x' is no UUID"));
  EXPECT_THAT(Fit(FromJson(arrow::binary(), R"(["x"])"), Type::Fixed(2)),
              IsError(ErrorCode::kInvalidInput, "1 bytes, expected 2"));
  EXPECT_THAT(Fit(FromJson(arrow::int64(), "[1]"), Type::Primitive(TypeId::kInt)),
              IsError(ErrorCode::kInternal, "int64"));
}

}  // namespace
}  // namespace firn
