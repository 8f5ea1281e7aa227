#include "firn/maintain/deletes/remove_dangling_deletes.h"

#include "firn/maintain/maintenance_testing_internal.h"
#include "firn/testing/scripted_catalog.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RemoveDanglingDeletesTest : public MaintenanceTest {
 protected:
  std::vector<std::string> Dangling() {
    std::vector<std::string> names;
    const auto found = FindDanglingDeletes(context(), table().Load(), std::string(kMainBranch));
    EXPECT_THAT(found, IsOk());
    if (!found.ok()) return names;
    for (const DeleteFilePtr& file : found->files)
      names.emplace_back(UriFileName(file->file.file_path));
    return names;
  }
};

TEST_F(RemoveDanglingDeletesTest, RemovesWhatAppliesToNothingAndKeepsTheRest) {
  Open({.is_partitioned = true});
  const DataFile a = table().MakeDataFile("a", 10, "a");
  const DataFile b = table().MakeDataFile("b", 10, "b");
  table().Add({a, b});
  table().Add({table().MakePositionDeletes("of-a", a), table().MakePositionDeletes("of-b", b),
               table().MakeEqualityDeletes("in-a", "a"), table().MakeEqualityDeletes("in-b", "b"),
               table().MakeEqualityDeletes("in-c", "c")});
  EXPECT_THAT(Dangling(), ElementsAre("in-c"));
  table().Remove(a.file_path);
  table().Add({table().MakeDataFile("later", 10, "a")});  // Too young for all of them.
  EXPECT_THAT(Dangling(), ElementsAre("in-a", "in-c", "of-a"));
  const auto removed = RemoveDanglingDeletes(context(), table().Load(), std::string(kMainBranch));
  ASSERT_THAT(removed, IsOk());
  EXPECT_EQ(removed->removed_delete_files_count, 3);
  EXPECT_THAT(Dangling(), IsEmpty());
  EXPECT_THAT(table().LivePaths(), testing::SizeIs(4));
  // Nothing to do is no commit.
  EXPECT_EQ(RemoveDanglingDeletes(context(), table().Load(), "main")->snapshot_id, std::nullopt);
}

// An unpartitioned equality delete has no data under its own spec, but applies everywhere.
TEST_F(RemoveDanglingDeletesTest, KeepsGlobalEqualityDeletesOfAnotherSpec) {
  Open({.is_partitioned = true});
  table().Add({table().MakeDataFile("a", 10, "a")});
  Commit({AddPartitionSpec{}, SetDefaultSpec{}});
  table().Add({table().MakeEqualityDeletes("global")});
  EXPECT_THAT(Dangling(), IsEmpty());
}

TEST_F(RemoveDanglingDeletesTest, RemovesDeletionVectorsOfRemovedFiles) {
  Open({.format_version = 3});
  const DataFile a = table().MakeDataFile("a");
  const DataFile b = table().MakeDataFile("b");
  table().Add({a, b});
  table().Add({table().MakeDeletionVector("v.puffin", a, 4, 1),
               table().MakeDeletionVector("v.puffin", b, 44, 1)});
  table().Remove(a.file_path);
  const auto removed = RemoveDanglingDeletes(context(), table().Load(), "main");
  ASSERT_THAT(removed, IsOk());
  EXPECT_EQ(removed->removed_delete_files_count, 1);
  EXPECT_THAT(table().LivePaths(), testing::SizeIs(2));
}

// B24: found and removed in one state, checked against what came since.
TEST_F(RemoveDanglingDeletesTest, TakesNothingThatARivalNeeds) {
  const DataFile a = table().MakeDataFile("a");
  table().Add({a});
  table().Add({table().MakePositionDeletes("of-a", a)});
  table().Remove(a.file_path);
  ScriptedCatalog catalog(table().catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count > 1) return;
    const DataFile late = table().MakeDataFile("late");
    table().Add({late});
    table().Add({table().MakePositionDeletes("of-late", late)});
  };
  MaintainContext scripted = context();
  scripted.commit.catalog = &catalog;
  EXPECT_THAT(RemoveDanglingDeletes(scripted, table().Load(), "main"), IsOk());
  EXPECT_THAT(Dangling(), IsEmpty());
  EXPECT_THAT(table().LivePaths(), testing::SizeIs(2));
}

TEST_F(RemoveDanglingDeletesTest, NamesAMissingBranch) {
  EXPECT_THAT(FindDanglingDeletes(context(), table().Load(), "nowhere"),
              IsError(ErrorCode::kNotFound, "no branch 'nowhere'"));
  EXPECT_THAT(Dangling(), IsEmpty());
}

}  // namespace
}  // namespace firn
