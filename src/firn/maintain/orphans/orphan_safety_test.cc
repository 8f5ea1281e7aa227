#include <chrono>
#include <set>

#include "firn/io/forwarding_file_io.h"
#include "firn/maintain/expiry/purge_table.h"
#include "firn/maintain/maintenance_testing_internal.h"
#include "firn/maintain/orphans/metadata_owner_internal.h"
#include "firn/maintain/orphans/quarantine.h"
#include "firn/maintain/orphans/remove_orphan_files.h"

// What must not cost a reachable file: stores that list wrongly, clocks, broken metadata, other
// tables.

namespace firn {
namespace {

using std::chrono::days;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// Lists each file twice, and files that are gone, and not those that came last.
class EventualListing final : public ForwardingFileIO {
 public:
  explicit EventualListing(std::shared_ptr<FileIO> base) : ForwardingFileIO(std::move(base)) {}

  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override {
    std::vector<FileInfo> files;
    FIRN_RETURN_IF_ERROR(inner().List(uri, [&](const FileInfo& file) -> Status {
      if (!late.contains(file.uri)) files.push_back(file);
      return {};
    }));
    for (const FileInfo& file : gone)
      files.push_back(file);
    for (int time = 0; time < 2; ++time) {
      for (const FileInfo& file : files)
        FIRN_RETURN_IF_ERROR(visit(file));
    }
    return {};
  }

  std::set<std::string> late;
  std::vector<FileInfo> gone;
};

class OrphanSafetyTest : public MaintenanceTest {
 protected:
  std::string Location() { return table().Load().metadata->location; }
  std::string Put(const std::string& name, std::string_view text = "orphan") {
    const std::string uri = JoinUri(Location(), name);
    EXPECT_THAT(WriteFile(table().io(), uri, AsBytes(text)), IsOk());
    return uri;
  }
  RemoveOrphanFilesOptions Options() { return {.now = table().clock().Now(), .max_fraction = 1.0}; }
  Result<RemoveOrphanFilesResult> Remove(const RemoveOrphanFilesOptions& options) {
    auto result = RemoveOrphanFiles(context(), table().Load(), options);
    ExpectComplete();
    return result;
  }
  std::string MetadataFile(const std::string& name) {
    return JoinUri(table().Load().metadata->MetadataLocation(), name);
  }
  /// The first half of another table's metadata.
  std::string ForeignHalf() {
    TableMetadata foreign = *table().Load().metadata;
    foreign.table_uuid = "00000000-0000-4000-8000-000000000000";
    const std::string text = FormatTableMetadata(foreign);
    return text.substr(0, text.size() / 2);
  }
};

TEST_F(OrphanSafetyTest, AFileThatIsListedTwiceGoesOnceAndCountsOnce) {
  table().Add({Data("a")});
  for (int i = 0; i < 6; ++i)
    Put("data/orphan" + std::to_string(i));
  table().clock().Advance(days(4));
  Table odd = table().Load();
  odd.io = std::make_shared<EventualListing>(odd.io);
  RemoveOrphanFilesOptions options = Options();
  options.max_fraction = 0.5;
  // 6 of 11, not of 22.
  EXPECT_THAT(RemoveOrphanFiles(context(), odd, options),
              IsError(ErrorCode::kInvalidInput, "6 of 11 files"));
  const auto found = FindOrphanFiles(context(), odd, options);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ((*found)->listed_count(), 11);
  EXPECT_EQ((*found)->orphan_count(), 6);
}

TEST_F(OrphanSafetyTest, AListingThatIsLateOrShowsWhatIsGoneCostsNothing) {
  table().Add({Data("a")});
  const auto orphan = Put("data/orphan");
  const auto late = Put("data/late orphan");
  table().clock().Advance(days(4));
  Table odd = table().Load();
  auto listing = std::make_shared<EventualListing>(odd.io);
  listing->late = {late, JoinUri(Location(), "data/a")};
  listing->gone = {{.uri = JoinUri(Location(), "data/gone"),
                    .size = 3,
                    .modified = table().clock().Now() - days(10)}};
  odd.io = listing;
  const auto result = RemoveOrphanFiles(context(), odd, Options());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->failed_count, 0);
  EXPECT_THAT(table().AllFiles(), Contains(late));
  EXPECT_THAT(table().AllFiles(), Not(Contains(orphan)));
  ExpectComplete();
}

// The same file, listed as it was and as it is: some store's caches differ.
TEST_F(OrphanSafetyTest, AFileThatIsYoungInOneOfTwoListingsStaysIfThatComesFirst) {
  table().Add({Data("a")});
  const auto file = Put("data/x");
  const std::string list = "memory:/list.csv";
  const std::string now = "2026-01-01T00:00:00Z";
  ASSERT_THAT(
      WriteFile(table().io(), list, AsBytes(file + "," + now + "\n" + file + ",2020-01-01\n")),
      IsOk());
  RemoveOrphanFilesOptions options = Options();
  options.file_list = list;
  const auto found = FindOrphanFiles(context(), table().Load(), options);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ((*found)->orphan_count(), 0);
}

TEST_F(OrphanSafetyTest, FilesOfTheFutureStay) {
  table().Add({Data("a")});
  table().clock().Advance(days(6));
  const auto future = Put("data/future");
  RemoveOrphanFilesOptions options = Options();
  options.now = table().clock().Now() - days(2);  // This machine's clock is two days late.
  options.older_than = options.now;
  options.allows_recent = true;
  const auto found = FindOrphanFiles(context(), table().Load(), options);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ((*found)->orphan_count(), 0);
  EXPECT_THAT(table().AllFiles(), Contains(future));
}

TEST_F(OrphanSafetyTest, AClockThatIsTwoDaysOffStopsRemovalEitherWay) {
  table().Add({Data("a")});
  Put("data/orphan");
  table().clock().Advance(days(10));
  const auto before = table().AllFiles();
  for (const auto off : {days(2), -days(2)}) {
    FakeClock wrong(table().clock().Now() + off);
    MaintainContext skewed = context();
    skewed.commit.clock = &wrong;
    RemoveOrphanFilesOptions options = Options();
    options.now = wrong.Now();
    for (const bool quarantines : {false, true}) {
      options.quarantines = quarantines;
      EXPECT_THAT(RemoveOrphanFiles(skewed, table().Load(), options),
                  IsError(ErrorCode::kInvalidInput, "clocks so far apart"));
    }
    EXPECT_EQ(table().AllFiles(), before);
  }
}

TEST_F(OrphanSafetyTest, TheMetadataOfANeighbourIsKnownThoughItLostItsEnd) {
  table().Add({Data("a")});
  Put("data/of the neighbour");
  const std::string half = MetadataFile("00009-x.metadata.json");
  ASSERT_THAT(WriteFile(table().io(), half, AsBytes(ForeignHalf())), IsOk());
  table().clock().Advance(days(4));
  const auto before = table().AllFiles();
  EXPECT_THAT(Remove(Options()), IsError(ErrorCode::kInvalidInput, "two tables share this folder"));
  EXPECT_EQ(table().AllFiles(), before);
}

TEST_F(OrphanSafetyTest, NothingGoesIfTheTablesOwnMetadataLostItsEnd) {
  table().Add({Data("a")});
  table().Add({Data("b")});
  Put("data/orphan");
  table().clock().Advance(days(4));
  const Table before = table().Load();
  const auto files = table().AllFiles();
  const auto truncated = [&](const std::string& uri) {
    const std::string text(ReadFile(table().io(), uri)->view());
    EXPECT_THAT(WriteFile(table().io(), uri, AsBytes(text.substr(0, text.size() / 2))), IsOk());
    EXPECT_THAT(RemoveOrphanFiles(context(), before, Options()),
                IsError(ErrorCode::kCorrupt, uri.substr(uri.rfind('/') + 1)));
    EXPECT_EQ(table().AllFiles(), files);
    EXPECT_THAT(WriteFile(table().io(), uri, AsBytes(text)), IsOk());
  };
  truncated(before.metadata->current_snapshot()->manifest_list);
  truncated(table().CurrentManifests().front().manifest_path);
}

TEST_F(OrphanSafetyTest, TellsWhatRestoringWouldDo) {
  table().Add({Data("a")});
  const auto first = Put("data/x y%20z");
  const auto second = Put("data/second", "22");
  table().clock().Advance(days(4));
  RemoveOrphanFilesOptions options = Options();
  options.quarantines = true;
  const auto removed = Remove(options);
  ASSERT_THAT(removed, IsOk());
  const auto preview = [&] {
    return PreviewRestoreQuarantine(context(), table().io(), Location(), removed->quarantine_run);
  };
  const auto all = preview();
  ASSERT_THAT(all, IsOk());
  ASSERT_EQ(all->restored.size(), 2U);
  EXPECT_EQ(all->restored.front().bytes.value_or(0) + all->restored.back().bytes.value_or(0), 8);
  EXPECT_TRUE(all->list.has_value());
  Put("data/second");
  const auto some = preview();
  ASSERT_THAT(some, IsOk());
  ASSERT_EQ(some->restored.size(), 1U);
  EXPECT_EQ(some->restored.front().path, first);
  EXPECT_THAT(some->staying, ElementsAre(second));
  EXPECT_FALSE(some->list.has_value());
}

TEST_F(OrphanSafetyTest, APurgeDeletesWhatItsPreviewTells) {
  Open({.properties = {{"write.metadata.previous-versions-max", "2"}}});
  for (const char* name : {"a", "b", "c", "d"})
    table().Add({Data(name)});
  std::vector<std::string> told;
  ASSERT_THAT(VisitReachableFiles(context(), table().Load(),
                                  [&](const FileToDelete& file) -> Status {
                                    EXPECT_TRUE(file.bytes.has_value()) << file.path;
                                    told.push_back(file.path);
                                    return {};
                                  }),
              IsOk());
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, table().AllFiles());  // The hint, which is not there, is not told.
  const auto result = PurgeTable(context(), table().Load());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->deleted_files_count, static_cast<int64_t>(told.size()));
  EXPECT_THAT(table().AllFiles(), IsEmpty());
}

TEST(TableUuidTest, IsFoundInTheBeginningWhereOnlyPlainValuesStandBeforeIt) {
  EXPECT_EQ(FindTableUuid(R"({"format-version":2,"table-uuid":"u-1","loc)"), "u-1");
  EXPECT_EQ(FindTableUuid(" {\n \"x\" : \"a\\\"b\" ,\t\"y\": null, \"table-uuid\" :\"u-2\""),
            "u-2");
  EXPECT_EQ(FindTableUuid(R"({"format-version":2,"table-uuid":"u-)"), std::nullopt);
  EXPECT_EQ(FindTableUuid(R"({"properties":{"table-uuid":"wrong"},"table-uuid":"u"})"),
            std::nullopt);
  EXPECT_EQ(FindTableUuid(R"({"a":["table-uuid"],"table-uuid":"u"})"), std::nullopt);
  EXPECT_EQ(FindTableUuid(R"({"location":"x"})"), std::nullopt);
  EXPECT_EQ(FindTableUuid("{\"a\":1"), std::nullopt);
  EXPECT_EQ(FindTableUuid("\x1f\x8b"), std::nullopt);
  EXPECT_EQ(FindTableUuid(""), std::nullopt);
}

}  // namespace
}  // namespace firn
