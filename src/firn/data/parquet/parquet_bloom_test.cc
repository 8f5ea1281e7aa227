#include <arrow/io/memory.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/formats/data_file_internal.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::IsEmpty;

// Even numbers and what is made of them, in one row group, so that odd ones are within all bounds.
class BloomFilterTest : public testing::Test {
 protected:
  BloomFilterTest()
      : table_({Optional(1, "i", Primitive(TypeId::kInt)),
                Optional(2, "l", Primitive(TypeId::kLong)),
                Optional(3, "s", Primitive(TypeId::kString)),
                Optional(4, "d", Primitive(TypeId::kDate)),
                Optional(5, "t", Type::Struct({Optional(6, "x", Primitive(TypeId::kInt))})),
                Optional(7, "plain", Primitive(TypeId::kInt)),
                Optional(8, "f", Primitive(TypeId::kDouble))}) {
    for (const char* name : {"i", "l", "s", "d", "t.x", "f"}) {
      table_.metadata()
          .properties["write.parquet.bloom-filter-enabled.column." + std::string(name)] = "true";
    }
    std::vector<StructValue> rows;
    for (int i = 0; i < 2000; i += 2) {
      rows.push_back({{i, int64_t{i}, "s" + std::to_string(i + 1000), i, Value::Struct({i}), i,
                       static_cast<double>(i)}});
    }
    task_ = table_.Write(std::move(rows));
  }

  // Row groups that are read.
  size_t PartsFor(const std::string& where) {
    const SchemaPtr schema = table_.metadata().current_schema();
    DataFileRequest request{.file = *table_.io().Open(task_.file.file_path),
                            .wanted = schema->fields(),
                            .prune_filter = *Bind(*ParseExpression(where), *schema),
                            .pool = BudgetPool::Make(int64_t{64} << 20)};
    const auto reader = OpenDataFile(request);
    EXPECT_THAT(reader, IsOk());
    return reader.ok() ? (*reader)->parts().size() : 0;
  }

  RowTable table_;
  FileScanTask task_;
};

TEST_F(BloomFilterTest, SkipsRowGroupsWithoutTheValue) {
  for (const char* where :
       {"i = 7", "l = 7", "s = 's1007'", "d = DATE '1970-01-08'", "t.x = 7", "i IN (7, 9, 11)",
        "i = 7 OR l = 9", "i = 8 AND l = 7", "plain = 8 AND i = 7"}) {
    EXPECT_EQ(PartsFor(where), 0U) << where;
    EXPECT_THAT(table_.Read({task_}, {"i"}, where), IsOkAnd(IsEmpty())) << where;
  }
}

TEST_F(BloomFilterTest, ReadsRowGroupsThatMayHaveTheValue) {
  for (const char* where : {"i = 8", "l = 8", "s = 's1008'", "d = DATE '1970-01-09'", "t.x = 8",
                            "i IN (7, 8)", "i = 7 OR l = 8"}) {
    EXPECT_EQ(PartsFor(where), 1U) << where;
    EXPECT_THAT(table_.Read({task_}, {"i"}, where), IsOkAnd(testing::SizeIs(1))) << where;
  }
  // Other tests than for equality, other values, and columns without a filter.
  for (const char* where :
       {"i > 7", "i <> 7", "NOT i = 7", "f = 0.0", "truncate(10, i) = 10", "i = 7 OR plain > 5"}) {
    EXPECT_EQ(PartsFor(where), 1U) << where;
  }
}

}  // namespace
}  // namespace firn
