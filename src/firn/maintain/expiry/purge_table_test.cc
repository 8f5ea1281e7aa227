#include "firn/maintain/expiry/purge_table.h"

#include "firn/maintain/compaction/rewrite_journal_internal.h"
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

TEST_F(PurgeTableTest, TakesAlongWhatRewritesLeftBeside) {
  table().Add({Data("a")});
  const Table loaded = table().Load();
  const std::string journals = JournalsLocation(*loaded.metadata);
  const std::string journal = JoinUri(journals, std::string(kJournalPrefix) + "x");
  const std::string output = JoinUri(loaded.metadata->location, "data/output");
  const std::string elsewhere = "memory:/warehouse/elsewhere/output";
  for (const std::string& path : {output, elsewhere})
    ASSERT_THAT(WriteFile(table().io(), path, AsBytes("x")), IsOk());
  const std::vector<std::pair<std::string, std::string>> files = {
      {JoinUri(journal, JournalOutputName(0, 1)), output},
      {JoinUri(journal, JournalOutputName(0, 2)), elsewhere},
      {JoinUri(journal, JournalOutputName(0, 3)), JoinUri(loaded.metadata->location, "data/none")},
      {JoinUri(journal, JournalOwnerName()), "{}"},
      {JoinUri(journals, "loaded.json"), "{}"}};
  for (const auto& [path, text] : files)
    ASSERT_THAT(WriteFile(table().io(), path, AsBytes(text)), IsOk());
  int64_t told = 0;
  ASSERT_THAT(VisitReachableFiles(context(), loaded,
                                  [&](const FileToDelete& file) -> Status {
                                    EXPECT_TRUE(file.bytes.has_value()) << file.path;
                                    ++told;
                                    return {};
                                  }),
              IsOk());
  const auto result = PurgeTable(context(), loaded);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->deleted_files_count, told);
  EXPECT_THAT(table().AllFiles(), ElementsAre(elsewhere));
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
