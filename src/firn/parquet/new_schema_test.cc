#include "firn/parquet/new_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

using Meaning = NewSchemaElement::Meaning;

TEST(NewSchemaTest, IsReadAsItWasMeant) {
  const auto schema =
      MakeFileSchema({{.name = "l",
                       .repetition = FieldRepetition::kOptional,
                       .field_id = 1,
                       .num_children = 1,
                       .meaning = Meaning::kList},
                      {.name = "list", .repetition = FieldRepetition::kRepeated, .num_children = 1},
                      {.name = "element",
                       .field_id = 2,
                       .type = PhysicalType::kFixedLenByteArray,
                       .type_length = 9,
                       .meaning = Meaning::kDecimal,
                       .precision = 20,
                       .scale = 4},
                      {.name = "t",
                       .field_id = 3,
                       .type = PhysicalType::kInt64,
                       .meaning = Meaning::kTimestamp,
                       .is_nanos = true}},
                     2);

  ASSERT_THAT(schema, IsOk());
  const auto leaves = LeavesOf(*schema);
  ASSERT_THAT(leaves, IsOk());
  ASSERT_EQ(leaves->size(), 2U);
  EXPECT_THAT((*leaves)[0].path, testing::ElementsAre("l", "list", "element"));
  EXPECT_EQ((*leaves)[0].max_definition_level, 2);
  EXPECT_EQ((*leaves)[0].element.type_length, 9);
  EXPECT_EQ((*leaves)[0].element.meaning,
            (LeafMeaning{.kind = LeafMeaning::Kind::kDecimal, .scale = 4, .precision = 20}));
  EXPECT_EQ((*leaves)[1].element.meaning.kind, LeafMeaning::Kind::kTimestampNanos);
  EXPECT_EQ((*leaves)[1].element.field_id, 3);
}

TEST(NewSchemaTest, MustBeATree) {
  EXPECT_THAT(MakeFileSchema({{.name = "a", .type = PhysicalType::kInt32}}, 2),
              IsError(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace firn
