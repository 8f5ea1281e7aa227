#include "firn/change/update_rows.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <gmock/gmock.h>

#include "firn/change/append_rows.h"
#include "firn/change/delete_rows.h"
#include "firn/change/row_change_testing_internal.h"
#include "firn/data/data.h"
#include "firn/format/schema/schema_text.h"
#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class UpdateRowsTest : public RowChangeTest {
 protected:
  UpdateRowsTest() : RowChangeTest(int64_t{512} << 20) {}

  void MakeTable(int format_version, const std::string& schema = "id long, kind string, n int",
                 std::optional<int32_t> partition_id = std::nullopt, Properties properties = {}) {
    CreateTableRequest create;
    const auto parsed = ParseSchemaText(schema);
    ASSERT_THAT(parsed, IsOk());
    create.schema = *parsed;
    if (partition_id) {
      create.spec.fields.push_back(
          {.source_ids = {*partition_id}, .field_id = 1000, .name = "part", .transform = {}});
    }
    create.properties = std::move(properties);
    create.format_version = format_version;
    RowChangeTest::MakeTable(create);
  }

  void Append(std::vector<StructValue> rows) { AppendValues(std::move(rows)); }

  static StructValue Row(int64_t id, const char* kind, int32_t n) {
    return {{Value(id), kind == nullptr ? Value() : Value(std::string(kind)), Value(n)}};
  }

  Result<ReplaceRowsResult> Update(const std::vector<std::string>& set, const std::string& where,
                                   std::optional<WriteMode> mode = std::nullopt) {
    UpdateRowsRequest request;
    for (const std::string& text : set) {
      FIRN_ASSIGN(auto assignment, ParseAssignment(text));
      request.assignments.push_back(std::move(assignment));
    }
    request.condition = *ParseExpression(where);
    request.mode = mode;
    return UpdateRows(context(), Load(), request);
  }

  std::vector<std::string> Rows(const std::vector<std::string>& columns = {}) {
    return RowChangeTest::Rows(columns);
  }
};

struct Kind {
  int format_version;
  bool is_partitioned;
  WriteMode mode;
};

class UpdateKindsTest : public UpdateRowsTest, public testing::WithParamInterface<Kind> {
 protected:
  void MakeKind() {
    const Kind& kind = GetParam();
    MakeTable(kind.format_version, "id long, kind string, n int",
              kind.is_partitioned ? std::optional<int32_t>(2) : std::nullopt);
  }
};

TEST_P(UpdateKindsTest, ChangesTheRowsForWhichTheConditionIsTrueAndNoOther) {
  MakeKind();
  Append({Row(1, "x", 10), Row(2, "x", 20), Row(3, "y", 30), Row(4, nullptr, 40)});
  Append({Row(5, "y", 50), Row(6, "y", 60)});

  // Null is neither equal nor unequal: row 4 stays. All expressions see the row as it was.
  const auto first =
      Update({"n = n + id", "kind = kind || n"}, "kind <> 'x' and id <> 5", GetParam().mode);
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->added_rows, 2);
  EXPECT_THAT(Rows(), ElementsAre("1,x,10", "2,x,20", "3,y30,33", "4,,40", "5,y,50", "6,y60,66"));
  EXPECT_EQ(Load().metadata->current_snapshot()->operation, "overwrite");

  // Whole files, and files that have lost rows already.
  const auto second = Update({"n=0"}, "true", GetParam().mode);
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->added_rows, 6);
  EXPECT_THAT(Rows({"id", "n"}), ElementsAre("1,0", "2,0", "3,0", "4,0", "5,0", "6,0"));

  const auto none = Update({"n=1"}, "id = 99", GetParam().mode);
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(none->added_rows, 0);
  EXPECT_EQ(none->snapshot_id, second->snapshot_id);
}

// Against a model: rows by id, of any history of updates.
TEST_P(UpdateKindsTest, KeepsToTheModelWhateverIsUpdated) {
  MakeKind();
  std::map<int64_t, std::pair<std::string, int32_t>> model;
  std::vector<StructValue> rows;
  const char* kinds[] = {"x", "y", "z"};
  for (int64_t id = 0; id < 60; ++id) {
    model[id] = {kinds[id % 3], static_cast<int32_t>(id)};
    rows.push_back(Row(id, kinds[id % 3], static_cast<int32_t>(id)));
    if (id % 20 == 19) Append(std::exchange(rows, {}));
  }
  for (int step = 0; step < 8; ++step) {
    const auto low = static_cast<int64_t>(random_->Below(60));
    const auto high = low + static_cast<int64_t>(random_->Below(30));
    const std::string kind = kinds[random_->Below(3)];
    const bool moves = random_->Below(2) == 0;
    const auto result =
        Update({"n = n + 1", moves ? fmt::format("kind = '{}'", kind) : "id = id"},
               fmt::format("id >= {} and id <= {} and n <> {}", low, high, step), GetParam().mode);
    ASSERT_THAT(result, IsOk());
    int64_t expected = 0;
    for (auto& [id, row] : model) {
      if (id < low || id > high || row.second == step) continue;
      ++expected;
      row.second += 1;
      if (moves) row.first = kind;
    }
    EXPECT_EQ(result->added_rows, expected);
    std::vector<std::string> lines;
    for (const auto& [id, row] : model)
      lines.push_back(fmt::format("{},{},{}", id, row.first, row.second));
    std::sort(lines.begin(), lines.end());
    ASSERT_EQ(Rows(), lines) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(All, UpdateKindsTest,
                         testing::Values(Kind{1, false, WriteMode::kCopyOnWrite},
                                         Kind{2, true, WriteMode::kCopyOnWrite},
                                         Kind{3, false, WriteMode::kCopyOnWrite},
                                         Kind{2, false, WriteMode::kMergeOnRead},
                                         Kind{2, true, WriteMode::kMergeOnRead},
                                         Kind{3, true, WriteMode::kMergeOnRead}));

TEST_F(UpdateRowsTest, TakesTheModeOfTheTable) {
  MakeTable(2, "id long, kind string, n int", {}, {{"write.update.mode", "merge-on-read"}});
  Append({Row(1, "x", 1), Row(2, "y", 2)});
  const auto result = Update({"n = 5"}, "id = 1");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->added_delete_files, 1);
  EXPECT_EQ(result->removed_data_files, 0);
}

// As Spark counts: rows written again, too.
TEST_F(UpdateRowsTest, WritesTheSummaryThatSparkWrites) {
  for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
    MakeTable(2);
    Append({Row(1, "x", 1), Row(2, "y", 2), Row(3, "z", 3)});
    ASSERT_THAT(Update({"n = 5"}, "id = 1", mode), IsOk());
    const bool is_copy = mode == WriteMode::kCopyOnWrite;
    const Table table = Load();
    const Summary& summary = table.metadata->current_snapshot()->summary;
    EXPECT_EQ(summary.Find("added-records"), is_copy ? "3" : "1");
    EXPECT_EQ(summary.Find("added-data-files"), "1");
    EXPECT_EQ(summary.Find("deleted-records"),
              is_copy ? std::optional<std::string>("3") : std::nullopt);
    EXPECT_EQ(summary.Find("added-position-deletes"),
              is_copy ? std::nullopt : std::optional<std::string>("1"));
  }
}

// v3: a changed row keeps its id and is as new as the commit; others keep both. // B125
TEST_F(UpdateRowsTest, KeepsRowIdsAndTellsWhichRowsChanged) {
  for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
    MakeTable(3);
    Append({Row(1, "x", 1), Row(2, "x", 2), Row(3, "x", 3)});
    const std::vector<std::string> columns = {"id", "_row_id", "_last_updated_sequence_number"};
    EXPECT_THAT(Rows(columns), ElementsAre("1,0,1", "2,1,1", "3,2,1"));
    ASSERT_THAT(Update({"n = 7"}, "id = 2", mode), IsOk());
    EXPECT_THAT(Rows(columns), ElementsAre("1,0,1", "2,1,2", "3,2,1"));
    ASSERT_THAT(Update({"n = 8"}, "id > 1", mode), IsOk());
    EXPECT_THAT(Rows(columns), ElementsAre("1,0,1", "2,1,3", "3,2,3"));
    Append({Row(4, "x", 4)});
    EXPECT_THAT(Rows({"_row_id"}).back(), testing::Not(testing::AnyOf("0", "1", "2")));
  }
}

TEST_F(UpdateRowsTest, MovesRowsBetweenPartitions) {
  MakeTable(2, "id long, kind string, n int", 2);
  Append({Row(1, "x", 1), Row(2, "y", 2)});
  ASSERT_THAT(Update({"kind = 'new'"}, "id = 1"), IsOk());
  const Table table = Load();
  ScanOptions scan;
  scan.schema = table.metadata->current_schema();
  scan.filter = *ParseExpression("kind = 'new'");
  const auto tasks = PlanAllFiles(*io_, *table.metadata, scan, *executor_, {});
  ASSERT_THAT(tasks, IsOk());
  ASSERT_EQ(tasks->size(), 1U);
  EXPECT_THAT((*tasks)[0].file.file_path, HasSubstr("part=new"));
  EXPECT_THAT(Rows({"id", "kind"}), ElementsAre("1,new", "2,y"));
}

// B49
TEST_F(UpdateRowsTest, RefusesNullInRequiredColumnsAndFields) {
  MakeTable(2, "id int not null, msg string not null, s struct<a: int not null, b: string>");
  Append({{{Value(int32_t{1}), Value(std::string("m")), Value()}}});
  const size_t files = CountDataFiles();
  EXPECT_THAT(
      Update({"msg = NULL"}, "id = 1"),
      IsError(ErrorCode::kInvalidInput, "set 'msg': 'msg' is required, but a value is null"));
  EXPECT_THAT(Update({"s = {'a': NULL, 'b': 'x'}"}, "id = 1"),
              IsError(ErrorCode::kInvalidInput, "set 's': 'a' is required"));
  EXPECT_THAT(Update({"s.b = 'x'"}, "id = 1"),
              IsError(ErrorCode::kInvalidInput,
                      "set 's.b': 'a' is required, but has no value in a "
                      "row in which 's' is null"));
  EXPECT_EQ(CountDataFiles(), files);
  EXPECT_THAT(Update({"s = NULL"}, "id = 1"), IsOk());
  EXPECT_THAT(Update({"s = {'a': 4, 'b': 'x'}"}, "id = 1"), IsOk());
  EXPECT_THAT(Update({"s.b = s.b || 'y'"}, "id = 1"), IsOk());
  EXPECT_THAT(Rows({"s.a", "s.b"}), ElementsAre(HasSubstr("xy")));
}

TEST_F(UpdateRowsTest, SetsColumnsOfEveryType) {
  MakeTable(
      3,
      "id long, b boolean, f float, d double, dec decimal(9,2), dt date, t time, ts timestamp, "
      "tz timestamptz, ns timestamp_ns, zn timestamptz_ns, s string, u uuid, x fixed(4), "
      "bin binary, l list<long>, m map<string, int>, st struct<u: uuid, x: fixed(2)>");
  std::vector<Value> nulls(18);
  nulls[0] = Value(int64_t{1});
  Append({{nulls}});
  ASSERT_THAT(
      Update({"b = id = 1", "f = 1.5", "d = 1e300", "dec = '12.345'", "dt = '2024-02-29'",
              "t = '10:11:12.000001'", "ts = '2024-02-29 01:02:03.000004'",
              "tz = '2024-02-29 01:02:03+01'", "ns = '2024-02-29 01:02:03.000000005'",
              "zn = '2024-02-29 01:02:03.000000006'", "s = 'ä' || id",
              "u = 'F79C3E09-677C-4BBD-A479-3F349CB785E7'", "x = '\\x00\\x01\\xFE\\xFF'::BLOB",
              "bin = 'ab'", "l = [id, NULL]", "m = MAP {'k': 5}",
              "st = {'u': 'f79c3e09-677c-4bbd-a479-3f349cb785e7', 'x': 'ab'::BLOB}"},
             "id = 1"),
      IsOk());
  EXPECT_THAT(Rows(), ElementsAre(testing::AllOf(
                          HasSubstr("1,true,1.5,1e+300,12.35,2024-02-29,10:11:12.000001,"),
                          HasSubstr("2024-02-29T01:02:03.000004,2024-02-29T00:02:03.000000+00:00,"),
                          HasSubstr("2024-02-29T01:02:03.000000005,"),
                          HasSubstr("2024-02-29T01:02:03.000000006+00:00,ä1,"),
                          HasSubstr("f79c3e09-677c-4bbd-a479-3f349cb785e7,0001feff,6162,"))));
  const auto before = Rows();
  // What goes through the engine comes back as it was.
  ASSERT_THAT(Update({"b = b", "f = f", "d = d", "dec = dec", "dt = dt", "t = t", "ts = ts",
                      "tz = tz", "ns = ns", "zn = zn", "s = s", "u = u", "x = x", "bin = bin",
                      "l = l", "m = m", "st = st"},
                     "id = 1"),
              IsOk());
  EXPECT_EQ(Rows(), before);
  EXPECT_THAT(Update({"x = 'abc'"}, "id = 1"),
              IsError(ErrorCode::kInvalidInput, "set 'x': 'x': 3 bytes, expected 4"));
  EXPECT_THAT(Update({"u = 'abc'"}, "id = 1"), IsError(ErrorCode::kInvalidInput, "set 'u': "));
  EXPECT_THAT(Update({"dec = 12345678"}, "id = 1"), IsError(ErrorCode::kInvalidInput, "set 'dec'"));
}

TEST_F(UpdateRowsTest, RefusesAssignmentsThatAreWrong) {
  MakeTable(2, "id long, name string, s struct<a: int, b: int>, l list<int>");
  const auto error = [&](const std::vector<std::string>& set) {
    const auto result = Update(set, "true");
    return result.ok() ? "ok" : result.error().Format();
  };
  EXPECT_THAT(error({"nam = 'x'"}),
              HasSubstr("invalid-input: set: there is no column 'nam' (did you mean 'name'?); the "
                        "columns are id, name, s, s.a, s.b, l, l.element"));
  EXPECT_THAT(error({"id = 1", "ID = 2"}), HasSubstr("set 'ID': the column is set twice"));
  EXPECT_THAT(error({"s.a = 1", "s = NULL"}),
              HasSubstr("set 's': 's.a', which is set too, is a part of it"));
  EXPECT_THAT(error({"l.element = 1"}), HasSubstr("set the whole column"));
  EXPECT_THAT(error({"id"}), HasSubstr("'id' is no assignment, expected column=expression"));
  EXPECT_THAT(error({"id = nam"}), HasSubstr("set 'id': Referenced column \"nam\" not found"));
  EXPECT_THAT(error({"id = _row_id"}), HasSubstr("not found"));
  EXPECT_THAT(error({"id = (SELECT 1)"}), HasSubstr("a subquery is not supported"));
  EXPECT_THAT(error({}), HasSubstr("nothing is set"));
  EXPECT_EQ(error({"s.a = 1", "s.b = 2", "id = 3"}), "ok");
}

TEST_F(UpdateRowsTest, ComputesNothingForRowsThatDoNotMatch) {
  MakeTable(2);
  Append({Row(1, "x", 0), Row(2, "12", 5)});
  ASSERT_THAT(Update({"n = CAST(kind AS INTEGER)"}, "id = 2"), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("1,x,0", "2,12,12"));
  EXPECT_THAT(Update({"n = CAST(kind AS INTEGER)"}, "id = 1"),
              IsError(ErrorCode::kInvalidInput, "Could not convert string 'x' to INT32"));
}

// B64: rows that others delete meanwhile do not come back.
TEST_F(UpdateRowsTest, ConflictsWithADeletionInTheSameFile) {
  for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
    MakeTable(2);
    Append({Row(1, "x", 1), Row(2, "x", 2), Row(3, "x", 3)});
    ScriptedCatalog catalog(*catalog_);
    catalog.before_commit = [&] {
      if (catalog.commit_count > 1) return;
      use_catalog_ = nullptr;
      DeleteRowsRequest request;
      request.condition = *ParseExpression("id = 1");
      request.mode = WriteMode::kMergeOnRead;
      ASSERT_THAT(DeleteRows(context(), Load(), request), IsOk());
    };
    use_catalog_ = &catalog;
    EXPECT_THAT(Update({"n = 9"}, "id = 3", mode), IsError(ErrorCode::kCommitConflict));
    use_catalog_ = nullptr;
    EXPECT_THAT(Rows(), ElementsAre("2,x,2", "3,x,3"));
  }
}

// B54: an answer that is lost does not update twice.
TEST_F(UpdateRowsTest, UpdatesOnceIfTheAnswerToTheCommitIsLost) {
  MakeTable(2);
  Append({Row(1, "x", 10)});
  ScriptedCatalog catalog(*catalog_);
  catalog.lost_answer = Error(ErrorCode::kCommitUnknown, "no answer came");
  use_catalog_ = &catalog;
  const auto result = Update({"n = n + 1"}, "id = 1");
  use_catalog_ = nullptr;
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(Rows(), ElementsAre("1,x,11"));
}

TEST_F(UpdateRowsTest, HoldsToIsolationAndLeavesNoFileAfterAConflict) {
  for (const bool is_serializable : {true, false}) {
    MakeTable(2, "id long, kind string, n int", {},
              {{"write.update.isolation-level", is_serializable ? "serializable" : "snapshot"}});
    Append({Row(1, "x", 1), Row(2, "x", 2)});
    ScriptedCatalog catalog(*catalog_);
    size_t before = 0;
    catalog.before_commit = [&] {
      if (catalog.commit_count > 1) return;
      use_catalog_ = nullptr;
      Append({Row(1, "late", 5)});
      before = CountDataFiles() - 1;  // Without the file that the update wrote.
    };
    use_catalog_ = &catalog;
    const auto result = Update({"n = 9"}, "id = 1");
    use_catalog_ = nullptr;
    if (is_serializable) {
      EXPECT_THAT(result, IsError(ErrorCode::kCommitConflict, "may hold rows"));
      EXPECT_EQ(CountDataFiles(), before);
      EXPECT_THAT(Rows(), ElementsAre("1,late,5", "1,x,1", "2,x,2"));
    } else {
      EXPECT_THAT(result, IsOk());
      EXPECT_THAT(Rows(), ElementsAre("1,late,5", "1,x,9", "2,x,2"));
    }
  }
}

TEST_F(UpdateRowsTest, DoesNothingInATableWithoutRows) {
  MakeTable(2);
  const auto result = Update({"n = 1"}, "true");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->added_rows, 0);
  EXPECT_EQ(result->snapshot_id, std::nullopt);
  EXPECT_THAT(Update({"n = 1"}, "nothing = 1"), IsError(ErrorCode::kInvalidInput, "nothing"));
}

TEST_F(UpdateRowsTest, RefusesMergeOnReadInVersion1) {
  MakeTable(1);
  Append({Row(1, "x", 1)});
  EXPECT_THAT(Update({"n = 2"}, "id = 1", WriteMode::kMergeOnRead),
              IsError(ErrorCode::kInvalidInput, "version 2"));
}

}  // namespace
}  // namespace firn
