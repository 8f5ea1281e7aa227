#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/read/position_deletes_internal.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

std::vector<NestedField> IdStatus() {
  return {Optional(1, "id", Primitive(TypeId::kInt)),
          Optional(2, "status", Primitive(TypeId::kString))};
}

std::vector<StructValue> ThreeRows() { return {Row({1, "A"}), Row({2, "B"}), Row({3, {}})}; }

DeleteFilePtr WriteStatusDelete(RowTable& table, Value status, int64_t sequence_number) {
  return table.WriteDeletes(FileContent::kEqualityDeletes,
                            {Optional(2, "status", Primitive(TypeId::kString))},
                            {Row({std::move(status)})}, sequence_number, {2});
}

TEST(PositionDeletesTest, RemoveThePositionsOfTheirFileOnly) {
  RowTable table(IdStatus());
  auto a = table.Write(ThreeRows());
  auto b = table.Write(ThreeRows());
  const auto deletes = table.WritePositionDeletes(
      {{a.file.file_path, 0}, {a.file.file_path, 2}, {b.file.file_path, 1}}, 2);
  a.deletes = b.deletes = {deletes};

  EXPECT_THAT(table.Read({a, b}, {"id"}, "", true),
              IsOkAnd(ElementsAre(R"({"id":2})", R"({"id":1})", R"({"id":3})")));
}

TEST(PositionDeletesTest, OfSeveralFilesAddUp) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  task.deletes = {table.WritePositionDeletes({{task.file.file_path, 0}}, 2),
                  table.WritePositionDeletes({{task.file.file_path, 1}, {"elsewhere", 2}}, 3)};

  EXPECT_THAT(table.Read({task}, {"id"}), IsOkAnd(ElementsAre(R"({"id":3})")));
}

TEST(PositionDeletesTest, MayRemoveAllRows) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  const std::string path = task.file.file_path;
  task.deletes = {table.WritePositionDeletes({{path, 0}, {path, 1}, {path, 2}}, 2)};

  EXPECT_THAT(table.Read({task}), IsOkAnd(IsEmpty()));
}

TEST(PositionDeletesTest, WithANegativePositionAreRefused) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  task.deletes = {table.WritePositionDeletes({{task.file.file_path, -1}}, 2)};

  const auto rows = table.Read({task});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("position -1 is negative"));
}

// Rows that were deleted would come back if another file lay in the place of the committed one.
TEST(PositionDeletesTest, ThatAreNotTheCommittedFileAreRefused) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  const DeleteFilePtr committed = table.WritePositionDeletes({{task.file.file_path, 0}}, 2);
  const auto read_with = [&](const std::function<void(DataFile&)>& change) {
    DeleteFile other = *committed;
    change(other.file);
    task.deletes = {std::make_shared<const DeleteFile>(other)};
    return table.Read({task});
  };

  EXPECT_THAT(read_with([](DataFile&) {}), IsOkAnd(testing::SizeIs(2)));
  EXPECT_THAT(read_with([](DataFile& file) { ++file.file_size_in_bytes; }),
              IsError(ErrorCode::kCorrupt, "bytes, but its manifest tells"));
  EXPECT_THAT(read_with([](DataFile& file) { file.record_count = 2; }),
              IsError(ErrorCode::kCorrupt, "it has 1 rows, but its manifest tells 2"));
  EXPECT_THAT(read_with([](DataFile& file) { file.referenced_data_file = "other.parquet"; }),
              IsError(ErrorCode::kCorrupt, "it is of 'other.parquet' only"));
}

TEST(PositionDeletesTest, AreLeftAsideIfAsked) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  task.deletes = {table.WritePositionDeletes({{task.file.file_path, 0}}, 2)};
  const ReadOptions options{.projection = table.metadata().current_schema(),
                            .with_deletes_applied = false};

  EXPECT_THAT(table.ReadWith({task}, options), IsOkAnd(testing::SizeIs(3)));
}

TEST(PositionDeletesTest, MarkRowsWhenTheDeletedColumnIsRead) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  task.deletes = {table.WritePositionDeletes({{task.file.file_path, 1}}, 2)};

  EXPECT_THAT(table.Read({task}, {"id", "_deleted"}),
              IsOkAnd(ElementsAre(R"({"id":1,"_deleted":false})", R"({"id":2,"_deleted":true})",
                                  R"({"id":3,"_deleted":false})")));
}

// B41
TEST(PositionDeletesTest, CountPositionsInTheFileWhateverTheFilterPrunes) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt)),
                  Optional(2, "refund", Primitive(TypeId::kInt)),
                  Optional(3, "pad", Primitive(TypeId::kString))});
  table.metadata().properties["write.parquet.row-group-size-bytes"] = "100000";
  table.metadata().properties["write.parquet.compression-codec"] = "uncompressed";
  std::vector<StructValue> rows;
  const auto pad = [](int32_t i) {  // Distinct: dictionaries must not shrink the row groups.
    return Value(std::to_string(i) + std::string(60, 'x'));
  };
  for (int32_t i = 0; i < 30000; ++i) {
    rows.push_back(Row({i, i % 10000 == 0 ? Value() : Value(i), pad(i)}));
  }
  auto task = table.Write(std::move(rows));
  ASSERT_GE(task.file.split_offsets.size(), 3u);
  task.deletes = {table.WritePositionDeletes({{task.file.file_path, 20000}}, 2)};

  EXPECT_THAT(table.Read({task}, {"id"}, "refund IS NULL"),
              IsOkAnd(ElementsAre(R"({"id":0})", R"({"id":10000})")));
  EXPECT_THAT(table.Read({task}, {"id"}, "id = 20000"), IsOkAnd(IsEmpty()));
  EXPECT_THAT(table.Read({task}, {"id"}, "id = 20001"), IsOkAnd(ElementsAre(R"({"id":20001})")));
  EXPECT_THAT(table.Read({task}, {"id"}), IsOkAnd(testing::SizeIs(29999)));
}

TEST(DeletionVectorTest, RemovesItsPositions) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  task.deletes = {table.WriteDeletionVector(task.file.file_path, {0, 1})};

  EXPECT_THAT(table.Read({task}, {"id"}), IsOkAnd(ElementsAre(R"({"id":3})")));
}

TEST(DeletionVectorTest, IsRefusedIfItsCardinalityIsNotTheManifests) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  DeleteFile deletes = *table.WriteDeletionVector(task.file.file_path, {0, 1});
  deletes.file.record_count = 3;
  task.deletes = {std::make_shared<DeleteFile>(deletes)};

  const auto rows = table.Read({task});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("it holds 2 positions, the manifest says 3"));
}

// Memory that others hold comes back; a job must not fail for so little.
TEST(DeletionVectorTest, FewPositionsAreReadWhileOthersHoldTheMemory) {
  RowTable table(IdStatus());
  const FileScanTask task = table.Write(ThreeRows());
  const DeleteFilePtr vector = table.WriteDeletionVector(task.file.file_path, {0, 1});
  const ReadContext context = table.read_context();
  const auto all = context.budget->TryReserve(context.budget->total_bytes());
  ASSERT_THAT(all, IsOk());

  const auto positions = ReadDeletionVector(context, vector->file);

  ASSERT_THAT(positions, IsOk());
  EXPECT_EQ(positions->cardinality(), 2);
}

TEST(DeletionVectorTest, IsRefusedIfItIsForAnotherFile) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  task.deletes = {table.WriteDeletionVector("memory:/other", {0})};

  const auto rows = table.Read({task});

  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message(), HasSubstr("it is for 'memory:/other'"));
}

// B34
TEST(EqualityDeletesTest, ThatAreNotTheCommittedFileAreRefused) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  const DeleteFilePtr committed =
      table.WriteDeletes(FileContent::kEqualityDeletes,
                         {Optional(1, "id", Primitive(TypeId::kInt))}, {Row({2})}, 2, {1});
  for (const bool is_size : {false, true}) {
    DeleteFile other = *committed;
    ++(is_size ? other.file.file_size_in_bytes : other.file.record_count);
    task.deletes = {std::make_shared<const DeleteFile>(other)};
    EXPECT_THAT(table.Read({task}), IsError(ErrorCode::kCorrupt, ", but its manifest tells "));
  }
}

TEST(EqualityDeletesTest, LeaveRowsWithNullKeysAlone) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  task.deletes = {WriteStatusDelete(table, "A", 2)};

  EXPECT_THAT(table.Read({task}, {"id"}), IsOkAnd(ElementsAre(R"({"id":2})", R"({"id":3})")));
}

// B34
TEST(EqualityDeletesTest, LeaveFilesAloneThatAreOlderThanTheColumn) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  auto task = table.Write({Row({1}), Row({2})});
  table.EvolveTo(IdStatus());
  task.deletes = {WriteStatusDelete(table, "A", 2)};

  EXPECT_THAT(table.Read({task}, {"id"}), IsOkAnd(ElementsAre(R"({"id":1})", R"({"id":2})")));
}

// B35
TEST(EqualityDeletesTest, TreatNullAsEqualToNullAndKeepKeySetsApart) {
  const std::vector<NestedField> fields = {Optional(1, "id", Primitive(TypeId::kInt)),
                                           Optional(2, "cat", Primitive(TypeId::kString)),
                                           Optional(3, "name", Primitive(TypeId::kString))};
  RowTable table(fields);
  auto task = table.Write({Row({1, {}, "a"}), Row({2, {}, "b"}), Row({3, "toys", "c"})});
  const auto kind = FileContent::kEqualityDeletes;
  task.deletes = {table.WriteDeletes(kind, {fields[0], fields[1]}, {Row({1, {}})}, 2, {1, 2}),
                  table.WriteDeletes(kind, {fields[2]}, {Row({"b"})}, 2, {3}),
                  table.WriteDeletes(kind, {fields[0]}, {Row({{}})}, 2, {1})};

  EXPECT_THAT(table.Read({task}), IsOkAnd(ElementsAre(R"({"id":3,"cat":"toys","name":"c"})")));
}

// B38
TEST(EqualityDeletesTest, ApplyOnlyToOlderRowsThoughKeysAreShared) {
  RowTable table(IdStatus());
  auto old_rows = table.Write({Row({1, "old"}), Row({2, "old"})}, /*sequence_number=*/4);
  auto new_rows = table.Write({Row({1, "new"})}, /*sequence_number=*/5);
  auto newest = table.Write({Row({2, "newest"})}, /*sequence_number=*/7);
  const NestedField id = Optional(1, "id", Primitive(TypeId::kInt));
  const auto at_5 = table.WriteDeletes(FileContent::kEqualityDeletes, {id}, {Row({1})}, 5, {1});
  const auto at_6 =
      table.WriteDeletes(FileContent::kEqualityDeletes, {id}, {Row({2}), Row({9})}, 6, {1});
  old_rows.deletes = {at_5, at_6};
  new_rows.deletes = {at_6};

  EXPECT_THAT(table.Read({old_rows, new_rows, newest}, {"status"}),
              IsOkAnd(ElementsAre(R"({"status":"new"})", R"({"status":"newest"})")));
}

TEST(EqualityDeletesTest, ApplyByColumnsThatWereDropped) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  const auto deletes = WriteStatusDelete(table, "B", 2);
  table.EvolveTo({Optional(1, "id", Primitive(TypeId::kInt))});
  task.deletes = {deletes};

  EXPECT_THAT(table.Read({task}), IsOkAnd(ElementsAre(R"({"id":1})", R"({"id":3})")));
}

TEST(EqualityDeletesTest, CompareAfterPromotion) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  auto task = table.Write({Row({1}), Row({2})});
  const NestedField narrow = Optional(1, "id", Primitive(TypeId::kInt));
  const NestedField wide = Optional(1, "id", Primitive(TypeId::kLong));
  const auto old_delete =
      table.WriteDeletes(FileContent::kEqualityDeletes, {narrow}, {Row({1})}, 2, {1});
  table.EvolveTo({wide});
  const auto new_delete =
      table.WriteDeletes(FileContent::kEqualityDeletes, {wide}, {Row({int64_t{2}})}, 2, {1});
  task.deletes = {old_delete};
  EXPECT_THAT(table.Read({task}), IsOkAnd(ElementsAre(R"({"id":2})")));
  task.deletes = {new_delete};
  EXPECT_THAT(table.Read({task}), IsOkAnd(ElementsAre(R"({"id":1})")));
}

TEST(EqualityDeletesTest, ApplyToSnapshotsFromBeforeAPromotion) {
  const std::vector<NestedField> narrow = {Optional(1, "i", Primitive(TypeId::kInt)),
                                           Optional(2, "f", Primitive(TypeId::kFloat)),
                                           Optional(3, "d", Primitive(TypeId::kDate))};
  RowTable table(narrow);
  auto task =
      table.Write({Row({1, 0.5F, 7}), Row({2, {}, 8}), Row({3, 2.5F, {}}), Row({4, 3.5F, 9})});
  const auto deletes = [&](size_t field, std::vector<StructValue> keys) {
    return table.WriteDeletes(FileContent::kEqualityDeletes, {narrow[field]}, std::move(keys), 2,
                              {narrow[field].id});
  };
  task.deletes = {deletes(0, {Row({1})}), deletes(1, {Row({Value()})}),
                  deletes(2, {Row({Value()})})};
  const SchemaPtr then = table.metadata().current_schema();
  table.EvolveTo({Optional(1, "i", Primitive(TypeId::kLong)),
                  Optional(2, "f", Primitive(TypeId::kDouble)),
                  Optional(3, "d", Primitive(TypeId::kTimestamp))});

  EXPECT_THAT(table.ReadWith({task}, {.projection = then}),
              IsOkAnd(ElementsAre(testing::StartsWith(R"({"i":4,)"))));
}

TEST(EqualityDeletesTest, MatchFieldsOfStructsWhereANullParentIsANullKey) {
  const TypePtr inner = Type::Struct({Optional(3, "k", Primitive(TypeId::kInt))});
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt)), Optional(2, "s", inner)});
  auto task = table.Write({Row({1, Value::Struct({7})}), Row({2, Value::Struct({{}})}),
                           Row({3, {}}), Row({4, Value::Struct({8})})});
  task.deletes = {table.WriteDeletes(FileContent::kEqualityDeletes, {Optional(2, "s", inner)},
                                     {Row({Value::Struct({7})}), Row({Value::Struct({{}})})}, 2,
                                     {3})};

  EXPECT_THAT(table.Read({task}, {"id"}), IsOkAnd(ElementsAre(R"({"id":4})")));
}

TEST(EqualityDeletesTest, OfAnUnknownFieldNameTheDeleteFile) {
  RowTable table(IdStatus());
  auto task = table.Write(ThreeRows());
  task.deletes = {table.WriteDeletes(FileContent::kEqualityDeletes,
                                     {Optional(77, "x", Primitive(TypeId::kInt))}, {Row({1})}, 2,
                                     {77})};

  const auto rows = table.Read({task});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(),
              testing::AllOf(HasSubstr(task.deletes[0]->file.file_path), HasSubstr("77")));
}

TEST(EqualityDeletesTest, ApplyAlthoughTheKeysDoNotFitTheBudget) {
  RowTable table(IdStatus(), int64_t{8} << 20);
  auto task = table.Write(ThreeRows());
  std::vector<StructValue> keys;
  for (int i = 0; i < 100000; ++i)
    keys.push_back(Row({std::string(100, 'k') + std::to_string(i)}));
  task.deletes = {table.WriteDeletes(FileContent::kEqualityDeletes,
                                     {Optional(2, "status", Primitive(TypeId::kString))},
                                     std::move(keys), 2, {2})};

  EXPECT_THAT(table.Read({task}, {"id"}, "", true),
              IsOkAnd(ElementsAre(R"({"id":1})", R"({"id":2})", R"({"id":3})")));
  EXPECT_EQ(table.budget().used_bytes(), 0);
}

TEST(DeletesTest, OfAllKindsApplyToOneFile) {
  RowTable table(IdStatus());
  std::vector<StructValue> rows;
  for (int i = 0; i < 10; ++i)
    rows.push_back(Row({i, "s" + std::to_string(i)}));
  auto task = table.Write(std::move(rows));
  task.deletes = {table.WriteDeletionVector(task.file.file_path, {0, 1, 2}),
                  WriteStatusDelete(table, "s5", 2),
                  table.WriteDeletes(FileContent::kEqualityDeletes,
                                     {Optional(1, "id", Primitive(TypeId::kInt))},
                                     {Row({7}), Row({8})}, 2, {1})};

  EXPECT_THAT(
      table.Read({task}, {"status"}, "id < 9"),
      IsOkAnd(ElementsAre(R"({"status":"s3"})", R"({"status":"s4"})", R"({"status":"s6"})")));
}

}  // namespace
}  // namespace firn
