#include "firn/maintain/copy/rewrite_table_path.h"

#include "firn/base/text.h"
#include "firn/maintain/maintenance_testing_internal.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RewriteTablePathTest : public MaintenanceTest {
 protected:
  std::string location() { return table().Load().metadata->location; }

  Result<RewriteTablePathResult> Rewrite(const std::string& start_version = "") {
    return RewriteTablePath(context(), table().Load(),
                            {.source_prefix = location(),
                             .target_prefix = "memory:/copy/t",
                             .start_version = start_version,
                             .staging_location = "memory:/staged/" + start_version});
  }

  // Copy what the list of a rewrite names; the targets, sorted.
  std::vector<std::string> Copy(const RewriteTablePathResult& result) {
    const auto list = ReadFile(table().io(), result.file_list_location);
    EXPECT_THAT(list, IsOk());
    std::vector<std::string> targets;
    for (const std::string_view line : SplitText(list->view(), '\n')) {
      if (line.empty()) continue;
      const size_t comma = line.find(',');
      const auto bytes = ReadFile(table().io(), line.substr(0, comma));
      EXPECT_THAT(bytes, IsOk());
      EXPECT_THAT(WriteFile(table().io(), line.substr(comma + 1), bytes->span()), IsOk());
      targets.emplace_back(line.substr(comma + 1));
    }
    std::sort(targets.begin(), targets.end());
    return targets;
  }

  // Entries of every snapshot of a table, as text.
  std::string Entries(const Table& of) {
    std::string text;
    for (const Snapshot& snapshot : of.metadata->snapshots) {
      const auto manifests = ReadManifests(*of.io, snapshot);
      EXPECT_THAT(manifests, IsOk());
      for (const ManifestFile& manifest : *manifests) {
        const auto length = of.io->Stat(manifest.manifest_path);
        EXPECT_THAT(length, IsOk());
        EXPECT_EQ(length->size, manifest.manifest_length);
        const auto spec = of.metadata->FindSpec(manifest.partition_spec_id);
        EXPECT_THAT(ReadManifest(*of.io, manifest,
                                 *PartitionType(*spec, of.metadata->SchemasNewestFirst()), {},
                                 [&](ManifestEntry& entry) -> Status {
                                   text += fmt::format(
                                       "{} {} {} {} {} {}\n", snapshot.snapshot_id,
                                       static_cast<int>(entry.status), *entry.snapshot_id,
                                       entry.sequence_number.value_or(-1), entry.file.file_path,
                                       entry.file.record_count);
                                   return {};
                                 }),
                    IsOk());
      }
    }
    return text;
  }
};

TEST_F(RewriteTablePathTest, ACopyHasAllSnapshotsAndEntriesInTheNewPlace) {
  Open({.is_partitioned = true});
  const Snapshot first = table().Add({Data("a"), Data("b")});
  table().SetRef("early", first.snapshot_id, RefType::kTag);
  table().Remove(std::string(table().LiveEntries().front().file.file_path));
  table().Add({Data("c")});
  const Table before = table().Load();
  const auto result = Rewrite();
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->latest_version, UriFileName(before.metadata_location));
  const std::vector<std::string> targets = Copy(*result);
  EXPECT_EQ(result->files_to_copy, std::ssize(targets));
  for (const std::string& target : targets)
    EXPECT_TRUE(target.starts_with("memory:/copy/t/")) << target;
  const auto copy = table().catalog().Register({{"db"}, "copy"},
                                               "memory:/copy/t/metadata/" + result->latest_version);
  ASSERT_THAT(copy, IsOk());
  EXPECT_EQ(copy->metadata->location, "memory:/copy/t");
  EXPECT_EQ(copy->metadata->refs, before.metadata->refs);
  EXPECT_EQ(Entries(*copy), ReplaceText(Entries(before), location() + "/", "memory:/copy/t/"));
  EXPECT_EQ(table().Load().metadata_location, before.metadata_location);
}

TEST_F(RewriteTablePathTest, AnIncrementNamesNewDataFilesOnly) {
  table().Add({Data("a")});
  const auto full = Rewrite();
  ASSERT_THAT(full, IsOk());
  Copy(*full);
  table().Add({Data("b")});
  const auto more = Rewrite(full->latest_version);
  ASSERT_THAT(more, IsOk());
  std::vector<std::string> data;
  for (const std::string& target : Copy(*more)) {
    if (target.find("/data/") != std::string::npos) data.emplace_back(UriFileName(target));
  }
  EXPECT_THAT(data, ElementsAre("b"));
  const auto copy = table().catalog().Register({{"db"}, "copy"},
                                               "memory:/copy/t/metadata/" + more->latest_version);
  ASSERT_THAT(copy, IsOk());
  EXPECT_EQ(Entries(*copy),
            ReplaceText(Entries(table().Load()), location() + "/", "memory:/copy/t/"));
}

TEST_F(RewriteTablePathTest, TwoSnapshotsMayHaveOneList) {
  Snapshot again = table().Add({Data("a")});
  again.parent_snapshot_id = again.snapshot_id;
  ++again.snapshot_id;
  ++again.sequence_number;
  Commit({AddSnapshot{again},
          SetSnapshotRef{std::string(kMainBranch), {.snapshot_id = again.snapshot_id}}});
  const auto result = Rewrite();
  ASSERT_THAT(result, IsOk());
  Copy(*result);
  const auto copy = table().catalog().Register({{"db"}, "copy"},
                                               "memory:/copy/t/metadata/" + result->latest_version);
  ASSERT_THAT(copy, IsOk());
  EXPECT_EQ(Entries(*copy),
            ReplaceText(Entries(table().Load()), location() + "/", "memory:/copy/t/"));
}

TEST_F(RewriteTablePathTest, AFileElsewhereIsAnError) {
  DataFile file = table().MakeDataFile("a");
  file.file_path = "memory:/elsewhere/a";
  table().Add({Put(file)});
  EXPECT_THAT(Rewrite(), IsError(ErrorCode::kInvalidInput, "'memory:/elsewhere/a' does not lie"));
}

TEST_F(RewriteTablePathTest, PathsWithCommasAreQuotedInTheList) {
  table().Add({Data("a,b\"c")});
  const auto result = Rewrite();
  ASSERT_THAT(result, IsOk());
  const auto list = ReadFile(table().io(), result->file_list_location);
  ASSERT_THAT(list, IsOk());
  EXPECT_THAT(std::string(list->view()), HasSubstr("data/a,b\"\"c\",\"memory:/copy/t/data/"));
}

TEST_F(RewriteTablePathTest, NamesVersionsThatTheLogHas) {
  table().Add({Data("a")});
  EXPECT_THAT(Rewrite("nothing.metadata.json"),
              IsError(ErrorCode::kInvalidInput, "start_version is 'nothing.metadata.json'"));
  const std::string current(UriFileName(table().Load().metadata_location));
  EXPECT_THAT(Rewrite(current), IsError(ErrorCode::kInvalidInput, "is not older than"));
}

}  // namespace
}  // namespace firn
