#include <chrono>
#include <filesystem>

#include "firn/base/executor.h"
#include "firn/base/process_identity.h"
#include "firn/format/metadata/adopted_folders.h"
#include "firn/io/uri.h"
#include "firn/maintain/compaction/rewrite_journal_internal.h"
#include "firn/maintain/content_folders.h"
#include "firn/maintain/expiry/expire_snapshots.h"
#include "firn/maintain/expiry/purge_table.h"
#include "firn/maintain/maintenance_testing_internal.h"
#include "firn/maintain/orphans/remove_orphan_files.h"
#include "firn/testing/temporary_folder.h"

// Files that more than one name leads to, or more than one table needs.

namespace firn {
namespace {

using std::chrono::days;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsFalse;
using testing::IsTrue;

// Tables on local disk.
class SharedFilesTest : public testing::Test {
 protected:
  SharedFilesTest() {
    auto catalog = OpenCatalog({.name = "test",
                                .type = "memory",
                                .properties = {{"warehouse", At("warehouse")}},
                                .io = io_,
                                .clock = &SystemClock(),
                                .random = random_.get()});
    EXPECT_THAT(catalog, IsOk());
    catalog_ = std::move(*catalog);
    EXPECT_THAT(catalog_->CreateNamespace({"db"}, {}), IsOk());
    Make("t");
  }

  std::string At(const std::string& name) const { return folder_.Join(name); }
  static TableName Name(const std::string& name) { return {{"db"}, name}; }
  Table Load(const std::string& name = "t") { return *catalog_->Load(Name(name)); }

  void Make(const std::string& name, const std::string& location = "",
            const Properties& properties = {}) {
    CreateTableRequest create;
    create.schema = Schema(0, {{.id = 1, .name = "id", .type = Type::Primitive(TypeId::kLong)}});
    create.location = location;
    create.properties = properties;
    ASSERT_THAT(catalog_->Create(Name(name), create), IsOk());
  }

  // A file, and what a manifest tells of it.
  DataFile Put(const std::string& path) {
    EXPECT_THAT(WriteFile(*io_, path, AsBytes("x")), IsOk());
    return Record(path);
  }
  static DataFile Record(const std::string& path) {
    DataFile file;
    file.file_path = path;
    file.file_format = FileFormat::kParquet;
    file.record_count = 1;
    file.file_size_in_bytes = 1;
    return file;
  }

  MaintainContext Context() {
    MaintainContext context;
    context.commit = {.catalog = catalog_.get(),
                      .executor = executor_.get(),
                      .clock = &SystemClock(),
                      .random = random_.get()};
    context.budget = &budget_;
    return context;
  }

  void Append(const DataFile& file, const std::string& name = "t") {
    AppendFilesRequest append;
    append.data_files = {file};
    ASSERT_THAT(CommitAppendFiles(Context().commit, Load(name), append), IsOk());
  }
  void TakeOut(const DataFile& file, const std::string& name = "t") {
    ChangeFilesRequest change;
    change.removed_data_files = {file};
    ASSERT_THAT(CommitChangeFiles(Context().commit, Load(name), change), IsOk());
  }

  // As if all files were four days old.
  Result<std::vector<std::string>> FindOrphans(const std::string& location = "",
                                               const std::string& name = "t") {
    RemoveOrphanFilesOptions options;
    options.now = SystemClock().Now() + days(4);
    options.max_fraction = 1.0;
    options.location = location;
    FIRN_ASSIGN(const auto files, FindOrphanFiles(Context(), Load(name), options));
    std::vector<std::string> found;
    FIRN_RETURN_IF_ERROR(files->Visit([&](const FileToDelete& file) -> Status {
      found.push_back(file.path);
      return {};
    }));
    return found;
  }

  Result<ExpireSnapshotsResult> ExpireAll(const std::string& name = "t") {
    ExpireSnapshotsOptions options;
    options.retention.now = SystemClock().Now() + days(30);
    options.retention.older_than = SystemClock().Now() + days(20);
    return ExpireSnapshots(Context(), Load(name), options);
  }

  Result<bool> IsThere(const std::string& path) { return FileExists(*io_, path); }

  TemporaryFolder folder_;
  std::unique_ptr<Random> random_ = MakeSeededRandom(3);
  std::unique_ptr<Executor> executor_ = MakeThreadPool(2);
  MemoryBudget budget_{int64_t{64} << 20};
  std::shared_ptr<FileIO> io_ = MakeLocalFileIO(*random_);
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(SharedFilesTest, AFileThatIsRecordedByWayOfALinkIsNoOrphan) {
  const std::string data = At("warehouse/db/t/data");
  Put(data + "/a.parquet");
  Put(data + "/b.parquet");
  Put(data + "/real/c.parquet");
  const DataFile orphan = Put(data + "/orphan.parquet");
  std::filesystem::create_directory_symlink(data, At("link"));
  std::filesystem::create_symlink(data + "/b.parquet", At("b"));
  std::filesystem::create_directory_symlink("real", data + "/inner");
  Append(Record("file:" + At("link/a.parquet")));
  Append(Record(At("b")));
  Append(Record(data + "/inner/c.parquet"));
  EXPECT_THAT(FindOrphans(), IsOkAnd(ElementsAre(orphan.file_path)));
  // And a location that is named by a link.
  std::filesystem::create_directory_symlink(At("warehouse/db/t"), At("table"));
  EXPECT_THAT(FindOrphans(At("table")), IsOkAnd(ElementsAre(At("table/data/orphan.parquet"))));
}

TEST_F(SharedFilesTest, ALinkThatTheTableDoesNotKnowIsAnOrphanAndItsTargetIsNot) {
  const std::string data = At("warehouse/db/t/data");
  Append(Put(data + "/a.parquet"));
  std::filesystem::create_symlink("a.parquet", data + "/link.parquet");
  EXPECT_THAT(FindOrphans(), IsOkAnd(ElementsAre(data + "/link.parquet")));
}

TEST_F(SharedFilesTest, ExpiryKeepsAFileThatASnapshotNeedsByAnotherName) {
  const std::string data = At("warehouse/db/t/data");
  const DataFile a = Put(data + "/a.parquet");
  const DataFile gone = Put(data + "/gone.parquet");
  std::filesystem::create_directory_symlink(data, At("link"));
  std::filesystem::create_symlink(data + "/a.parquet", At("named"));
  Append(a);
  Append(gone);
  Append(Record(At("named")));
  TakeOut(a);
  TakeOut(gone);
  ASSERT_THAT(ExpireAll(), IsOk());
  EXPECT_THAT(IsThere(a.file_path), IsOkAnd(IsTrue()));
  EXPECT_THAT(IsThere(gone.file_path), IsOkAnd(IsFalse()));
}

TEST_F(SharedFilesTest, ExpiryLeavesWhatWasTakenOverFromFoldersOfOthers) {
  const DataFile own = Put(At("warehouse/db/t/data/a.parquet"));
  const DataFile other = Put(At("landing/day=1/b.parquet"));
  const Properties adopted = {
      {std::string(kAdoptedFolders), FormatAdoptedFolders({At("landing"), At("warehouse")})}};
  ASSERT_THAT(catalog_->Commit(Name("t"), {}, std::vector<TableUpdate>{SetProperties{adopted}}),
              IsOk());
  Append(own);
  Append(other);
  TakeOut(own);
  TakeOut(other);
  const auto result = ExpireAll();
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->left_files_count, 1);
  EXPECT_EQ(result->deleted_data_files_count, 1);
  EXPECT_THAT(IsThere(own.file_path), IsOkAnd(IsFalse()));
  EXPECT_THAT(IsThere(other.file_path), IsOkAnd(IsTrue()));
}

TEST_F(SharedFilesTest, PurgingLeavesWhatWasTakenOverFromFoldersOfOthers) {
  const DataFile other = Put(At("landing/b.parquet"));
  const Properties adopted = {
      {std::string(kAdoptedFolders), FormatAdoptedFolders({At("landing")})}};
  ASSERT_THAT(catalog_->Commit(Name("t"), {}, std::vector<TableUpdate>{SetProperties{adopted}}),
              IsOk());
  Append(other);
  const auto result = PurgeTable(Context(), Load());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->remains.adopted_files_count, 1);
  EXPECT_THAT(IsThere(other.file_path), IsOkAnd(IsTrue()));
}

TEST_F(SharedFilesTest, APropertyThatCannotBeReadStopsExpiryBeforeAFileGoes) {
  const DataFile a = Put(At("landing/a.parquet"));
  Append(a);
  TakeOut(a);
  const Properties broken = {{std::string(kAdoptedFolders), "landing"}};
  ASSERT_THAT(catalog_->Commit(Name("t"), {}, std::vector<TableUpdate>{SetProperties{broken}}),
              IsOk());
  EXPECT_THAT(ExpireAll(), IsError(ErrorCode::kInvalidInput, "firn.adopted-folders"));
  EXPECT_THAT(IsThere(a.file_path), IsOkAnd(IsTrue()));
}

TEST_F(SharedFilesTest, ExpiryKeepsWhatATableInTheSameFoldersNeeds) {
  const std::string data = At("warehouse/db/t/data");
  const DataFile a = Put(data + "/a.parquet");
  const DataFile b = Put(data + "/b.parquet");
  const DataFile c = Put(data + "/c.parquet");
  Make("inner", data);
  Make("sharer", At("sharer"),
       {{std::string(kAdoptedFolders), FormatAdoptedFolders({At("link")})}});
  std::filesystem::create_directory_symlink(data, At("link"));
  for (const DataFile& file : {a, b, c})
    Append(file);
  Append(a, "inner");
  Append(Record(At("link/b.parquet")), "sharer");
  for (const DataFile& file : {a, b, c})
    TakeOut(file);
  ASSERT_THAT(ExpireAll(), IsOk());
  EXPECT_THAT(IsThere(a.file_path), IsOkAnd(IsTrue()));
  EXPECT_THAT(IsThere(b.file_path), IsOkAnd(IsTrue()));
  EXPECT_THAT(IsThere(c.file_path), IsOkAnd(IsFalse()));
}

TEST_F(SharedFilesTest, ExpiryKeepsWhatATableNeedsWhereThisOneLayBefore) {
  Make("moved", At("first"));
  const DataFile a = Put(At("first/data/a.parquet"));
  Append(a, "moved");
  TakeOut(a, "moved");
  ASSERT_THAT(
      catalog_->Commit(Name("moved"), {}, std::vector<TableUpdate>{SetLocation{At("second")}}),
      IsOk());
  Make("other", At("first/data"));
  Append(a, "other");
  ASSERT_THAT(ExpireAll("moved"), IsOk());
  EXPECT_THAT(IsThere(a.file_path), IsOkAnd(IsTrue()));
}

TEST_F(SharedFilesTest, ATableThatIsRegisteredTwiceKeepsItsFilesWhenOneNameIsPurged) {
  const DataFile a = Put(At("warehouse/db/t/data/a.parquet"));
  Append(a);
  ASSERT_THAT(catalog_->Register(Name("again"), Load().metadata_location), IsOk());
  const DataFile b = Put(At("warehouse/db/t/data/b.parquet"));
  Append(b);
  const Table again = Load("again");
  std::vector<std::string> gone;
  ASSERT_THAT(VisitReachableFiles(Context(), Load(),
                                  [&](const FileToDelete& file) -> Status {
                                    gone.push_back(file.path);
                                    return {};
                                  }),
              IsOk());
  EXPECT_THAT(gone, Contains(b.file_path));
  ASSERT_THAT(PurgeTable(Context(), Load()), IsOk());
  EXPECT_THAT(IsThere(b.file_path), IsOkAnd(IsFalse()));
  EXPECT_THAT(IsThere(a.file_path), IsOkAnd(IsTrue()));
  EXPECT_THAT(IsThere(again.metadata_location), IsOkAnd(IsTrue()));
  const auto manifests = ReadManifests(*io_, again.metadata->snapshots.front());
  ASSERT_THAT(manifests, IsOk());
  for (const ManifestFile& manifest : *manifests)
    EXPECT_THAT(IsThere(manifest.manifest_path), IsOkAnd(IsTrue()));
}

TEST_F(SharedFilesTest, NothingGoesIfATableInTheSameFoldersCannotBeRead) {
  const std::string data = At("warehouse/db/t/data");
  const DataFile a = Put(data + "/a.parquet");
  Make("inner", data);
  Append(a);
  TakeOut(a);
  Append(a, "inner");
  const std::string list = Load("inner").metadata->snapshots.front().manifest_list;
  ASSERT_THAT(WriteFile(*io_, list, AsBytes("broken")), IsOk());
  EXPECT_THAT(ExpireAll(), IsError(ErrorCode::kCorrupt, "table 'db.inner' shares folders"));
  EXPECT_THAT(PurgeTable(Context(), Load()), IsError(ErrorCode::kCorrupt, "db.inner"));
  EXPECT_THAT(catalog_->Load(Name("t")), IsOk());
  EXPECT_THAT(IsThere(a.file_path), IsOkAnd(IsTrue()));
}

TEST_F(SharedFilesTest, FilesOfATableAroundThisOneAreNoOrphansOfIt) {
  const std::string data = At("warehouse/db/t/data");
  Append(Put(data + "/a.parquet"));
  Make("inner", data);
  Append(Put(data + "/b.parquet"), "inner");
  const DataFile orphan = Put(data + "/orphan.parquet");
  const auto found = FindOrphans("", "inner");
  EXPECT_THAT(found, IsOkAnd(ElementsAre(orphan.file_path)));
}

TEST_F(SharedFilesTest, FilesThatAnotherTableTookOverAreNoOrphans) {
  const std::string data = At("warehouse/db/t/data");
  Append(Put(data + "/a.parquet"));
  const DataFile b = Put(data + "/b.parquet");
  Make("sharer", At("sharer"), {{std::string(kAdoptedFolders), FormatAdoptedFolders({data})}});
  Append(b, "sharer");
  EXPECT_THAT(FindOrphans(), IsOkAnd(IsEmpty()));
}

TEST_F(SharedFilesTest, FilesWhereAnotherTableWroteOnceAreNoOrphans) {
  const std::string data = At("warehouse/db/t/data");
  const std::string metadata = At("warehouse/db/t/metadata");
  Append(Put(data + "/a.parquet"));
  Make("other", "", {{"write.data.path", data}, {"write.metadata.path", metadata}});
  const DataFile theirs = Put(data + "/theirs.parquet");
  Append(theirs, "other");
  Append(Put(At("warehouse/db/other/data/b.parquet")), "other");
  ASSERT_THAT(catalog_->Commit(Name("other"), {},
                               std::vector<TableUpdate>{
                                   RemoveProperties{{"write.data.path", "write.metadata.path"}}}),
              IsOk());
  const DataFile orphan = Put(data + "/orphan.parquet");
  // Its metadata files tell of it while its log names them.
  EXPECT_THAT(FindOrphans(data), IsOkAnd(ElementsAre(orphan.file_path)));
  ASSERT_THAT(PurgeTable(Context(), Load()), IsOk());
  EXPECT_THAT(IsThere(theirs.file_path), IsOkAnd(IsTrue()));
}

TEST_F(SharedFilesTest, FilesThatOnlyManifestsOfAnotherTableNameAreNoOrphans) {
  const std::string data = At("warehouse/db/t/data");
  Append(Put(data + "/a.parquet"));
  Make("other", "", {{"write.data.path", data}});
  const DataFile theirs = Put(data + "/day=1/theirs.parquet");
  Append(theirs, "other");
  std::filesystem::create_directory_symlink(data + "/day=1", At("link"));
  const DataFile linked = Put(data + "/day=1/linked.parquet");
  Append(Record(At("link/linked.parquet")), "other");
  ASSERT_THAT(catalog_->Commit(Name("other"), {},
                               std::vector<TableUpdate>{RemoveProperties{{"write.data.path"}}}),
              IsOk());
  const DataFile orphan = Put(data + "/orphan.parquet");
  EXPECT_THAT(FindOrphans(), IsOkAnd(ElementsAre(orphan.file_path)));
  // Both ways: they are not in the way of the other table's own orphans.
  const DataFile other_orphan = Put(At("warehouse/db/other/data/orphan.parquet"));
  EXPECT_THAT(FindOrphans("", "other"), IsOkAnd(ElementsAre(other_orphan.file_path)));
}

TEST_F(SharedFilesTest, OutputsOfARewriteOfAnotherTableAtWorkAreNoOrphans) {
  const std::string data = At("warehouse/db/t/data");
  Append(Put(data + "/a.parquet"));
  Make("inner", data);
  Append(Put(data + "/b.parquet"), "inner");
  const DataFile output = Put(data + "/output.parquet");
  const DataFile orphan = Put(data + "/orphan.parquet");
  const std::string journal =
      JoinUri(JournalsLocation(*Load().metadata), std::string(kJournalPrefix) + "x");
  const ProcessIdentity& process = ThisProcess();
  const std::string owner =
      fmt::format(R"({{"table-uuid":"x","signature":"","machine":"{}","process-id":{},)"
                  R"("started":{},"is-released":false}})",
                  process.machine, process.process_id, process.started);
  ASSERT_THAT(WriteFile(*io_, JoinUri(journal, JournalOutputName(0, 1)), AsBytes(output.file_path)),
              IsOk());
  ASSERT_THAT(WriteFile(*io_, JoinUri(journal, JournalOwnerName()), AsBytes(owner)), IsOk());
  EXPECT_THAT(FindOrphans("", "inner"), IsOkAnd(ElementsAre(orphan.file_path)));
}

TEST_F(SharedFilesTest, ATableElsewhereThatCannotBeReadStopsNobodyElse) {
  const std::string data = At("warehouse/db/t/data");
  Append(Put(data + "/a.parquet"));
  Make("broken");
  Append(Put(At("warehouse/db/broken/data/b.parquet")), "broken");
  const std::string list = Load("broken").metadata->snapshots.front().manifest_list;
  ASSERT_THAT(WriteFile(*io_, list, AsBytes("broken")), IsOk());
  const DataFile orphan = Put(data + "/orphan.parquet");
  EXPECT_THAT(FindOrphans(), IsOkAnd(ElementsAre(orphan.file_path)));
}

TEST_F(SharedFilesTest, ExpiryKeepsWhatTheSameTableByAnotherNameNeedsWhereverItLies) {
  const DataFile a = Put(At("warehouse/db/t/data/a.parquet"));
  Append(a);
  ASSERT_THAT(catalog_->Register(Name("again"), Load().metadata_location), IsOk());
  ASSERT_THAT(
      catalog_->Commit(Name("again"), {}, std::vector<TableUpdate>{SetLocation{At("again")}}),
      IsOk());
  TakeOut(a);
  ASSERT_THAT(ExpireAll(), IsOk());
  EXPECT_THAT(IsThere(a.file_path), IsOkAnd(IsTrue()));
}

TEST_F(SharedFilesTest, FoldersOfATableAreFoundByReadingEachManifestOnce) {
  Append(Put(At("elsewhere/day=1/a.parquet")));
  Append(Put(At("warehouse/db/t/data/b.parquet")));
  ContentFolders content;
  const auto first = content.Find(Context(), Load());
  EXPECT_FALSE(first.failure.has_value());
  EXPECT_THAT(first.keys, ElementsAre(At("elsewhere/day=1")));
  const auto manifests = ReadManifests(*io_, *Load().metadata->current_snapshot());
  ASSERT_THAT(manifests, IsOk());
  for (const ManifestFile& manifest : *manifests)
    ASSERT_THAT(io_->Delete(manifest.manifest_path), IsOk());
  const auto second = content.Find(Context(), Load());
  EXPECT_FALSE(second.failure.has_value());
  EXPECT_EQ(second.keys, first.keys);
  const auto unread = ContentFolders().Find(Context(), Load());
  EXPECT_TRUE(unread.failure.has_value());
}

TEST_F(SharedFilesTest, PurgeTellsWhatStaysForAnotherNameOfTheTable) {
  Append(Put(At("warehouse/db/t/data/a.parquet")));
  ASSERT_THAT(catalog_->Register(Name("again"), Load().metadata_location), IsOk());
  const auto preview = VisitReachableFiles(Context(), Load(), [](const FileToDelete& file) {
    ADD_FAILURE() << file.path;
    return Status();
  });
  ASSERT_THAT(preview, IsOk());
  const auto result = PurgeTable(Context(), Load());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->deleted_files_count, 0);
  EXPECT_THAT(result->remains.sharing_tables, ElementsAre(Name("again")));
  // The file, a manifest, a list, and two metadata files.
  EXPECT_EQ(result->remains.shared_files_count, 5);
  EXPECT_EQ(preview->shared_files_count, 5);
}

}  // namespace
}  // namespace firn
