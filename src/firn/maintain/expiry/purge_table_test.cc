#include "firn/maintain/expiry/purge_table.h"

#include "firn/maintain/maintenance_testing_internal.h"

namespace firn {
namespace {

using ::testing::ElementsAre;

class PurgeTableTest : public MaintenanceTest {};

TEST_F(PurgeTableTest, DeletesEverythingThatTheTableReachesAndNothingElse) {
  Open({.properties = {{"write.metadata.previous-versions-max", "2"}}});
  for (const char* name : {"a", "b", "c", "d"})
    table().Add({Data(name)});
  table().Remove(std::string(table().LiveEntries().front().file.file_path));
  const std::string stranger = JoinUri(table().Load().metadata->location, "data/stranger");
  ASSERT_THAT(WriteFile(table().io(), stranger, AsBytes("x")), IsOk());
  const auto result = PurgeTable(context(), table().Load());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->failed_files_count, 0);
  EXPECT_THAT(table().AllFiles(), ElementsAre(stranger));
  EXPECT_THAT(table().catalog().Load(table().name()), IsError(ErrorCode::kNotFound));
}

// B07
TEST_F(PurgeTableTest, RefusesATableThatMayNotDeleteFiles) {
  Open({.properties = {{"gc.enabled", "false"}}});
  table().Add({Data("a")});
  EXPECT_THAT(PurgeTable(context(), table().Load()),
              IsError(ErrorCode::kInvalidInput, "gc.enabled"));
  EXPECT_THAT(table().catalog().Load(table().name()), IsOk());
  EXPECT_THAT(DataNames(), ElementsAre("a"));
}

TEST_F(PurgeTableTest, DeletesNothingIfMetadataCannotBeReadNow) {
  table().Add({Data("a")});
  const std::string manifest = table().CurrentManifests().front().manifest_path;
  table().io().Add({.operation = FileOperation::kRead, .uri_part = manifest, .call_count = 100});
  EXPECT_THAT(PurgeTable(context(), table().Load()), IsError(ErrorCode::kUnavailable));
  EXPECT_THAT(table().catalog().Load(table().name()), IsOk());
  EXPECT_THAT(DataNames(), ElementsAre("a"));
}

}  // namespace
}  // namespace firn
