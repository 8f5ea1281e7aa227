#include "firn/maintain/orphans/remove_orphan_files.h"

#include <chrono>

#include "firn/base/log.h"
#include "firn/base/process_identity.h"
#include "firn/base/text.h"
#include "firn/format/metadata/adopted_folders.h"
#include "firn/maintain/compaction/rewrite_journal_internal.h"
#include "firn/maintain/maintenance_testing_internal.h"
#include "firn/maintain/orphans/quarantine.h"

namespace firn {
namespace {

using std::chrono::days;
using std::chrono::hours;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class RemoveOrphanFilesTest : public MaintenanceTest {
 protected:
  std::string Location() { return table().Load().metadata->location; }
  /// Make a file that no metadata names.
  std::string Orphan(const std::string& name) {
    const std::string uri = JoinUri(Location(), name);
    EXPECT_THAT(WriteFile(table().io(), uri, AsBytes("orphan")), IsOk());
    return uri;
  }
  /// A rewrite that has begun an output, which is returned, and goes on if `process` does.
  std::string BeginRewrite(const std::string& name, const ProcessIdentity& process) {
    const std::string output = Orphan("data/" + name + ".parquet");
    const std::string journal =
        JoinUri(JournalsLocation(*table().Load().metadata), std::string(kJournalPrefix) + name);
    const std::string owner =
        fmt::format(R"({{"table-uuid":"x","signature":"","machine":"{}","process-id":{},)"
                    R"("started":{},"is-released":false}})",
                    process.machine, process.process_id, process.started);
    EXPECT_THAT(WriteFile(table().io(), JoinUri(journal, JournalOutputName(0, 1)), AsBytes(output)),
                IsOk());
    EXPECT_THAT(WriteFile(table().io(), JoinUri(journal, JournalOwnerName()), AsBytes(owner)),
                IsOk());
    return output;
  }
  /// Four days later: all files so far are old enough.
  void Age() { table().clock().Advance(days(4)); }
  RemoveOrphanFilesOptions Options() { return {.now = table().clock().Now(), .max_fraction = 1.0}; }
  Result<std::vector<std::string>> Find(const RemoveOrphanFilesOptions& options) {
    FIRN_ASSIGN(const auto files, FindOrphanFiles(context(), table().Load(), options));
    if (files->refusal()) return *files->refusal();
    std::vector<std::string> uris;
    FIRN_RETURN_IF_ERROR(files->Visit([&](const FileToDelete& file) -> Status {
      uris.push_back(file.path);
      return {};
    }));
    std::sort(uris.begin(), uris.end());
    return uris;
  }
  Result<RemoveOrphanFilesResult> Remove(const RemoveOrphanFilesOptions& options) {
    auto result = RemoveOrphanFiles(context(), table().Load(), options);
    ExpectComplete();
    return result;
  }
};

TEST_F(RemoveOrphanFilesTest, RemovesOldFilesThatTheTableDoesNotKnowAndNothingElse) {
  const DataFile a = Data("a.parquet");
  table().Add({a});
  table().Add({Put(table().MakeEqualityDeletes("e.parquet"))});
  table().Remove(a.file_path);
  const auto orphan = Orphan("data/deep/orphan.parquet");
  const auto metadata = Orphan("metadata/orphan-m0.avro");
  Orphan("data/_hidden.parquet");
  Orphan("data/.hidden.parquet");
  Orphan("_folder/file");
  Age();
  const auto young = Orphan("data/young.parquet");
  EXPECT_THAT(Find(Options()), IsOkAnd(ElementsAre(orphan, metadata)));
  const auto before = table().AllFiles();
  const auto result = Remove(Options());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->removed_count, 2);
  EXPECT_EQ(table().AllFiles().size(), before.size() - 2);
  EXPECT_THAT(table().AllFiles(), Contains(young));
  EXPECT_THAT(Find(Options()), IsOkAnd(IsEmpty()));
}

TEST_F(RemoveOrphanFilesTest, ShowsHiddenFoldersOfPartitionFieldsThatBeginSo) {
  table().Add({Data("a")});
  PartitionSpec spec;
  spec.fields.push_back({.source_ids = {2}, .field_id = 1000, .name = "_cat", .transform = {}});
  spec.fields.push_back({.source_ids = {1}, .field_id = 1001, .name = ".a b", .transform = {}});
  Commit({AddPartitionSpec{spec}, SetDefaultSpec{}});
  const auto encoded = Orphan("data/.a+b=1/orphan");
  const auto plain = Orphan("data/.a b=1/orphan");
  const auto orphan = Orphan("data/_cat=x/orphan");
  Orphan("data/_cat=x/_hidden");
  Orphan("data/_dog=x/hidden");
  Age();
  EXPECT_THAT(Find(Options()), IsOkAnd(UnorderedElementsAre(encoded, plain, orphan)));
}

// B02
TEST_F(RemoveOrphanFilesTest, KeepsWhatIsTooYoungOrOfUnknownAge) {
  table().Add({Data("a")});
  const auto now = table().clock().Now();
  const std::string list = "memory:/lists/inventory.csv";
  const std::string data = Location() + "/data/";
  const std::string text = "file_path,last_modified\n" + data + "zero,1970-01-01T00:00:00Z\n\"" +
                           data + "o,l\"\"d\",2025-12-01 10:00:00\n" + data +
                           "young,2026-01-01T00:00:00Z\nmemory:/elsewhere/x,2025-01-01\n" + data +
                           "a,2025-01-01T00:00:00Z";
  ASSERT_THAT(WriteFile(table().io(), list, AsBytes(text)), IsOk());
  RemoveOrphanFilesOptions options = Options();
  options.now = now;
  options.file_list = list;
  EXPECT_THAT(Find(options), IsOkAnd(ElementsAre(data + "o,l\"d")));
  ASSERT_THAT(WriteFile(table().io(), list, AsBytes(data + "x,yesterday\n")), IsOk());
  EXPECT_THAT(Find(options), IsError(ErrorCode::kInvalidInput, "line 1: found"));
}

TEST_F(RemoveOrphanFilesTest, TakesFromAListOnlyWhatLiesInTheLocation) {
  table().Add({Data("a")});
  const std::string list = "memory:/list.csv";
  const std::string inside = Location() + "/data/line\nbreak \"x\"";
  std::string text = "\"" + ReplaceText(inside, "\"", "\"\"") + "\",2020-01-01\n";
  for (const std::string& path : {Location() + "2/data/x", Location(), Location() + "/../t2/x"})
    text += path + ",2020-01-01\n";
  ASSERT_THAT(WriteFile(table().io(), list, AsBytes(text)), IsOk());
  RemoveOrphanFilesOptions options = Options();
  options.file_list = list;
  EXPECT_THAT(Find(options), IsOkAnd(ElementsAre(inside)));
  ASSERT_THAT(WriteFile(table().io(), list, AsBytes("\"" + std::string(3 << 20, 'x'))), IsOk());
  EXPECT_THAT(Find(options), IsError(ErrorCode::kInvalidInput, "line 1 has more than"));
}

TEST_F(RemoveOrphanFilesTest, DeletesWhatAKilledRunWroteToLearnTheTime) {
  table().Add({Data("a")});
  const std::string probe = Orphan("_firn_clock_probe-1");
  Age();
  const std::string young = Orphan("_firn_clock_probe-2");
  EXPECT_THAT(Find(Options()), IsOkAnd(IsEmpty()));
  EXPECT_THAT(table().AllFiles(), Contains(probe));
  EXPECT_THAT(Remove(Options()), IsOk());
  EXPECT_THAT(table().AllFiles(), Not(Contains(probe)));
  EXPECT_THAT(table().AllFiles(), Contains(young));
}

TEST_F(RemoveOrphanFilesTest, RefusesACutOffOfLessThanADayUnlessItIsMeant) {
  table().Add({Data("a")});
  Orphan("data/orphan");
  table().clock().Advance(hours(2));
  RemoveOrphanFilesOptions options = Options();
  options.older_than = options.now - hours(1);
  EXPECT_THAT(Remove(options), IsError(ErrorCode::kInvalidInput, "allow_recent"));
  options.allows_recent = true;
  EXPECT_THAT(Find(options), IsOkAnd(testing::SizeIs(1)));
}

// B03
TEST_F(RemoveOrphanFilesTest, KeepsStatisticsMetadataAndTheHint) {
  const Snapshot first = table().Add({Data("a")});
  const auto statistics = Orphan("metadata/1.stats");
  const auto partition = Orphan("metadata/2.parquet");
  Orphan("metadata/version-hint.text");
  Commit({SetStatistics{{.snapshot_id = first.snapshot_id, .path = statistics}},
          SetPartitionStatistics{{first.snapshot_id, partition, 1, {}}}});
  Age();
  EXPECT_THAT(Find(Options()), IsOkAnd(IsEmpty()));
  Commit({RemoveStatistics{first.snapshot_id}});
  EXPECT_THAT(Find(Options()), IsOkAnd(ElementsAre(statistics)));
}

// B04
TEST_F(RemoveOrphanFilesTest, RefusesWhereAnotherTableLivesBelow) {
  table().Add({Data("a")});
  Orphan("data/orphan");
  const TableName other{{"db"}, "inner"};
  const Schema schema = *table().Load().metadata->current_schema();
  ASSERT_THAT(
      table().catalog().Create(other, {.schema = schema, .location = Location() + "/inner"}),
      IsOk());
  Age();
  const auto before = table().AllFiles();
  EXPECT_THAT(Remove(Options()), IsError(ErrorCode::kInvalidInput, "table 'db.inner' has files"));
  // The same without the catalog's word.
  ASSERT_THAT(table().catalog().Drop(other, DropFiles::kKeep), IsOk());
  EXPECT_THAT(Remove(Options()), IsError(ErrorCode::kInvalidInput, "inner/metadata/"));
  EXPECT_EQ(table().AllFiles(), before);
  RemoveOrphanFilesOptions narrow = Options();
  narrow.location = Location() + "/data";
  EXPECT_THAT(Find(narrow), IsOkAnd(testing::SizeIs(1)));
}

// B04
TEST_F(RemoveOrphanFilesTest, RefusesWhereAnotherTableHasTheSameFolders) {
  table().Add({Data("a")});
  Orphan("data/orphan");
  TableMetadata foreign = *table().Load().metadata;
  foreign.table_uuid = "00000000-0000-4000-8000-000000000000";
  const std::string file = JoinUri(Location(), "metadata/00009-x.metadata.json");
  ASSERT_THAT(WriteTableMetadata(table().io(), file, foreign), IsOk());
  Age();
  EXPECT_THAT(Remove(Options()), IsError(ErrorCode::kInvalidInput, "two tables share this folder"));
  // What a killed writer left half of is an orphan like others.
  ASSERT_THAT(WriteFile(table().io(), file, AsBytes("{\"format-ver")), IsOk());
  Age();
  EXPECT_THAT(Find(Options()), IsOkAnd(Contains(file)));
}

// B06
TEST_F(RemoveOrphanFilesTest, RemovesNothingIfTheListingFailsOrMetadataCannotBeRead) {
  table().Add({Data("a")});
  table().Add({Data("b")});
  Orphan("data/orphan");
  Age();
  const auto before = table().AllFiles();
  table().io().Add({.operation = FileOperation::kList, .uri_part = "/t"});
  EXPECT_THAT(Remove(Options()), IsError(ErrorCode::kUnavailable, "listing"));
  table().io().Clear();
  const std::string manifest = table().CurrentManifests().back().manifest_path;
  table().io().Add({.operation = FileOperation::kRead, .uri_part = manifest, .call_count = 100});
  EXPECT_THAT(RemoveOrphanFiles(context(), table().Load(), Options()),
              IsError(ErrorCode::kUnavailable));
  table().io().Clear();
  EXPECT_EQ(table().AllFiles(), before);
}

// B07
TEST_F(RemoveOrphanFilesTest, RefusesATableThatMayNotDeleteFiles) {
  Open({.properties = {{"gc.enabled", "false"}}});
  table().Add({Data("a")});
  Orphan("data/orphan");
  Age();
  EXPECT_THAT(Remove(Options()), IsError(ErrorCode::kInvalidInput, "gc.enabled"));
}

TEST_F(RemoveOrphanFilesTest, RemovesNothingIfItWouldBeTooMuch) {
  table().Add({Data("a")});
  for (int i = 0; i < 10; ++i)
    Orphan("data/orphan" + std::to_string(i));
  Age();
  RemoveOrphanFilesOptions options = Options();
  options.max_fraction = 0.5;
  EXPECT_THAT(Remove(options), IsError(ErrorCode::kInvalidInput, "10 of 15 files"));
  options.max_fraction = 0.7;
  EXPECT_THAT(Remove(options), IsOk());
}

// A file that is committed while the listing goes on.
TEST_F(RemoveOrphanFilesTest, KnowsWhatWasCommittedAfterTheListing) {
  table().Add({Data("a")});
  const DataFile late = Data("late");
  Age();
  const Table before = table().Load();
  table().Add({late});
  const auto found = FindOrphanFiles(context(), before, Options());
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ((*found)->orphan_count(), 0);
}

TEST_F(RemoveOrphanFilesTest, TakesOtherSpellingsOfAPathForTheSame) {
  const std::string list = "memory:/list.csv";
  const auto found = [&](const std::string& recorded, const std::string& listed,
                         RemoveOrphanFilesOptions options = {}) {
    Open({});
    DataFile file = table().MakeDataFile("a");
    file.file_path = recorded;
    table().Add({file});
    EXPECT_THAT(WriteFile(table().io(), list, AsBytes("\"" + listed + "\",2020-01-01\n")), IsOk());
    options.now = table().clock().Now();
    options.max_fraction = 1;
    options.file_list = list;
    options.location = listed.substr(0, listed.rfind('/'));
    return Find(options);
  };
  EXPECT_THAT(found("s3://b/k/a", "s3a://b/k/a"), IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("s3n://b/k/a", "s3://b/k/a"), IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("s3://b/k/x%20y", "s3://b/k/x y"), IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("s3://b/k/x y", "s3://b/k/x%20y"), IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("s3://b//k/a", "s3://b/k/a"), IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("/k/a", "file:/k/a"), IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("file:///k/a", "/k/a"), IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("/k/a", "hdfs://nn/k/a"), IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("s3://b/k/a", "s3://b/k/b"), IsOkAnd(ElementsAre("s3://b/k/b")));

  EXPECT_THAT(found("s3://old/k/a", "s3://new/k/a"),
              IsError(ErrorCode::kInvalidInput, "'s3://new/k/a' is recorded with s3://old"));
  EXPECT_THAT(found("oss://b/k/a", "s3://b/k/a"), IsError(ErrorCode::kInvalidInput, "oss://b"));
  EXPECT_THAT(found("s3://old/k/a", "s3://new/k/a", {.equal_authorities = {{"old,older", "new"}}}),
              IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("oss://b/k/a", "s3://b/k/a", {.equal_schemes = {{"oss", "s3"}}}),
              IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("s3://old/k/a", "s3://new/k/a", {.prefix_mismatch = PrefixMismatch::kIgnore}),
              IsOkAnd(IsEmpty()));
  EXPECT_THAT(found("s3://old/k/a", "s3://new/k/a", {.prefix_mismatch = PrefixMismatch::kDelete}),
              IsOkAnd(ElementsAre("s3://new/k/a")));
}

// One key in two buckets, of which one is the table's.
TEST_F(RemoveOrphanFilesTest, KeepsAFileWithATwinInAnotherBucket) {
  DataFile here = table().MakeDataFile("a");
  here.file_path = "s3://here/k/a";
  DataFile there = here;
  there.file_path = "s3://there/k/a";
  table().Add({here});
  table().Add({there});
  const std::string list = "memory:/list.csv";
  ASSERT_THAT(WriteFile(table().io(), list, AsBytes("s3://here/k/a,2020-01-01\n")), IsOk());
  RemoveOrphanFilesOptions options = Options();
  options.file_list = list;
  options.location = "s3://here";
  for (const auto mode :
       {PrefixMismatch::kError, PrefixMismatch::kIgnore, PrefixMismatch::kDelete}) {
    options.prefix_mismatch = mode;
    EXPECT_THAT(Find(options), IsOkAnd(IsEmpty()));
  }
}

TEST_F(RemoveOrphanFilesTest, KeepsOutputsOfRewritesAsLongAsARunMayCommitThem) {
  table().Add({Data("a")});
  const std::string journals = JournalsLocation(*table().Load().metadata);
  ProcessIdentity ended = ThisProcess();
  ++ended.started;
  BeginRewrite("running", ThisProcess());
  const std::string killed = BeginRewrite("killed", ended);
  const std::string elsewhere =
      BeginRewrite("elsewhere", {.machine = "another", .process_id = 1, .started = 1});
  RemoveOrphanFilesOptions options = Options();
  const auto find = [&](hours age) {
    table().clock().Advance(age);
    options.now = table().clock().Now();
    options.older_than = options.now - hours(24);
    return Find(options);
  };
  EXPECT_THAT(find(hours(47)), IsOkAnd(IsEmpty()));
  // The run on the other machine goes on.
  ASSERT_THAT(WriteFile(table().io(),
                        JoinUri(journals, std::string(kJournalPrefix) + "elsewhere/" +
                                              JournalOutputName(1, 1)),
                        AsBytes("memory:/nowhere")),
              IsOk());
  EXPECT_THAT(find(hours(3)), IsOkAnd(ElementsAre(killed)));
  EXPECT_THAT(find(hours(48)), IsOkAnd(UnorderedElementsAre(killed, elsewhere)));
}

TEST_F(RemoveOrphanFilesTest, DeletesJournalsThatNobodyTookUp) {
  table().Add({Data("a")});
  ProcessIdentity ended = ThisProcess();
  ++ended.started;
  BeginRewrite("running", ThisProcess());
  const std::string killed = BeginRewrite("killed", ended);
  // One whose removal was interrupted, which begins with the owner.
  const std::string journals = JournalsLocation(*table().Load().metadata);
  const std::string claim =
      JoinUri(journals, std::string(kJournalPrefix) + "gone/" + JournalClaimName(0));
  ASSERT_THAT(WriteFile(table().io(), claim, AsBytes(kClaimOfOwner)), IsOk());
  const auto journals_left = [&] {
    std::set<std::string> names;
    for (const std::string& uri : table().AllFiles()) {
      const size_t at = uri.find(kJournalPrefix);
      if (at == std::string::npos) continue;
      const size_t begin = at + kJournalPrefix.size();
      names.insert(uri.substr(begin, uri.find('/', begin) - begin));
    }
    return names;
  };
  // No orphan among the rest keeps them from going: none is old enough to be looked for.
  table().clock().Advance(days(2));
  const auto young = Remove(Options());
  ASSERT_THAT(young, IsOk());
  EXPECT_EQ(young->removed_journal_count, 0);
  EXPECT_THAT(journals_left(), ElementsAre("gone", "killed", "running"));

  table().clock().Advance(days(2));
  RemoveOrphanFilesOptions metadata_only = Options();
  metadata_only.only_metadata = true;
  ASSERT_THAT(Remove(metadata_only), IsOk());
  EXPECT_THAT(journals_left(), ElementsAre("gone", "killed", "running"));
  const auto found = FindOrphanFiles(context(), table().Load(), Options());
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ((*found)->ended_journal_count(), 2);
  EXPECT_THAT(journals_left(), ElementsAre("gone", "killed", "running"));
  const auto old = Remove(Options());
  ASSERT_THAT(old, IsOk());
  EXPECT_EQ(old->removed_journal_count, 2);
  EXPECT_THAT(journals_left(), ElementsAre("running"));
  EXPECT_THAT(table().AllFiles(), Not(Contains(killed)));  // What it had written, too.
}

TEST_F(RemoveOrphanFilesTest, LeavesNamesAloneThatNoListCanHold) {
  table().Add({Data("a")});
  const std::string orphan = Orphan("data/orphan");
  Orphan("data/bad\xff.bin");
  Age();
  std::vector<std::string> lines;
  const LogSink before =
      SetLogSink([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  const auto found = Find(Options());
  SetLogSink(before);
  EXPECT_THAT(found, IsOkAnd(ElementsAre(orphan)));
  EXPECT_THAT(lines, ElementsAre(HasSubstr("1 files have names that are not UTF-8, such as '" +
                                           Location() + "/data/bad\\xff.bin'")));
}

// They belong to others, even when no snapshot needs them any more.
TEST_F(RemoveOrphanFilesTest, RefusesFoldersThatFilesWereTakenOverFrom) {
  table().Add({Data("a")});
  Commit({SetProperties{
      {{std::string(kAdoptedFolders), FormatAdoptedFolders({"memory:/others/source"})}}}});
  Age();
  for (const char* location :
       {"memory:/others/source", "memory:/others/", "memory:/others/source/k=1"}) {
    RemoveOrphanFilesOptions options = Options();
    options.location = location;
    EXPECT_THAT(Find(options), IsError(ErrorCode::kInvalidInput, "'firn.adopted-folders'"));
  }
  EXPECT_THAT(Find(Options()), IsOk());
}

TEST_F(RemoveOrphanFilesTest, RefusesTheWholeFileSystem) {
  for (const char* location : {"/", "//", "file:/", "file:///"}) {
    RemoveOrphanFilesOptions options = Options();
    options.location = location;
    EXPECT_THAT(Find(options), IsError(ErrorCode::kInvalidInput, "'/', the whole file system"));
  }
}

TEST_F(RemoveOrphanFilesTest, RefusesIfTheClocksAreFarApart) {
  table().Add({Data("a")});
  Orphan("data/orphan");
  Age();
  FakeClock ahead(table().clock().Now() + days(2));
  MaintainContext skewed = context();
  skewed.commit.clock = &ahead;
  RemoveOrphanFilesOptions options = Options();
  options.now = ahead.Now();
  const auto before = table().AllFiles();
  EXPECT_THAT(RemoveOrphanFiles(skewed, table().Load(), options),
              IsError(ErrorCode::kInvalidInput, "this machine's clock says"));
  EXPECT_EQ(table().AllFiles(), before);
}

TEST_F(RemoveOrphanFilesTest, TellsWhatItCouldNotRemove) {
  table().Add({Data("a")});
  Orphan("data/orphan1");
  Orphan("data/orphan2");
  Age();
  table().io().Add({.operation = FileOperation::kDelete,
                    .uri_part = "orphan1",
                    .call_count = 100,
                    .error = Error(ErrorCode::kPermissionDenied, "no")});
  const auto result = Remove(Options());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->removed_count, 1);
  EXPECT_EQ(result->failed_count, 1);
  EXPECT_EQ(result->first_failure->code(), ErrorCode::kPermissionDenied);
}

TEST_F(RemoveOrphanFilesTest, MovesIntoQuarantineAndBackExactly) {
  table().Add({Data("a")});
  Orphan("data/x/orphan");
  Orphan("data/x y%20z");
  Orphan("manifest.jsonl");
  Age();
  const auto before = table().AllFiles();
  RemoveOrphanFilesOptions options = Options();
  options.quarantines = true;
  const auto result = Remove(options);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->removed_count, 3);
  EXPECT_THAT(result->quarantine_run, testing::StartsWith("20260105T"));
  EXPECT_THAT(table().AllFiles(), Contains(HasSubstr("/_firn_quarantine/" + result->quarantine_run +
                                                     "/data/x/orphan")));
  EXPECT_THAT(Find(Options()), IsOkAnd(IsEmpty()));
  const auto runs = ListQuarantine(table().io(), Location());
  ASSERT_THAT(runs, IsOkAnd(testing::SizeIs(1)));
  EXPECT_EQ(runs->front().file_count, 3);
  EXPECT_THAT(RestoreQuarantine(context(), table().io(), Location(), "20260105T000000Z-0"),
              IsError(ErrorCode::kNotFound, "no run"));
  const auto restored =
      RestoreQuarantine(context(), table().io(), Location(), result->quarantine_run);
  ASSERT_THAT(restored, IsOk());
  EXPECT_EQ(restored->moved, 3);
  EXPECT_EQ(table().AllFiles(), before);
}

TEST_F(RemoveOrphanFilesTest, DoesNotRestoreOverAFileThatIsThere) {
  table().Add({Data("a")});
  const auto orphan = Orphan("data/orphan");
  Orphan("data/other");
  Age();
  RemoveOrphanFilesOptions options = Options();
  options.quarantines = true;
  const auto result = Remove(options);
  ASSERT_THAT(result, IsOk());
  ASSERT_THAT(WriteFile(table().io(), orphan, AsBytes("new")), IsOk());
  const auto restored =
      RestoreQuarantine(context(), table().io(), Location(), result->quarantine_run);
  ASSERT_THAT(restored, IsOk());
  EXPECT_EQ(restored->moved, 1);
  EXPECT_EQ(restored->failed, 1);
  EXPECT_EQ(ReadFile(table().io(), orphan)->view(), "new");
  EXPECT_THAT(ListQuarantine(table().io(), Location()), IsOkAnd(testing::SizeIs(1)));

  ASSERT_THAT(table().io().Delete(orphan), IsOk());
  const auto rest = RestoreQuarantine(context(), table().io(), Location(), result->quarantine_run);
  ASSERT_THAT(rest, IsOk());
  EXPECT_EQ(rest->moved, 1);
  EXPECT_EQ(rest->already_gone, 0);  // What came back before is not missing.
  EXPECT_EQ(rest->failed, 0);
}

TEST_F(RemoveOrphanFilesTest, EmptiesQuarantineByAge) {
  table().Add({Data("a")});
  const auto quarantine = [&](const std::string& name) {
    Orphan(name);
    Age();
    RemoveOrphanFilesOptions options = Options();
    options.quarantines = true;
    EXPECT_THAT(Remove(options), IsOk());
  };
  quarantine("data/first");
  quarantine("data/second");
  EXPECT_THAT(ListQuarantine(table().io(), Location()), IsOkAnd(testing::SizeIs(2)));
  const auto emptied =
      EmptyQuarantine(context(), table().io(), Location(), table().clock().Now() - days(2));
  ASSERT_THAT(emptied, IsOk());
  EXPECT_EQ(emptied->deleted, 1);
  EXPECT_THAT(ListQuarantine(table().io(), Location()), IsOkAnd(testing::SizeIs(1)));
  EXPECT_THAT(table().AllFiles(), Not(Contains(HasSubstr("/data/first"))));
  EXPECT_THAT(table().AllFiles(), Contains(HasSubstr("/data/second")));
}

}  // namespace
}  // namespace firn
