#include "firn/maintain/expiry/expire_snapshots.h"

#include <chrono>

#include "firn/maintain/maintenance_testing_internal.h"
#include "firn/maintain/orphans/remove_orphan_files.h"
#include "firn/testing/scripted_catalog.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class ExpireSnapshotsTest : public MaintenanceTest {
 protected:
  /// Everything but what refs keep, by count.
  ExpireSnapshotsOptions All(int64_t retain_last = 1) {
    ExpireSnapshotsOptions options;
    table().clock().Advance(std::chrono::seconds(1));
    options.retention.now = table().clock().Now();
    options.retention.older_than = options.retention.now;
    options.retention.retain_last = retain_last;
    return options;
  }
  Result<ExpireSnapshotsResult> Expire(const ExpireSnapshotsOptions& options) {
    return ExpireSnapshots(context(), table().Load(), options);
  }
  ExpireSnapshotsResult MustExpire(const ExpireSnapshotsOptions& options) {
    auto result = Expire(options);
    EXPECT_THAT(result, IsOk());
    ExpectComplete();
    return result.ok() ? *std::move(result) : ExpireSnapshotsResult();
  }
  /// Neither by a run nor by what a preview tells.
  void ExpectNothingExpires() {
    const auto files = table().AllFiles();
    const auto ids = SnapshotIds();
    const ExpireSnapshotsOptions options = All();
    EXPECT_THAT(Expire(options), IsError(ErrorCode::kCorrupt, "so nothing is expired"));
    EXPECT_THAT(PreviewExpireSnapshots(context(), table().Load(), options),
                IsError(ErrorCode::kCorrupt, "so nothing is expired"));
    EXPECT_THAT(EstimateExpiry(context(), table().Load(), options),
                IsError(ErrorCode::kCorrupt, "so nothing is expired"));
    EXPECT_EQ(table().AllFiles(), files);
    EXPECT_EQ(SnapshotIds(), ids);
  }
  std::vector<std::string> Preview(const ExpireSnapshotsOptions& options) {
    std::vector<std::string> paths;
    auto preview = PreviewExpireSnapshots(context(), table().Load(), options);
    EXPECT_THAT(preview, IsOk());
    if (!preview.ok()) return paths;
    EXPECT_THAT((*preview)->VisitFiles([&](FileToDelete file) -> Status {
      paths.push_back(std::move(file.path));
      return {};
    }),
                IsOk());
    return paths;
  }
};

TEST_F(ExpireSnapshotsTest, DeletesWhatOnlyExpiredSnapshotsReachAndCountsByKind) {
  const DataFile a = Data("a.parquet");
  table().Add({a});
  table().Add({Put(table().MakePositionDeletes("p.parquet", a)),
               Put(table().MakeEqualityDeletes("e.parquet"))});
  table().Remove(a.file_path);
  const Snapshot last = table().Add({Data("b.parquet")});
  // Removed data takes its deletes along only where somebody removes them.
  const auto result = MustExpire(All());
  EXPECT_EQ(result.expired_snapshots_count, 3);
  EXPECT_EQ(result.deleted_data_files_count, 1);
  EXPECT_EQ(result.deleted_position_delete_files_count, 0);
  EXPECT_EQ(result.deleted_manifest_files_count, 1);
  EXPECT_EQ(result.deleted_manifest_lists_count, 3);
  EXPECT_THAT(DataNames(), ElementsAre("b.parquet", "e.parquet", "p.parquet"));
  EXPECT_THAT(SnapshotIds(), ElementsAre(last.snapshot_id));
  // A second run has nothing to do.
  const auto again = MustExpire(All());
  EXPECT_EQ(again.expired_snapshots_count, 0);
  EXPECT_EQ(again.deleted_manifest_lists_count, 0);
}

TEST_F(ExpireSnapshotsTest, CountsAFileOfDeletionVectorsOnceAndOnlyWhenNoneIsNeeded) {
  Open({.format_version = 3});
  const DataFile a = Data("a.parquet");
  const DataFile b = Data("b.parquet");
  table().Add({a, b});
  const DataFile puffin = Put(table().MakeDeletionVector("v.puffin", a, 4, 1));
  table().Add({puffin, table().MakeDeletionVector("v.puffin", b, 44, 1)});
  table().Remove(a.file_path);
  EXPECT_EQ(MustExpire(All()).deleted_position_delete_files_count, 0);
  EXPECT_THAT(DataNames(), ElementsAre("b.parquet", "v.puffin"));
  table().Remove(puffin.file_path);  // Both entries.
  EXPECT_EQ(MustExpire(All()).deleted_position_delete_files_count, 1);
  EXPECT_THAT(DataNames(), ElementsAre("b.parquet"));
}

// B10
TEST_F(ExpireSnapshotsTest, KeepsTheFilesOfEveryBranchAndTagByWhatIsReachable) {
  const DataFile one = Data("1.parquet");
  const Snapshot s1 = table().Add({one});
  table().SetRef("audit", s1.snapshot_id);
  const Snapshot s2 = table().Add({Data("2.parquet")}, "", "audit");
  table().Add({Data("x.parquet")}, "", "audit");
  Commit({SetSnapshotRef{"audit",
                         {.snapshot_id = table().Load().metadata->refs.at("audit").snapshot_id,
                          .min_snapshots_to_keep = 2}}});
  table().SetRef("t0", s1.snapshot_id, RefType::kTag);
  table().Remove(one.file_path);
  table().Add({Data("3.parquet")});
  MustExpire(All());
  EXPECT_THAT(NamesOf(s1.snapshot_id), UnorderedElementsAre("1.parquet"));
  EXPECT_THAT(NamesOf(s2.snapshot_id), UnorderedElementsAre("1.parquet", "2.parquet"));
  EXPECT_THAT(SnapshotIds(), SizeIs(4));
  // The tag goes by its age; what it named stays where a branch needs it.
  Commit({SetSnapshotRef{
              "t0", {.snapshot_id = s1.snapshot_id, .type = RefType::kTag, .max_ref_age_ms = 1}},
          SetSnapshotRef{"main",
                         {.snapshot_id = *table().Load().metadata->current_snapshot_id,
                          .max_ref_age_ms = 1}}});
  MustExpire(All());
  const auto refs = table().Load().metadata->refs;
  EXPECT_THAT(refs, ElementsAre(testing::Key("audit"), testing::Key("main")));
  EXPECT_THAT(DataNames(), ElementsAre("1.parquet", "2.parquet", "3.parquet", "x.parquet"));
}

// A path that is removed and added again is live, whatever the history says of it.
TEST_F(ExpireSnapshotsTest, KeepsAFileThatWasAddedAgain) {
  const DataFile a = Data("a.parquet");
  table().Add({a});
  table().Remove(a.file_path);
  table().Add({a});
  EXPECT_EQ(MustExpire(All()).deleted_data_files_count, 0);
  EXPECT_THAT(DataNames(), ElementsAre("a.parquet"));
}

TEST_F(ExpireSnapshotsTest, NeverDeletesMetadataThatABrokenManifestCallsData) {
  table().Add({Data("a")});
  DataFile wrong = table().MakeDataFile("x");
  const Table before = table().Load();
  wrong.file_path = before.metadata->current_snapshot()->manifest_list;
  table().Add({wrong});
  table().SetRef("keep", before.metadata->current_snapshot()->snapshot_id);
  table().Remove(wrong.file_path);
  MustExpire(All());
  EXPECT_THAT(FileExists(table().io(), wrong.file_path), IsOkAnd(testing::IsTrue()));
}

TEST_F(ExpireSnapshotsTest, TakesTwoSpellingsOfAPathForOneFile) {
  const std::string path = "s3://bucket/t/a.parquet";
  DataFile a = table().MakeDataFile("a.parquet");
  a.file_path = path;
  table().Add({a});
  table().Remove(path);
  a.file_path = "s3a://bucket/t/a.parquet";
  table().Add({a});
  const auto paths = Preview(All());
  EXPECT_THAT(paths, testing::Not(testing::Contains(path)));
}

TEST_F(ExpireSnapshotsTest, ExpiresOneInTheMiddleByItsIdOnly) {
  std::vector<Snapshot> snapshots;
  for (const char* name : {"1", "2", "3", "4", "5"})
    snapshots.push_back(table().Add({Data(name)}));
  ExpireSnapshotsOptions options = All();
  options.retention.older_than = Timestamp();
  options.retention.snapshot_ids = {snapshots[2].snapshot_id};
  const auto result = MustExpire(options);
  EXPECT_EQ(result.expired_snapshots_count, 1);
  EXPECT_EQ(result.deleted_data_files_count, 0);
  EXPECT_EQ(result.deleted_manifest_lists_count, 1);
  EXPECT_THAT(NamesOf(snapshots[1].snapshot_id), UnorderedElementsAre("1", "2"));
}

// B11
TEST_F(ExpireSnapshotsTest, LeavesNoWrongAnswerForTheTimeBeforeAGap) {
  std::vector<Snapshot> snapshots;
  for (const char* name : {"1", "2", "3", "4", "5"})
    snapshots.push_back(table().Add({Data(name)}));
  ExpireSnapshotsOptions options = All();
  options.retention.older_than = Timestamp();
  options.retention.snapshot_ids = {snapshots[2].snapshot_id};
  MustExpire(options);
  const Table after = table().Load();
  const auto as_of = [&](const Snapshot& snapshot) {
    return FindSnapshotAsOf(*after.metadata, snapshot.timestamp);
  };
  EXPECT_THAT(as_of(snapshots[4]), IsOk());
  EXPECT_THAT(as_of(snapshots[1]), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(as_of(snapshots[2]), IsError(ErrorCode::kNotFound));
}

TEST_F(ExpireSnapshotsTest, NamesTheBranchesAndTagsThatItDrops) {
  const Snapshot first = table().Add({Data("a.parquet")});
  for (const char* name : {"audit", "old"}) {
    const SnapshotRef ref{
        .snapshot_id = first.snapshot_id, .type = RefType::kTag, .max_ref_age_ms = 1};
    const std::vector<TableUpdate> updates = {SetSnapshotRef{name, ref}};
    ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  }
  table().clock().Advance(std::chrono::hours(1));
  EXPECT_THAT(MustExpire(All()).dropped_refs, ElementsAre("audit", "old"));
  EXPECT_THAT(MustExpire(All()).dropped_refs, IsEmpty());
}

// B03
TEST_F(ExpireSnapshotsTest, DeletesStatisticsOfExpiredSnapshotsOnly) {
  const Snapshot first = table().Add({Data("a")});
  const Snapshot second = table().Add({Data("b")});
  const std::string folder = table().Load().metadata->MetadataLocation();
  for (const char* name : {"1.stats", "2.stats", "1.part", "2.part"})
    ASSERT_THAT(WriteFile(table().io(), JoinUri(folder, name), AsBytes("x")), IsOk());
  Commit({SetStatistics{{.snapshot_id = first.snapshot_id, .path = JoinUri(folder, "1.stats")}},
          SetStatistics{{.snapshot_id = second.snapshot_id, .path = JoinUri(folder, "2.stats")}},
          SetPartitionStatistics{{first.snapshot_id, JoinUri(folder, "1.part"), 1, {}}},
          SetPartitionStatistics{{second.snapshot_id, JoinUri(folder, "2.part"), 1, {}}}});
  EXPECT_EQ(MustExpire(All()).deleted_statistics_files_count, 2);
  const auto files = table().AllFiles();
  EXPECT_THAT(files, testing::Contains(JoinUri(folder, "2.stats")));
  EXPECT_THAT(files, testing::Contains(JoinUri(folder, "2.part")));
  EXPECT_THAT(files, testing::Not(testing::Contains(JoinUri(folder, "1.stats"))));
}

// B07
TEST_F(ExpireSnapshotsTest, RefusesATableThatMayNotDeleteFiles) {
  Open({.properties = {{"gc.enabled", "false"}}});
  const DataFile a = Data("a");
  table().Add({a});
  table().Remove(a.file_path);
  EXPECT_THAT(Expire(All()), IsError(ErrorCode::kInvalidInput, "gc.enabled"));
  EXPECT_THAT(PreviewExpireSnapshots(context(), table().Load(), All()),
              IsError(ErrorCode::kInvalidInput, "gc.enabled"));
  EXPECT_THAT(SnapshotIds(), SizeIs(2));
  EXPECT_THAT(DataNames(), ElementsAre("a"));
}

// B15
TEST_F(ExpireSnapshotsTest, SucceedsWhereFilesAreGoneAlready) {
  const DataFile a = Data("a");
  table().Add({a});
  const Snapshot last = table().Remove(a.file_path);
  ASSERT_THAT(table().io().Delete(a.file_path), IsOk());
  const auto result = MustExpire(All());
  EXPECT_EQ(result.already_gone_count, 1);
  EXPECT_EQ(result.deleted_data_files_count, 1);
  EXPECT_EQ(result.failed_files_count, 0);
  EXPECT_THAT(SnapshotIds(), ElementsAre(last.snapshot_id));
}

TEST_F(ExpireSnapshotsTest, LeavesToOrphanRemovalWhatAMissingListNamed) {
  const DataFile a = Data("a");
  const Snapshot first = table().Add({a});
  table().Remove(a.file_path);
  ASSERT_THAT(table().io().Delete(first.manifest_list), IsOk());
  const auto result = MustExpire(All());
  EXPECT_EQ(result.expired_snapshots_count, 1);
  EXPECT_THAT(DataNames(), ElementsAre("a"));
}

TEST_F(ExpireSnapshotsTest, DeletesNothingIfMetadataThatStaysCannotBeRead) {
  const DataFile a = Data("a");
  table().Add({a});
  table().Remove(a.file_path);
  table().Add({Data("b")});
  const std::vector<ManifestFile> manifests = table().CurrentManifests();
  table().Add({Data("c")});
  ASSERT_THAT(table().io().Delete(manifests.front().manifest_path), IsOk());
  ExpectNothingExpires();
}

// Snapshots before the damage can be gone back to.
TEST_F(ExpireSnapshotsTest, KeepsReadableSnapshotsOfATableThatIsDamaged) {
  for (const bool is_truncated : {false, true}) {
    Open({});
    table().Add({Data("a")});
    table().Add({Data("b")});
    const std::string path = table().CurrentManifests().front().manifest_path;
    const auto bytes = ReadFile(table().io(), path, 1 << 20);
    ASSERT_THAT(bytes, IsOk());
    ASSERT_THAT(table().io().Delete(path), IsOk());
    if (is_truncated) {
      ASSERT_THAT(
          WriteFile(table().io(), path, bytes->span().subspan(0, bytes->span().size() - 20)),
          IsOk());
    }
    ExpectNothingExpires();
  }
}

TEST_F(ExpireSnapshotsTest, ExpiresThoughAListTellsAWrongLengthOfAManifest) {
  table().Add({Data("a")});
  const Snapshot last = table().Add({Data("b")});
  auto manifests = table().CurrentManifests();
  ++manifests.front().manifest_length;
  ManifestListOptions list{.format_version = 2,
                           .snapshot_id = last.snapshot_id,
                           .parent_snapshot_id = last.parent_snapshot_id,
                           .sequence_number = last.sequence_number};
  ASSERT_THAT(table().io().Delete(last.manifest_list), IsOk());
  ASSERT_THAT(WriteManifestList(table().io(), last.manifest_list, list, manifests), IsOk());
  EXPECT_EQ(MustExpire(All()).expired_snapshots_count, 1);
}

// B17
TEST_F(ExpireSnapshotsTest, TriesAgainWhereTheStoreIsBusyAndTellsWhatItMayNotDelete) {
  for (const char* name : {"a", "b", "c"}) {
    const DataFile file = Data(name);
    table().Add({file});
    table().Remove(file.file_path);
  }
  table().io().Add({.operation = FileOperation::kDelete, .uri_part = "/data/a", .call_count = 2});
  table().io().Add({.operation = FileOperation::kDelete,
                    .uri_part = "/data/b",
                    .call_count = 100,
                    .error = Error(ErrorCode::kPermissionDenied, "no")});
  const auto result = MustExpire(All());
  EXPECT_EQ(result.deleted_data_files_count, 2);
  EXPECT_EQ(result.failed_files_count, 1);
  ASSERT_TRUE(result.first_failure.has_value());
  EXPECT_EQ(result.first_failure->code(), ErrorCode::kPermissionDenied);
  EXPECT_THAT(DataNames(), ElementsAre("b"));
}

// B14: the process ends while it deletes.
TEST_F(ExpireSnapshotsTest, LosesNothingIfItIsStoppedHalfWay) {
  constexpr size_t kFiles = 2'500;  // More than one batch.
  std::vector<DataFile> files;
  for (size_t i = 0; i < kFiles; ++i)
    files.push_back(Data(std::to_string(i)));
  table().Add(files);
  const Snapshot first = table().Add({Data("kept")});
  ChangeFilesRequest request;
  request.starting_snapshot_id = first.snapshot_id;
  request.removed_data_files = files;
  ASSERT_THAT(CommitChangeFiles(table().context(), table().Load(), request), IsOk());
  CancelSource source;
  MaintainContext stopped = context();
  stopped.commit.cancel = source.token();
  stopped.progress = [&](const Progress&) { source.Cancel(); };
  EXPECT_THAT(ExpireSnapshots(stopped, table().Load(), All()),
              IsError(ErrorCode::kCancelled, "2 snapshots were expired, but not all files"));
  ExpectComplete();
  EXPECT_GT(DataNames().size(), 1U);
  EXPECT_LT(DataNames().size(), kFiles);
  // There is nothing left to expire; removing orphans finds the rest.
  EXPECT_EQ(MustExpire(All()).expired_snapshots_count, 0);
  table().clock().Advance(std::chrono::days(4));
  EXPECT_THAT(RemoveOrphanFiles(context(), table().Load(),
                                {.now = table().clock().Now(), .max_fraction = 1}),
              IsOk());
  ExpectComplete();
  EXPECT_THAT(DataNames(), ElementsAre("kept"));
}

TEST_F(ExpireSnapshotsTest, DeletesNothingWhileTheOutcomeIsUnknown) {
  for (const bool happens : {true, false}) {
    Open({});
    const DataFile a = Data("a");
    table().Add({a});
    table().Remove(a.file_path);
    ScriptedCatalog catalog(table().catalog());
    catalog.lost_answer = Error(ErrorCode::kCommitUnknown, "no answer");
    catalog.lost_commit_happens = happens;
    MaintainContext scripted = context();
    scripted.commit.catalog = &catalog;
    const auto files = table().AllFiles();
    EXPECT_THAT(ExpireSnapshots(scripted, table().Load(), All()),
                IsError(ErrorCode::kCommitUnknown));
    EXPECT_THAT(table().AllFiles(), testing::IsSupersetOf(files));
  }
}

// A tag that comes while its snapshot is being expired keeps it.
TEST_F(ExpireSnapshotsTest, KeepsWhatARivalTagsOrGoesBackToMeanwhile) {
  for (const bool is_rollback : {false, true}) {
    Open({});
    const DataFile a = Data("a");
    const Snapshot first = table().Add({a});
    table().Remove(a.file_path);
    table().Add({Data("b")});
    ScriptedCatalog catalog(table().catalog());
    catalog.before_commit = [&] {
      if (catalog.commit_count > 1) return;
      table().SetRef(is_rollback ? "main" : "late", first.snapshot_id,
                     is_rollback ? RefType::kBranch : RefType::kTag);
    };
    MaintainContext scripted = context();
    scripted.commit.catalog = &catalog;
    EXPECT_THAT(ExpireSnapshots(scripted, table().Load(), All()), IsOk());
    EXPECT_GE(catalog.commit_count, 2);
    EXPECT_THAT(NamesOf(first.snapshot_id), UnorderedElementsAre("a"));
    ExpectComplete();
  }
}

TEST_F(ExpireSnapshotsTest, ExpiresThoughARivalAppendsMeanwhile) {
  const DataFile a = Data("a");
  table().Add({a});
  table().Remove(a.file_path);
  ScriptedCatalog catalog(table().catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count == 1) table().Add({Data("late")});
  };
  MaintainContext scripted = context();
  scripted.commit.catalog = &catalog;
  EXPECT_THAT(ExpireSnapshots(scripted, table().Load(), All()), IsOk());
  ExpectComplete();
  EXPECT_THAT(DataNames(), ElementsAre("late"));
}

TEST_F(ExpireSnapshotsTest, ForgetsSpecsAndSchemasThatNothingUses) {
  table().Add({Data("a")});
  PartitionSpec spec;
  spec.fields.push_back({.source_ids = {2}, .field_id = 1000, .name = "cat", .transform = {}});
  Commit({AddPartitionSpec{spec}, SetDefaultSpec{}});
  auto fields = table().Load().metadata->current_schema()->fields();
  fields.push_back({.id = 3, .name = "more", .type = Type::Primitive(TypeId::kInt)});
  Commit({AddSchema{std::make_shared<const Schema>(-1, fields)}, SetCurrentSchema{}});
  table().Add({Data("b")});
  // Both specs are in use, as the first file is live.
  ExpireSnapshotsOptions options = All();
  options.cleans_metadata = true;
  MustExpire(options);
  EXPECT_THAT(table().Load().metadata->partition_specs, SizeIs(2));
  EXPECT_THAT(table().Load().metadata->schemas, SizeIs(1));
  Commit({AddPartitionSpec{}, SetDefaultSpec{}});
  const auto again = Expire(options);
  EXPECT_THAT(again, IsOk());
  ExpectComplete();
}

// The first snapshot of main has a spec that nothing had when expiry looked.
TEST_F(ExpireSnapshotsTest, KeepsTheSpecOfAFirstSnapshotThatComesMeanwhile) {
  PartitionSpec spec;
  spec.fields.push_back({.source_ids = {2}, .field_id = 1000, .name = "cat", .transform = {}});
  const DataFile early = Data("early");
  Commit({AddPartitionSpec{spec}, SetDefaultSpec{}});
  ScriptedCatalog catalog(table().catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count > 1) return;
    AppendFilesRequest append;
    append.data_files = {early};
    ASSERT_THAT(CommitAppendFiles(table().context(), table().Load(), append), IsOk());
  };
  MaintainContext scripted = context();
  scripted.commit.catalog = &catalog;
  ExpireSnapshotsOptions options = All();
  options.cleans_metadata = true;
  EXPECT_THAT(ExpireSnapshots(scripted, table().Load(), options), IsOk());
  const Table after = table().Load();
  ASSERT_NE(after.metadata->current_snapshot(), nullptr);
  const auto manifests = ReadManifests(*after.io, *after.metadata->current_snapshot());
  ASSERT_THAT(manifests, IsOk());
  for (const ManifestFile& manifest : *manifests)
    EXPECT_NE(after.metadata->FindSpec(manifest.partition_spec_id), nullptr);
}

// Statistics that are registered while their snapshot expires.
TEST_F(ExpireSnapshotsTest, DeletesStatisticsThatComeMeanwhile) {
  const Snapshot first = table().Add({Data("a")});
  table().Add({Data("b")});
  const std::string path = JoinUri(table().Load().metadata->MetadataLocation(), "late.stats");
  ASSERT_THAT(WriteFile(table().io(), path, AsBytes("x")), IsOk());
  ScriptedCatalog catalog(table().catalog());
  catalog.before_commit = [&] {
    if (catalog.commit_count > 1) return;
    Commit({SetStatistics{{.snapshot_id = first.snapshot_id, .path = path}}});
  };
  MaintainContext scripted = context();
  scripted.commit.catalog = &catalog;
  EXPECT_THAT(ExpireSnapshots(scripted, table().Load(), All()), IsOk());
  EXPECT_THAT(table().AllFiles(), testing::Not(testing::Contains(path)));
}

TEST_F(ExpireSnapshotsTest, PreviewsExactlyWhatItDeletes) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    Open({.format_version = seed % 2 == 0 ? 2 : 3, .seed = seed});
    const auto random = MakeSeededRandom(seed);
    std::vector<DataFile> live;
    for (int step = 0; step < 12; ++step) {
      const uint64_t choice = random->Below(4);
      if (choice == 0 && !live.empty()) {
        table().Remove(live.back().file_path);
        live.pop_back();
      } else if (choice == 1 && step > 0) {
        const auto ids = SnapshotIds();
        table().SetRef("r" + std::to_string(step), ids[random->Below(ids.size())], RefType::kTag);
      } else {
        live.push_back(Data(std::to_string(step)));
        table().Add({live.back()});
      }
    }
    const ExpireSnapshotsOptions options = All(static_cast<int64_t>(1 + random->Below(4)));
    auto previewed = Preview(options);
    std::vector<std::string> gone = table().AllFiles();
    MustExpire(options);
    for (const std::string& file : table().AllFiles())
      std::erase(gone, file);
    std::sort(previewed.begin(), previewed.end());
    EXPECT_EQ(previewed, gone) << "seed " << seed;
  }
}

}  // namespace
}  // namespace firn
