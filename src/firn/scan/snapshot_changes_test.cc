#include "firn/scan/snapshot_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/io/uri.h"
#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SnapshotChangesTest : public testing::Test {
 protected:
  /// "+file", "-file", "file: deletes before / after" of a snapshot.
  std::vector<std::string> ChangesOf(SnapshotId id) {
    const Table loaded = table_.Load();
    const auto changes = PlanSnapshotChanges(
        *loaded.io, *loaded.metadata, *loaded.metadata->FindSnapshot(id), table_.executor(), {});
    EXPECT_THAT(changes, IsOk());
    std::vector<std::string> lines;
    if (!changes.ok()) return lines;
    const auto name = [](const FileScanTask& task) {
      return std::string(UriFileName(task.file.file_path));
    };
    for (const FileScanTask& task : changes->added)
      lines.push_back(fmt::format("+{} {}", name(task), task.deletes.size()));
    for (const FileScanTask& task : changes->removed)
      lines.push_back(fmt::format("-{} {}", name(task), task.deletes.size()));
    for (const ChangedDeletes& change : changes->changed) {
      lines.push_back(fmt::format("{}: {}/{}", name(change.after), change.before.deletes.size(),
                                  change.after.deletes.size()));
    }
    return lines;
  }

  std::vector<SnapshotId> Find(std::optional<SnapshotId> start, SnapshotId end) {
    const Table loaded = table_.Load();
    const auto found = FindChangingSnapshots(*loaded.metadata, start, end);
    EXPECT_THAT(found, IsOk());
    std::vector<SnapshotId> ids;
    if (!found.ok()) return ids;
    for (const Snapshot* snapshot : *found)
      ids.push_back(snapshot->snapshot_id);
    return ids;
  }

  TestTable table_;
};

TEST_F(SnapshotChangesTest, AreTheFilesThatCameAndWent) {
  const DataFile a = table_.MakeDataFile("a");
  const SnapshotId first = table_.Add({a, table_.MakeDataFile("b")}).snapshot_id;
  const SnapshotId second = table_.Remove(a.file_path).snapshot_id;
  const SnapshotId third = table_.Add({table_.MakeDataFile("c")}).snapshot_id;
  EXPECT_THAT(ChangesOf(first), ElementsAre("+a 0", "+b 0"));
  EXPECT_THAT(ChangesOf(second), ElementsAre("-a 0"));
  EXPECT_THAT(ChangesOf(third), ElementsAre("+c 0"));
}

TEST_F(SnapshotChangesTest, AreFilesWithOtherDeletesThanBefore) {
  const DataFile a = table_.MakeDataFile("a");
  const DataFile b = table_.MakeDataFile("b");
  table_.Add({a, b});
  const SnapshotId second =
      table_.Add({table_.MakePositionDeletes("d1", a), table_.MakeDataFile("c")}).snapshot_id;
  const SnapshotId third = table_.Add({table_.MakeEqualityDeletes("e")}).snapshot_id;
  const SnapshotId fourth = table_.Remove(a.file_path).snapshot_id;
  EXPECT_THAT(ChangesOf(second), ElementsAre("+c 0", "a: 0/1"));
  EXPECT_THAT(ChangesOf(third), ElementsAre("a: 1/2", "b: 0/1", "c: 0/1"));
  EXPECT_THAT(ChangesOf(fourth), ElementsAre("-a 2"));
}

TEST_F(SnapshotChangesTest, AreFilesOfWhichADeleteWent) {
  const DataFile a = table_.MakeDataFile("a");
  const DataFile deletes = table_.MakePositionDeletes("d", a);
  table_.Add({a, table_.MakeDataFile("b")});
  table_.Add({deletes});
  EXPECT_THAT(ChangesOf(table_.Remove(deletes.file_path).snapshot_id), ElementsAre("a: 1/0"));
}

TEST_F(SnapshotChangesTest, NeedTheParentOnlyIfItHadDeletes) {
  const DataFile a = table_.MakeDataFile("a");
  const DataFile b = table_.MakeDataFile("b");
  const SnapshotId first = table_.Add({a, b}).snapshot_id;
  const SnapshotId second = table_.Remove(a.file_path).snapshot_id;
  const SnapshotId third = table_.Add({table_.MakePositionDeletes("d", b)}).snapshot_id;
  const SnapshotId fourth = table_.Remove(b.file_path).snapshot_id;
  const std::vector<TableUpdate> expire = {RemoveSnapshots{{first, third}}};
  ASSERT_THAT(table_.catalog().Commit(table_.name(), {}, expire), IsOk());
  EXPECT_THAT(ChangesOf(second), ElementsAre("-a 0"));
  const Table loaded = table_.Load();
  EXPECT_THAT(PlanSnapshotChanges(*loaded.io, *loaded.metadata,
                                  *loaded.metadata->FindSnapshot(fourth), table_.executor(), {}),
              IsError(ErrorCode::kInvalidInput, "its parent has expired"));
}

TEST_F(SnapshotChangesTest, OfARangeLeaveOutReplacements) {
  std::vector<SnapshotId> ids;
  for (const char* operation : {"append", "append", "replace", "delete"})
    ids.push_back(
        table_.Add({table_.MakeDataFile(std::to_string(ids.size()))}, operation).snapshot_id);
  EXPECT_THAT(Find({}, ids[3]), ElementsAre(ids[0], ids[1], ids[3]));
  EXPECT_THAT(Find(ids[0], ids[2]), ElementsAre(ids[1]));
  EXPECT_THAT(Find(ids[2], ids[3]), ElementsAre(ids[3]));
  EXPECT_THAT(Find(ids[3], ids[3]), IsEmpty());
  const Table loaded = table_.Load();
  EXPECT_THAT(FindChangingSnapshots(*loaded.metadata, ids[3], ids[1]),
              IsError(ErrorCode::kInvalidInput, "not among the ancestors"));
  EXPECT_THAT(FindChangingSnapshots(*loaded.metadata, {}, 5), IsError(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace firn
