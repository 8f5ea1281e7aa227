#include "firn/data/read/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/log.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<NestedField> IdAndName() {
  return {Required(1, "id", Primitive(TypeId::kLong)),
          Optional(2, "name", Primitive(TypeId::kString))};
}

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

TEST(ReadTasksTest, GivesTheRowsOfAllFiles) {
  RowTable table(IdAndName());
  const auto a = table.Write({Row({int64_t{1}, "a"}), Row({int64_t{2}, {}})});
  const auto b = table.Write({Row({int64_t{3}, "c"})});

  EXPECT_THAT(table.Read({a, b}),
              IsOkAnd(ElementsAre(R"({"id":1,"name":"a"})", R"({"id":2,"name":null})",
                                  R"({"id":3,"name":"c"})")));
}

TEST(ReadTasksTest, WorksOnTheCallingThreadAlone) {
  RowTable table(IdAndName(), int64_t{64} << 20, /*threads=*/0);
  const auto a = table.Write({Row({int64_t{1}, "a"})});

  EXPECT_THAT(table.Read({a, a, a}, {"id"}),
              IsOkAnd(ElementsAre(R"({"id":1})", R"({"id":1})", R"({"id":1})")));
}

TEST(ReadTasksTest, OfNoFilesIsEmpty) {
  RowTable table(IdAndName());
  EXPECT_THAT(table.Read({}), IsOkAnd(IsEmpty()));
}

TEST(ReadTasksTest, KeepsTheOrderOfFilesAndRowsIfAsked) {
  RowTable table(IdAndName());
  std::vector<FileScanTask> tasks;
  std::vector<std::string> expected;
  for (int64_t file = 0; file < 20; ++file) {
    std::vector<StructValue> rows;
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t id = 100 - 3 * file + i;
      rows.push_back(Row({id, {}}));
      expected.push_back("{\"id\":" + std::to_string(id) + "}");
    }
    tasks.push_back(table.Write(std::move(rows)));
  }

  EXPECT_THAT(table.Read(tasks, {"id"}, "", /*is_ordered=*/true), IsOkAnd(expected));
}

TEST(ReadTasksTest, NamesTheFileThatIsMissing) {
  RowTable table(IdAndName());
  FileScanTask task = table.Write({Row({int64_t{1}, "a"})});
  task.file.file_path = "memory:/table/data/gone.parquet";

  const auto rows = table.Read({task});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(rows.error().message(), HasSubstr("gone.parquet"));
}

TEST(ReadTasksTest, NamesTheFileThatIsNoParquetFile) {
  RowTable table(IdAndName());
  const auto task = table.AddFile("bad.parquet", "no Parquet file at all, but long enough");

  const auto rows = table.Read({task});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("bad.parquet"));
}

// Some writers tell wrong sizes in all of a table; other engines read it, so firn does, too.
TEST(ReadTasksTest, ReadsFilesOfAnotherSizeOnlyIfItMay) {
  RowTable table(IdAndName());
  FileScanTask task = table.Write({Row({int64_t{1}, "a"})});
  FileScanTask other = table.Write({Row({int64_t{2}, "b"})});
  ++task.file.file_size_in_bytes;
  --other.file.file_size_in_bytes;
  std::vector<std::string> log;
  const LogSink before =
      SetLogSink([&log](LogLevel, std::string_view message) { log.emplace_back(message); });
  const ReadOptions options{.projection = table.metadata().current_schema()};

  const auto strict = table.ReadWith({task, other}, options);
  ReadContext context = table.read_context();
  context.size_warning = std::make_shared<std::once_flag>();
  auto lenient = ReadTasks(context, {task, other}, options);
  ASSERT_THAT(lenient, IsOk());
  const auto count = CountRows(*std::move(lenient));
  SetLogSink(before);

  EXPECT_THAT(strict, IsError(ErrorCode::kCorrupt, "bytes, but its manifest tells"));
  EXPECT_THAT(count, IsOkAnd(2));
  EXPECT_THAT(log, ElementsAre(HasSubstr("bytes, but its manifest tells")));
}

TEST(ReadTasksTest, StopsWhenItIsCancelled) {
  RowTable table(IdAndName());
  const auto task = table.Write({Row({int64_t{1}, "a"})});
  CancelSource cancel;
  ReadContext context = table.read_context();
  context.cancel = cancel.token();
  const ReadOptions options{.projection = table.metadata().current_schema()};
  auto stream = ReadTasks(context, {task}, options);
  ASSERT_THAT(stream, IsOk());
  cancel.Cancel();

  const auto text =
      RenderText(std::move(*stream), options.projection->as_struct(), RowFormat::kJson);

  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code(), ErrorCode::kCancelled);
}

TEST(ReadTasksTest, MayBeAbandonedHalfWay) {
  RowTable table(IdAndName());
  std::vector<FileScanTask> tasks;
  for (int64_t i = 0; i < 50; ++i)
    tasks.push_back(table.Write({Row({i, "x"})}));
  const ReadOptions options{.projection = table.metadata().current_schema()};
  auto stream = ReadTasks(table.read_context(), tasks, options);
  ASSERT_THAT(stream, IsOk());

  const auto none = [](std::span<const std::byte>) -> Status { return {}; };
  const auto count = RenderRows(
      std::move(*stream), {.type = options.projection->as_struct(), .row_count_max = 3}, none);

  EXPECT_THAT(count, IsOkAnd(3));
  EXPECT_EQ(table.budget().used_bytes(), 0);
}

TEST(ReadTasksTest, FillsMetadataColumns) {
  RowTable table(IdAndName());
  auto task = table.Write({Row({int64_t{7}, "a"}), Row({int64_t{8}, "b"})}, /*sequence_number=*/5);
  task.file.first_row_id = 1000;
  const std::string path = task.file.file_path;

  EXPECT_THAT(table.Read({task}, {"_pos", "id", "_spec_id", "_row_id",
                                  "_last_updated_sequence_number", "_file", "_deleted"}),
              IsOkAnd(ElementsAre(R"({"_pos":0,"id":7,"_spec_id":0,"_row_id":1000,)"
                                  R"("_last_updated_sequence_number":5,"_file":")" +
                                      path + R"(","_deleted":false})",
                                  R"({"_pos":1,"id":8,"_spec_id":0,"_row_id":1001,)"
                                  R"("_last_updated_sequence_number":5,"_file":")" +
                                      path + R"(","_deleted":false})")));
}

TEST(ReadTasksTest, LeavesRowLineageNullBeforeTheTableHasIt) {
  RowTable table(IdAndName());
  const auto task = table.Write({Row({int64_t{7}, "a"})});

  EXPECT_THAT(table.Read({task}, {"_row_id", "_last_updated_sequence_number"}),
              IsOkAnd(ElementsAre(R"({"_row_id":null,"_last_updated_sequence_number":null})")));
}

TEST(ReadTasksTest, PrefersTheRowLineageThatAFileHolds) {
  std::vector<NestedField> fields = IdAndName();
  fields.push_back(Optional(kRowIdFieldId, "_row_id", Primitive(TypeId::kLong)));
  fields.push_back(Optional(kLastUpdatedSequenceNumberFieldId, "_last_updated_sequence_number",
                            Primitive(TypeId::kLong)));
  RowTable table(fields);
  auto task =
      table.Write({Row({int64_t{7}, "a", int64_t{42}, int64_t{3}}), Row({int64_t{8}, "b", {}, {}})},
                  /*sequence_number=*/9);
  task.file.first_row_id = 100;
  table.EvolveTo(IdAndName());

  EXPECT_THAT(table.Read({task}, {"id", "_row_id", "_last_updated_sequence_number"}),
              IsOkAnd(ElementsAre(R"({"id":7,"_row_id":42,"_last_updated_sequence_number":3})",
                                  R"({"id":8,"_row_id":101,"_last_updated_sequence_number":9})")));
}

TEST(ReadTasksTest, ShowsThePartitionOverAllSpecs) {
  RowTable table(IdAndName());
  auto by_id = std::make_shared<PartitionSpec>();
  by_id->spec_id = 1;
  by_id->fields = {{.source_ids = {1}, .field_id = 1000, .name = "id"}};
  auto by_name = std::make_shared<PartitionSpec>();
  by_name->spec_id = 2;
  by_name->fields = {{.source_ids = {2}, .field_id = 1001, .name = "n"}};
  table.metadata().partition_specs = {by_id, by_name};
  table.metadata().default_spec_id = 1;
  const auto a = table.Write({Row({int64_t{7}, "a"})}, 1, Row({int64_t{7}}));
  table.metadata().default_spec_id = 2;
  const auto b = table.Write({Row({int64_t{8}, "b"})}, 1, Row({"b"}));

  EXPECT_THAT(table.Read({a, b}, {"_partition"}),
              IsOkAnd(UnorderedElementsAre(R"({"_partition":{"id":7,"n":null}})",
                                           R"({"_partition":{"id":null,"n":"b"}})")));
}

TEST(ReadTasksTest, ReadsFilesOfManyRowsWithinASmallBudget) {
  RowTable table(IdAndName(), int64_t{16} << 20);
  std::vector<StructValue> rows;
  for (int64_t i = 0; i < 200000; ++i)
    rows.push_back(Row({i, std::string(100, 'x')}));
  const auto task = table.Write(std::move(rows));

  EXPECT_THAT(table.Read({task}, {}, "id = 123456"), IsOkAnd(testing::SizeIs(1)));
  EXPECT_LE(table.budget().peak_bytes(), table.budget().total_bytes());
  EXPECT_EQ(table.budget().used_bytes(), 0);
}

TEST(ReadTasksTest, ReadsPartsOneAfterTheOtherWhenTheBudgetHoldsNoTwo) {
  std::vector<NestedField> fields = {Required(1, "key", Primitive(TypeId::kInt))};
  for (int32_t id = 2; id < 12; ++id)
    fields.push_back(Optional(id, "text_" + std::to_string(id), Primitive(TypeId::kString)));
  std::vector<StructValue> rows;
  uint64_t state = 1;
  for (int32_t i = 0; i < 20000; ++i) {
    StructValue row{{Value(i % 1000)}};
    for (size_t column = 1; column < fields.size(); ++column) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      row.fields.emplace_back(std::to_string(state) + std::string(40, 'x'));
    }
    rows.push_back(std::move(row));
  }
  RowTable writer(fields);
  const auto written = ReadFile(writer.io(), writer.Write(std::move(rows)).file.file_path);
  ASSERT_THAT(written, IsOk());
  RowTable table(fields, int64_t{40} << 20, /*threads=*/4);
  std::vector<FileScanTask> tasks;
  for (const std::string name : {"a", "b", "c", "d", "e", "f"})
    tasks.push_back(table.AddFile(name + ".parquet", written->view()));

  EXPECT_THAT(table.Read(tasks, {}, "key = 7"), IsOkAnd(testing::SizeIs(6 * 20)));
  EXPECT_LE(table.budget().peak_bytes(), table.budget().total_bytes());
}

TEST(ProjectColumnsTest, KeepsTheOrderAskedForAndMergesPartsOfOneStruct) {
  RowTable table({Optional(1, "a",
                           Type::Struct({Optional(2, "x", Primitive(TypeId::kInt)),
                                         Optional(3, "y", Primitive(TypeId::kInt)),
                                         Optional(4, "z", Primitive(TypeId::kInt))})),
                  Optional(5, "b", Primitive(TypeId::kInt))});

  const auto projected = ProjectColumns(table.metadata(), *table.metadata().current_schema(),
                                        {"b", "a.z", "_pos", "a.x"});

  ASSERT_THAT(projected, IsOk());
  EXPECT_EQ(FormatType(*(*projected)->as_struct()),
            "struct<5: b: optional int, 1: a: optional struct<2: x: optional int, 4: z: optional "
            "int>, 2147483645: _pos: required long>");
}

TEST(ProjectColumnsTest, ListsTheColumnsWhenANameIsUnknown) {
  RowTable table(IdAndName());

  const auto projected =
      ProjectColumns(table.metadata(), *table.metadata().current_schema(), {"nme"});

  ASSERT_FALSE(projected.ok());
  EXPECT_EQ(projected.error().code(), ErrorCode::kInvalidInput);
  EXPECT_THAT(projected.error().message(), HasSubstr("the columns are id, name"));
}

TEST(ReadTasksTest, RefusesAFileThatIsNotTheOneThatWasCommitted) {
  RowTable table({Required(1, "id", Primitive(TypeId::kLong))});
  FileScanTask task = table.Write({Row({int64_t{1}}), Row({int64_t{2}})});
  task.file.record_count = 3;
  EXPECT_THAT(table.Read({task}),
              IsError(ErrorCode::kCorrupt, "it has 2 rows, but its manifest tells 3"));
}

}  // namespace
}  // namespace firn
