#include "firn/data/changes/changelog.h"

#include <algorithm>
#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/text.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Rows = std::vector<std::pair<int64_t, std::string>>;

/// A table (id long, v string) whose snapshots are put together by hand.
class ChangelogTest : public testing::Test {
 protected:
  explicit ChangelogTest(int64_t budget_bytes = int64_t{64} << 20)
      : table_({Optional(1, "id", Primitive(TypeId::kLong)),
                Optional(2, "v", Primitive(TypeId::kString))},
               budget_bytes) {}

  FileScanTask Write(const Rows& rows) {
    std::vector<StructValue> values;
    for (const auto& [id, text] : rows)
      values.push_back({{id < 0 ? Value() : Value(id), text.empty() ? Value() : Value(text)}});
    return table_.Write(std::move(values));
  }
  void Commit(SnapshotChanges changes) {
    auto snapshot = std::make_unique<Snapshot>();
    snapshot->snapshot_id = 100 + static_cast<int64_t>(snapshots_.size());
    snapshots_.push_back(std::move(snapshot));
    changes_.push_back(std::move(changes));
  }
  /// Copy-on-write: the file takes the place of another.
  void Replace(const Rows& before, const Rows& after) {
    Commit({.added = {Write(after)}, .removed = {Write(before)}});
  }

  /// "ordinal TYPE id v", sorted.
  Result<std::vector<std::string>> Read(ChangelogOptions options = {}) {
    options.schema = table_.metadata().current_schema();
    std::vector<const Snapshot*> snapshots;
    for (const auto& snapshot : snapshots_)
      snapshots.push_back(snapshot.get());
    const auto plan = [this](const Snapshot& snapshot) -> Result<SnapshotChanges> {
      return changes_[static_cast<size_t>(snapshot.snapshot_id - 100)];
    };
    FIRN_ASSIGN(const SchemaPtr schema, ChangelogSchema(*options.schema));
    FIRN_ASSIGN(RowStream rows, ReadChangelog(table_.read_context(), snapshots, plan, options));
    FIRN_ASSIGN(const std::string text,
                RenderText(std::move(rows), schema->as_struct(), RowFormat::kCsv));
    std::vector<std::string> lines;
    for (const std::string_view line : SplitText(text, '\n')) {
      if (line.empty() || line.starts_with("id,")) continue;
      const auto cells = SplitText(line, ',');
      EXPECT_EQ(cells[4], std::to_string(100 + std::stoi(std::string(cells[3]))));
      lines.push_back(fmt::format("{} {} {} {}", cells[3], cells[2], cells[0], cells[1]));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  RowTable table_;
  std::vector<std::unique_ptr<Snapshot>> snapshots_;
  std::vector<SnapshotChanges> changes_;
};

TEST_F(ChangelogTest, TellsAddedAndDeletedRowsInTheOrderOfSnapshots) {
  Commit({.added = {Write({{1, "a"}, {2, "b"}})}});
  Commit({});
  Commit({.removed = {Write({{2, "b"}})}});
  EXPECT_THAT(Read(), IsOkAnd(ElementsAre("0 INSERT 1 a", "0 INSERT 2 b", "2 DELETE 2 b")));
}

TEST_F(ChangelogTest, LeavesOutRowsThatWereCopiedAsOftenAsTheyWere) {
  Replace({{1, "a"}, {2, "b"}, {3, "c"}, {3, "c"}, {-1, ""}},
          {{3, "c"}, {1, "a"}, {2, "x"}, {3, "c"}, {3, "c"}, {-1, ""}});
  EXPECT_THAT(Read(), IsOkAnd(ElementsAre("0 DELETE 2 b", "0 INSERT 2 x", "0 INSERT 3 c")));
}

TEST_F(ChangelogTest, DoesNotCancelOverSnapshotsUnlessNetChangesAreAskedFor) {
  Commit({.added = {Write({{1, "a"}, {2, "b"}})}});
  Replace({{1, "a"}, {2, "b"}}, {{1, "x"}, {2, "b"}});
  Commit({.removed = {Write({{1, "x"}})}});
  Commit({.added = {Write({{1, "a"}, {1, "a"}})}});
  EXPECT_THAT(Read(),
              IsOkAnd(ElementsAre("0 INSERT 1 a", "0 INSERT 2 b", "1 DELETE 1 a", "1 INSERT 1 x",
                                  "2 DELETE 1 x", "3 INSERT 1 a", "3 INSERT 1 a")));
  // As in Spark, the copy of a row counts as the one that was added last.
  EXPECT_THAT(Read({.is_net = true}),
              IsOkAnd(ElementsAre("1 INSERT 2 b", "3 INSERT 1 a", "3 INSERT 1 a")));
}

TEST_F(ChangelogTest, TellsUpdatesByTheirIdentifier) {
  Replace({{1, "a"}, {2, "b"}, {3, "c"}}, {{1, "x"}, {3, "c"}, {4, "d"}});
  EXPECT_THAT(Read({.identifier_ids = {1}}),
              IsOkAnd(ElementsAre("0 DELETE 2 b", "0 INSERT 4 d", "0 UPDATE_AFTER 1 x",
                                  "0 UPDATE_BEFORE 1 a")));
}

// Spark does so, too.
TEST_F(ChangelogTest, TakesOneOfSeveralAddedRowsForTheUpdateAndRefusesSeveralDeletedOnes) {
  Commit({.added = {Write({{7, "p"}, {7, "p"}, {7, "q"}})}});
  Replace({{7, "p"}}, {{7, "x"}, {7, "x"}});
  EXPECT_THAT(Read({.identifier_ids = {1}}),
              IsOkAnd(ElementsAre("0 INSERT 7 p", "0 INSERT 7 p", "0 INSERT 7 q", "1 INSERT 7 x",
                                  "1 UPDATE_AFTER 7 x", "1 UPDATE_BEFORE 7 p")));
  Replace({{7, "p"}, {7, "q"}}, {{7, "y"}});
  EXPECT_THAT(Read({.identifier_ids = {1}}),
              IsError(ErrorCode::kInvalidInput, "several rows with the same identifier"));
}

TEST_F(ChangelogTest, TellsWhatDeletesByPositionAndByKeyDidToFilesThatStay) {
  FileScanTask before = Write({{1, "a"}, {2, "b"}, {3, "c"}, {4, "d"}, {5, "e"}});
  const std::string path = before.file.file_path;
  before.sequence_number = 1;
  before.deletes = {table_.WritePositionDeletes({{path, 0}}, 2)};
  FileScanTask after = before;
  after.deletes.push_back(table_.WritePositionDeletes({{path, 0}, {path, 1}}, 3));
  after.deletes.push_back(table_.WriteDeletes(
      FileContent::kEqualityDeletes, {Optional(1, "id", Primitive(TypeId::kLong))},
      {{{Value(int64_t{2})}}, {{Value(int64_t{4})}}, {{Value(int64_t{1})}}}, 3, {1}));
  FileScanTask added = Write({{4, "dd"}});
  Commit({.added = {added}, .changed = {{before, after}}});
  EXPECT_THAT(Read(), IsOkAnd(ElementsAre("0 DELETE 2 b", "0 DELETE 4 d", "0 INSERT 4 dd")));
  EXPECT_THAT(Read({.identifier_ids = {1}}),
              IsOkAnd(ElementsAre("0 DELETE 2 b", "0 UPDATE_AFTER 4 dd", "0 UPDATE_BEFORE 4 d")));
}

TEST_F(ChangelogTest, TellsRowsThatComeBackWhenADeleteGoes) {
  FileScanTask before = Write({{1, "a"}, {2, "b"}, {3, "c"}});
  FileScanTask after = before;
  before.deletes = {table_.WriteDeletionVector(before.file.file_path, {0, 1})};
  after.deletes = {table_.WriteDeletionVector(before.file.file_path, {1, 2})};
  Commit({.changed = {{before, after}}});
  EXPECT_THAT(Read(), IsOkAnd(ElementsAre("0 DELETE 3 c", "0 INSERT 1 a")));
}

TEST_F(ChangelogTest, AppliesDeletesToTheFilesThatCameAndWent) {
  FileScanTask removed = Write({{1, "a"}, {2, "b"}});
  removed.deletes = {table_.WritePositionDeletes({{removed.file.file_path, 0}}, 2)};
  FileScanTask added = Write({{3, "c"}, {4, "d"}});
  added.deletes = {table_.WritePositionDeletes({{added.file.file_path, 1}}, 2)};
  Commit({.added = {added}, .removed = {removed}});
  EXPECT_THAT(Read(), IsOkAnd(ElementsAre("0 DELETE 2 b", "0 INSERT 3 c")));
}

TEST_F(ChangelogTest, OfNoSnapshotsIsEmpty) { EXPECT_THAT(Read(), IsOkAnd(IsEmpty())); }

/// Little memory: rows that are compared go to disk.
class SmallChangelogTest : public ChangelogTest {
 protected:
  SmallChangelogTest() : ChangelogTest(int64_t{8} << 20) {}
};

TEST_F(SmallChangelogTest, ComparesMoreRowsThanMemoryHolds) {
  Rows before;
  Rows after;
  for (int64_t i = 0; i < 60'000; ++i) {
    before.emplace_back(i, "a text that is long enough to fill the memory " + std::to_string(i));
    after.emplace_back(i, i % 20'000 == 7 ? "changed" : before.back().second);
  }
  Replace(before, after);
  EXPECT_THAT(Read({.identifier_ids = {1}}), IsOkAnd(SizeIs(6)));
  EXPECT_THAT(Read({.is_net = true}), IsOkAnd(SizeIs(6)));
  EXPECT_EQ(table_.budget().used_bytes(), 0);
}

TEST_F(ChangelogTest, RefusesATableWithAColumnOfChanges) {
  const Schema schema(0, {Optional(1, "_change_type", Primitive(TypeId::kString))});
  EXPECT_THAT(ChangelogSchema(schema), IsError(ErrorCode::kInvalidInput, "'_change_type'"));
}

}  // namespace
}  // namespace firn
