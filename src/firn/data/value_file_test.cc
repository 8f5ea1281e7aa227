#include "firn/data/value_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::HasSubstr;

Schema TwoColumns() {
  return Schema(0, {Required(7, "part",
                             Type::Struct({Optional(1000, "day", Primitive(TypeId::kDate)),
                                           Optional(1001, "cat", Primitive(TypeId::kString))})),
                    Required(9, "count", Primitive(TypeId::kLong))});
}

std::vector<StructValue> SomeRows() {
  return {{{Value::Struct({Value(1), Value("a")}), Value(int64_t{5})}},
          {{Value::Struct({Value(), Value()}), Value(int64_t{-1})}}};
}

class ValueFileTest : public testing::TestWithParam<const char*> {};

TEST_P(ValueFileTest, GivesBackTheRows) {
  RowTable table({Required(1, "id", Primitive(TypeId::kLong))});
  table.metadata().properties = {{"write.format.default", GetParam()}};
  const Schema schema = TwoColumns();

  const auto written = WriteValueFile(table.write_context(), schema, "memory:/x", SomeRows());

  ASSERT_THAT(written, IsOk());
  EXPECT_EQ(written->path, std::string("memory:/x.") + GetParam());
  std::vector<StructValue> rows;
  ASSERT_THAT(ReadValueFile(table.read_context(), written->path, written->bytes, schema,
                            [&](StructValue&& row) -> Status {
                              rows.push_back(std::move(row));
                              return {};
                            }),
              IsOk());
  ASSERT_EQ(rows.size(), 2U);
  for (size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(rows[i].fields, SomeRows()[i].fields);
}

INSTANTIATE_TEST_SUITE_P(Formats, ValueFileTest, testing::Values("parquet", "avro", "orc"));

TEST(ReadValueFileTest, FindsColumnsByTheirIdsAndFillsInDefaults) {
  RowTable table({Required(1, "id", Primitive(TypeId::kLong))});
  const auto written = WriteValueFile(table.write_context(), TwoColumns(), "memory:/x", SomeRows());
  ASSERT_THAT(written, IsOk());
  NestedField added = Required(13, "added", Primitive(TypeId::kInt));
  added.initial_default = Value(0);
  const Schema schema(
      0, {Required(9, "renamed", Primitive(TypeId::kLong)), added,
          Required(7, "part",
                   Type::Struct({Optional(1002, "new", Primitive(TypeId::kInt)),
                                 Optional(1001, "cat", Primitive(TypeId::kString))}))});

  std::vector<StructValue> rows;
  ASSERT_THAT(ReadValueFile(table.read_context(), written->path, {}, schema,
                            [&](StructValue&& row) -> Status {
                              rows.push_back(std::move(row));
                              return {};
                            }),
              IsOk());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].fields, (std::vector<Value>{Value(int64_t{5}), Value(0),
                                                Value::Struct({Value(), Value("a")})}));
}

TEST(ReadValueFileTest, NamesTheFileThatIsDamaged) {
  RowTable table({Required(1, "id", Primitive(TypeId::kLong))});
  const auto file = table.AddFile("bad.parquet", "no Parquet file at all, but long enough");
  const auto status = ReadValueFile(table.read_context(), file.file.file_path, {}, TwoColumns(),
                                    [](StructValue&&) -> Status { return {}; });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(status.error().message(), HasSubstr("bad.parquet"));
}

}  // namespace
}  // namespace firn
