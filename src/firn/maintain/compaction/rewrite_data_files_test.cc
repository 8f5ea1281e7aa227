#include "firn/maintain/compaction/rewrite_data_files.h"

#include <algorithm>
#include <set>
#include <utility>

#include <gmock/gmock.h>

#include "firn/io/forwarding_file_io.h"
#include "firn/maintain/compaction/row_rewrite_testing_internal.h"
#include "firn/testing/scripted_catalog.h"

// Compaction from end to end over real rows: they are the same afterwards, whatever the schema, the
// partition specs and the deletes of the table went through.

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Options = std::map<std::string, std::string>;

class RewriteDataFilesTest : public RowRewriteTest {
 protected:
  Result<RewriteDataFilesResult> CompactFrom(const Table& planned, const Options& options,
                                             const std::string& where = "",
                                             std::function<void()> meanwhile = nullptr) {
    FIRN_ASSIGN(const auto parsed, ParseRewriteDataFilesOptions(*planned.metadata, options));
    ExpressionPtr filter;
    if (!where.empty()) {
      FIRN_ASSIGN(filter, ParseExpression(where));
    }
    MaintainContext context{.commit = table().context(), .budget = &budget_};
    context.progress = [&](const Progress& progress) {
      if (meanwhile && progress.files_done == progress.files_total) meanwhile();
    };
    return RewriteDataFiles(context, planned, std::string(kMainBranch), filter, parsed);
  }

  RewriteDataFilesResult Compact(const Options& options, const std::string& where = "") {
    const auto result = CompactFrom(table().Load(), options, where);
    EXPECT_THAT(result, IsOk());
    return result.ok() ? *result : RewriteDataFilesResult();
  }
};

const Options kAll = {{"rewrite-all", "true"}};

// B33
TEST_F(RewriteDataFilesTest, LeavesNoEqualityDeleteOfManyRoundsAfterAFullRewrite) {
  Open({});
  EvolveTo(WithId({Category(), Column(3, "v", Primitive(TypeId::kInt))}));
  Rows expected;
  for (int round = 0; round < 50; ++round) {
    const int64_t id = round % 7;
    table().Add({EqualityDeletes({id}), Write({Row({id, "a", round})})});
    if (round >= 43) {
      expected.push_back(fmt::format(R"({{"id":{},"cat":"a","v":{}}})", id, round));
    }
  }
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(Read(), expected);
  ASSERT_EQ(DeleteFileCount(), 50U);
  const SnapshotId before = *table().Load().metadata->current_snapshot_id;

  Compact(kAll);

  EXPECT_EQ(Read(), expected);
  EXPECT_EQ(Read(before), expected);
  EXPECT_EQ(DeleteFileCount(), 0U);
  EXPECT_EQ(DataFileCount(), 1U);
  table().Add({Write({Row({int64_t{100}, "a", 100})})});
  EXPECT_EQ(DeleteFileCount(), 0U);
  EXPECT_THAT(Read(), SizeIs(8));
}

// B33: deletes that may still hit files which were not rewritten stay.
TEST_F(RewriteDataFilesTest, KeepsTheDeletesOfPartitionsThatAreNotRewritten) {
  Open({.is_partitioned = true});
  for (int round = 0; round < 6; ++round) {
    for (const std::string partition : {"a", "b"}) {
      table().Add({EqualityDeletes({1}, partition),
                   Write({Row({int64_t{1}, partition}), Row({int64_t{10 + round}, partition})},
                         partition)});
    }
  }
  const Rows expected = Read();
  ASSERT_THAT(expected, SizeIs(14));

  Compact(kAll, "cat = 'a'");

  EXPECT_EQ(Read(), expected);
  // Of "a", only the first one is left, which never applied to anything.
  EXPECT_EQ(DeleteFileCount("a"), 1U);
  EXPECT_EQ(DeleteFileCount("b"), 6U);
  EXPECT_EQ(LiveFiles(true, "b").size(), 6U);
  Compact(kAll);
  EXPECT_EQ(Read(), expected);
  EXPECT_EQ(DeleteFileCount(), 0U);
}

// B31
TEST_F(RewriteDataFilesTest, LeavesNoPositionDeleteBehindForRewrittenFiles) {
  for (const bool is_partitioned : {true, false}) {
    SCOPED_TRACE(is_partitioned);
    Open({.is_partitioned = is_partitioned});
    const DataFile a =
        Write({Row({int64_t{1}, "a"}), Row({int64_t{2}, "a"}), Row({int64_t{3}, "a"})});
    const DataFile b =
        Write({Row({int64_t{4}, "b"}), Row({int64_t{5}, "b"}), Row({int64_t{6}, "b"})}, "b");
    table().Add({a, b});
    table().Add({PositionDeletes({{a.file_path, 1}})});
    const Rows expected = Read();
    ASSERT_THAT(expected, SizeIs(5));

    const auto result = Compact({{"delete-file-threshold", "1"}}, "cat = 'a'");

    EXPECT_EQ(result.removed_delete_files_count, 1);
    EXPECT_EQ(Read(), expected);
    EXPECT_EQ(DeleteFileCount(), 0U);
    EXPECT_EQ(Compact({{"delete-file-threshold", "1"}}).snapshot_id, std::nullopt);
  }
}

// B20
TEST_F(RewriteDataFilesTest, KeepsAnEqualityDeleteInForceThatArrivesMeanwhile) {
  Open({});
  std::vector<StructValue> rows;
  for (int64_t id = 1; id <= 10; ++id)
    rows.push_back(Row({id, "a"}));
  table().Add({Write(std::move(rows))});
  bool is_added = false;
  const auto add_delete = [&] {
    if (!std::exchange(is_added, true)) table().Add({EqualityDeletes({5})});
  };

  ASSERT_THAT(CompactFrom(table().Load(), kAll, "", add_delete), IsOk());

  ASSERT_TRUE(is_added);
  EXPECT_EQ(DeleteFileCount(), 1U);
  EXPECT_THAT(Read(), SizeIs(9));
  EXPECT_EQ(LiveFiles(true)[0].sequence_number, 1);
  Compact(kAll);
  EXPECT_EQ(DeleteFileCount(), 0U);
  EXPECT_THAT(Read(), SizeIs(9));
  table().Add({EqualityDeletes({6})});
  EXPECT_THAT(Read(), SizeIs(8));
}

// B24, B26
TEST_F(RewriteDataFilesTest, StopsIfRowsOfAnInputAreDeletedAgainAndAgain) {
  Open({});
  const DataFile file = Write({Row({int64_t{1}, "a"}), Row({int64_t{2}, "a"})});
  table().Add({file});

  EXPECT_THAT(CompactFrom(table().Load(), kAll, "",
                          [&] { table().Add({PositionDeletes({{file.file_path, 0}})}); }),
              IsError(ErrorCode::kCommitConflict, file.file_path));

  EXPECT_THAT(Read(), ElementsAre(R"({"id":2,"cat":"a"})"));
  EXPECT_THAT(DataOutsideOfTheTable(), IsEmpty());
}

// B25
TEST_F(RewriteDataFilesTest, KeepsWhatWasCommittedSinceItsHandleWasLoaded) {
  Open({});
  table().Add({Write({Row({int64_t{1}, "a"}), Row({int64_t{2}, "a"}), Row({int64_t{3}, "a"})})});
  table().Add({EqualityDeletes({1})});
  const Table stale = table().Load();
  table().Add({Write({Row({int64_t{4}, "a"})})});

  ASSERT_THAT(CompactFrom(stale, kAll), IsOk());

  EXPECT_THAT(Read(), ElementsAre(R"({"id":2,"cat":"a"})", R"({"id":3,"cat":"a"})",
                                  R"({"id":4,"cat":"a"})"));
  EXPECT_THAT(table().io().Stat(stale.metadata_location), IsOk());
}

// B19
TEST_F(RewriteDataFilesTest, LosesNoPartOfAFileThatIsLargerThanTheTarget) {
  for (const int tiny_files : {0, 3}) {
    SCOPED_TRACE(tiny_files);
    Open({.properties = {{"write.parquet.row-group-size-bytes", "100000"}}});
    std::vector<DataFile> files;
    for (int64_t file = 0; file < (tiny_files == 0 ? 1 : 2); ++file) {
      std::vector<StructValue> rows;
      for (int64_t i = 0; i < 30000; ++i)
        rows.push_back(Row({file * 30000 + i, fmt::format("{:x}", i * 2654435761)}));
      files.push_back(Write(std::move(rows)));
      ASSERT_GE(files.back().split_offsets.size(), 2U);
    }
    const int64_t target = files[0].file_size_in_bytes * 10 / 11;
    for (int64_t i = 0; i < tiny_files; ++i)
      files.push_back(Write({Row({-i, "tiny"})}));
    table().Add(files);
    const Rows expected = Read();

    const Options options = {{"target-file-size-bytes", std::to_string(target)}};
    Compact(options);
    EXPECT_EQ(Read(), expected);
    Compact({{"target-file-size-bytes", std::to_string(target)}, {"rewrite-all", "true"}});
    EXPECT_EQ(Read(), expected);
  }
}

// B102, B104, B105, B106: what old rows read as is what they are from then on.
TEST_F(RewriteDataFilesTest, KeepsRowsAsTheyReadAfterEveryKindOfEvolution) {
  Open({.format_version = 3});
  const auto text = Primitive(TypeId::kString);
  const auto whole = Primitive(TypeId::kInt);
  const auto record = [&](std::vector<NestedField> fields) {
    return Type::Struct(std::move(fields));
  };
  const auto map = [&](std::vector<NestedField> fields) {
    return Type::Map(Required(Column(11, "key", text)),
                     Column(12, "value", Type::Struct(std::move(fields))));
  };
  EvolveTo(WithId({Category(), Column(3, "s", record({Column(4, "a", text), Column(5, "c", text)})),
                   Column(10, "m", map({Column(13, "body", text)})), Column(20, "n", whole),
                   Column(21, "d", Type::Decimal(13, 10)), Column(22, "gone", text)}));
  table().Add({Write(
      {Row({int64_t{1}, "before", Value::Struct({"A", "C"}),
            Value::Map({{Value("k"), Value::Struct({"x"})}}), 7, Int128{12345678901}, "old"}),
       Row({int64_t{2}, {}, {}, {}, {}, {}, {}})})});
  NestedField added = Column(30, "added", whole);
  added.initial_default = Value(5);
  added.write_default = Value(5);
  NestedField child = Column(32, "y", whole);
  child.initial_default = Value(9);
  EvolveTo(WithId(
      {Column(2, "renamed", text),
       Column(3, "s",
              record({Column(4, "a", text), Column(31, "b", record({Column(33, "n", whole)})),
                      child, Column(5, "c", text)})),
       Column(10, "m", map({Column(13, "body", text), Column(34, "sha", text)})),
       Column(20, "n", Primitive(TypeId::kLong)), Column(21, "d", Type::Decimal(28, 10)),
       Column(35, "gone", text), added}));
  table().Add({Write({Row({int64_t{3}, "after", {}, {}, int64_t{1} << 40, {}, "new", 21}),
                      Row({int64_t{4}, "after", {}, {}, {}, {}, {}, {}})})});
  const Rows expected = {
      R"({"id":1,"renamed":"before","s":{"a":"A","b":null,"y":9,"c":"C"},)"
      R"("m":[{"key":"k","value":{"body":"x","sha":null}}],"n":7,"d":"1.2345678901","gone":null,)"
      R"("added":5})",
      R"({"id":2,"renamed":null,"s":null,"m":null,"n":null,"d":null,"gone":null,"added":5})",
      R"({"id":3,"renamed":"after","s":null,"m":null,"n":1099511627776,"d":null,"gone":"new",)"
      R"("added":21})",
      R"({"id":4,"renamed":"after","s":null,"m":null,"n":null,"d":null,"gone":null,"added":null})"};
  ASSERT_EQ(Read(), expected);

  Compact(kAll);

  EXPECT_EQ(DataFileCount(), 1U);
  EXPECT_EQ(Read(), expected);
  table().Add({EqualityDeletes({1, 4})});
  EXPECT_EQ(Read(), Rows({expected[1], expected[2]}));
}

// B77: as another engine may leave a table, whose old spec stands on a column that is gone.
TEST_F(RewriteDataFilesTest, RewritesATableWhoseOldSpecLostItsColumn) {
  Open({.is_partitioned = true});
  table().Add({Write({Row({int64_t{1}, "x"})}, "x"), Write({Row({int64_t{2}, "y"})}, "y")});
  const std::vector<TableUpdate> updates = {AddPartitionSpec{PartitionSpec{.spec_id = -1}},
                                            SetDefaultSpec{}};
  ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  EvolveTo(WithId({}));
  table().Add({Write({Row({int64_t{3}})})});
  const Rows expected = {R"({"id":1})", R"({"id":2})", R"({"id":3})"};
  ASSERT_EQ(Read(), expected);

  Compact(kAll);

  EXPECT_EQ(Read(), expected);
  for (const ManifestEntry& entry : LiveFiles(true))
    EXPECT_EQ(entry.file.partition_spec_id, 1);
}

// B85: recorded paths are keys, not URLs.
TEST_F(RewriteDataFilesTest, ReadsFilesByTheLiteralNamesThatManifestsRecord) {
  Open({});
  std::vector<DataFile> files;
  std::vector<std::pair<std::string, int64_t>> deleted;
  for (const std::string name :
       {"p=dev%2Fapp/f", "a+b", "a b", "caf\xC3\xA9", "a?b=c", "a#b", "double//slash"}) {
    DataFile file =
        Write({Row({static_cast<int64_t>(files.size()), name}), Row({int64_t{-1}, "-"})});
    const auto bytes = ReadFile(table().io(), file.file_path);
    ASSERT_THAT(bytes, IsOk());
    file.file_path = table().Load().metadata->location + "/data/" + name;
    ASSERT_THAT(WriteFile(table().io(), file.file_path, bytes->span()), IsOk());
    deleted.emplace_back(file.file_path, 1);
    files.push_back(file);
  }
  table().Add(files);
  std::sort(deleted.begin(), deleted.end());
  table().Add({PositionDeletes(deleted)});
  const Rows expected = Read();
  ASSERT_THAT(expected, SizeIs(7));

  Compact(kAll);

  EXPECT_EQ(Read(), expected);
  for (const DataFile& file : files)
    EXPECT_THAT(table().io().Stat(file.file_path), IsOk());
}

// Two files of one row in each of six partitions.
std::vector<std::string> MakeSixPartitions(
    const std::function<DataFile(int64_t, const std::string&)>& write,
    const std::function<void(const DataFile&, const std::string&)>& add) {
  std::vector<std::string> expected;
  for (const std::string partition : {"a", "b", "c", "d", "e", "f"}) {
    for (int64_t id = 0; id < 2; ++id)
      add(write(id, partition), partition);
    expected.push_back(fmt::format(R"({{"id":0,"cat":"{}"}})", partition));
    expected.push_back(fmt::format(R"({{"id":1,"cat":"{}"}})", partition));
  }
  std::sort(expected.begin(), expected.end());
  return expected;
}

class PartialProgressTest : public RewriteDataFilesTest {
 protected:
  void SetUp() override {
    Open({.is_partitioned = true});
    expected_ = MakeSixPartitions(
        [this](int64_t id, const std::string& partition) {
          return Write({Row({id, partition})}, partition);
        },
        [this](const DataFile& file, const std::string&) { table().Add({file}); });
    snapshots_before_ = table().Load().metadata->snapshots.size();
  }

  size_t NewSnapshots() { return table().Load().metadata->snapshots.size() - snapshots_before_; }

  Options WithCommits(const std::string& commits) {
    return {{"rewrite-all", "true"},
            {"partial-progress.enabled", "true"},
            {"partial-progress.max-commits", commits}};
  }

  // Another writer deletes a row of `file` before each commit but the second, of the other groups.
  Result<RewriteDataFilesResult> CompactWhileDeleting(const DataFile& file,
                                                      const Options& options) {
    ScriptedCatalog catalog(table().catalog());
    catalog.before_commit = [&] {
      if (catalog.commit_count == 2) return;
      table().Add(
          {PositionDeletes({{file.file_path, 0}}, file.partition.fields[0].get<std::string>())});
    };
    const Table planned = table().Load();
    FIRN_ASSIGN(const auto parsed, ParseRewriteDataFilesOptions(*planned.metadata, options));
    MaintainContext context{.commit = table().context(), .budget = &budget_};
    context.commit.catalog = &catalog;
    return RewriteDataFiles(context, planned, std::string(kMainBranch), nullptr, parsed);
  }

  Rows expected_;
  size_t snapshots_before_ = 0;
};

TEST_F(PartialProgressTest, CommitsBatchesOfGroups) {
  const RewriteDataFilesResult result = Compact(WithCommits("3"));

  EXPECT_EQ(NewSnapshots(), 3U);
  EXPECT_EQ(result.commit_count, 3);
  EXPECT_EQ(result.rewritten_data_files_count, 12);
  EXPECT_EQ(result.added_data_files_count, 6);
  EXPECT_EQ(DataFileCount(), 6U);
  EXPECT_EQ(Read(), expected_);
  EXPECT_THAT(DataOutsideOfTheTable(), SizeIs(12));  // The inputs, for older snapshots.
}

TEST_F(PartialProgressTest, CountsFailuresTruly) {
  // Six groups in four commits at most: batches of two make three, and none of them failed.
  Options options = WithCommits("4");
  options["partial-progress.max-failed-commits"] = "0";
  EXPECT_EQ(Compact(options).commit_count, 3);
}

TEST_F(PartialProgressTest, LosesOnlyTheGroupThatMeetsAnotherWriterAgainAndAgain) {
  const DataFile file = LiveFiles(true, "c").front().file;
  const auto result = CompactWhileDeleting(file, WithCommits("1"));

  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rewritten_data_files_count, 10);
  EXPECT_EQ(result->added_data_files_count, 5);
  EXPECT_EQ(result->failed_data_files_count, 2);
  EXPECT_EQ(Read().size(), 11U);
  EXPECT_EQ(LiveFiles(true, "c").size(), 2U);
  EXPECT_EQ(LiveFiles(true, "d").size(), 1U);
}

TEST_F(PartialProgressTest, IsAnErrorWhenMoreCommitsFailThanMay) {
  Options options = WithCommits("1");
  options["partial-progress.max-failed-commits"] = "0";
  const DataFile file = LiveFiles(true, "c").front().file;
  EXPECT_THAT(CompactWhileDeleting(file, options),
              IsError(ErrorCode::kCommitConflict, "1 commits failed, 0 are allowed"));
  EXPECT_EQ(LiveFiles(true, "d").size(), 1U);  // What succeeded stays.
}

TEST_F(PartialProgressTest, LeavesAGroupThatCannotBeReadAsItWas) {
  const std::string broken = LiveFiles(true, "b").front().file.file_path;
  ASSERT_THAT(WriteFile(*table().Load().io, broken, AsBytes("PAR1 no more")), IsOk());

  const RewriteDataFilesResult result = Compact(WithCommits("10"));

  EXPECT_EQ(result.failed_data_files_count, 2);
  EXPECT_EQ(result.rewritten_data_files_count, 10);
  EXPECT_EQ(LiveFiles(true, "b").size(), 2U);
  EXPECT_EQ(LiveFiles(true, "f").size(), 1U);
}

TEST_F(PartialProgressTest, RemovesADeleteFileWithTheLastGroupThatItAppliesTo) {
  // One delete file of the unpartitioned spec would do; here one for each of two partitions.
  for (const std::string partition : {"a", "b"}) {
    const DataFile file = LiveFiles(true, partition).front().file;
    table().Add({PositionDeletes({{file.file_path, 0}}, partition)});
  }
  const Rows rows = Read();
  ASSERT_EQ(rows.size(), 10U);

  const RewriteDataFilesResult result = Compact(WithCommits("6"));

  EXPECT_EQ(result.removed_delete_files_count, 2);
  EXPECT_EQ(DeleteFileCount(), 0U);
  EXPECT_EQ(Read(), rows);
}

Result<RewriteDataFilesResult> Arrange(TestTable& table, MemoryBudget& budget,
                                       const std::optional<std::string>& strategy,
                                       const std::optional<std::string>& sort_order) {
  const Table planned = table.Load();
  FIRN_ASSIGN(const RewriteOrder order, ParseRewriteOrder(*planned.metadata, strategy, sort_order));
  FIRN_ASSIGN(const auto options, ParseRewriteDataFilesOptions(*planned.metadata, kAll, order));
  MaintainContext context{.commit = table.context(), .budget = &budget};
  context.verification = Verification::kContent;
  return RewriteDataFiles(context, planned, std::string(kMainBranch), nullptr, options);
}

// Files from before the upgrade have no row ids; those that replace them do.
TEST_F(RewriteDataFilesTest, VerifiesTheContentOfATableThatWasUpgraded) {
  Open({});
  table().Add({Write({Row({int64_t{1}, "a"})}), Write({Row({int64_t{2}, "b"})})});
  const std::vector<TableUpdate> upgrade = {UpgradeFormatVersion{3}};
  ASSERT_THAT(table().catalog().Commit(table().name(), {}, upgrade), IsOk());
  const Rows expected = Read();
  ASSERT_THAT(Arrange(table(), budget_, {}, {}), IsOk());
  EXPECT_EQ(Read(), expected);
  EXPECT_EQ(DataFileCount(), 1U);
}

TEST_F(PartialProgressTest, IsAnErrorWhenEveryGroupFails) {
  for (const ManifestEntry& entry : LiveFiles(true)) {
    ASSERT_THAT(WriteFile(*table().Load().io, entry.file.file_path, AsBytes("PAR1 no more")),
                IsOk());
  }
  EXPECT_THAT(CompactFrom(table().Load(), WithCommits("10")),
              IsError(ErrorCode::kCorrupt, "nothing was committed"));
}

TEST_F(RewriteDataFilesTest, SortsOverAllFilesOfAGroup) {
  Open({});
  table().Add({Write({Row({int64_t{5}, "a"}), Row({int64_t{1}, "b"}), Row({int64_t{3}, {}})}),
               Write({Row({int64_t{4}, "c"}), Row({int64_t{2}, "d"})})});
  const Rows expected = Read();

  ASSERT_THAT(Arrange(table(), budget_, {}, "id DESC"), IsOk());

  EXPECT_EQ(Read(), expected);
  ASSERT_EQ(DataFileCount(), 1U);
  const Table loaded = table().Load();
  auto tasks = PlanAllFiles(*loaded.io, *loaded.metadata, {}, table().executor(), {});
  const ReadContext context{.io = loaded.io,
                            .metadata = loaded.metadata,
                            .executor = &table().executor(),
                            .budget = &budget_};
  auto rows = ReadTasks(context, *std::move(tasks),
                        {.projection = loaded.metadata->current_schema(), .is_ordered = true});
  std::string text;
  ASSERT_THAT(RenderRows(*std::move(rows), {.type = loaded.metadata->current_schema()->as_struct()},
                         [&](std::span<const std::byte> bytes) -> Status {
                           text += AsText(bytes);
                           return {};
                         }),
              IsOk());
  EXPECT_LT(text.find(R"("id":5)"), text.find(R"("id":4)"));
  EXPECT_LT(text.find(R"("id":4)"), text.find(R"("id":3)"));
  EXPECT_LT(text.find(R"("id":2)"), text.find(R"("id":1)"));
}

TEST_F(RewriteDataFilesTest, ArrangesRowsAlongCurvesAndKeepsThem) {
  for (const std::string curve : {"zorder(id, cat)", "hilbert(id, cat)", "hilbert(id)"}) {
    SCOPED_TRACE(curve);
    Open({.format_version = 3});
    std::vector<StructValue> rows;
    for (int64_t i = 0; i < 500; ++i)
      rows.push_back(Row({i * 7919 % 500, i % 5 == 0 ? Value() : Value(std::to_string(i % 13))}));
    table().Add({Write(rows), Write(rows)});
    const Rows expected = Read();
    ASSERT_THAT(Arrange(table(), budget_, "sort", curve), IsOk());
    EXPECT_EQ(Read(), expected);
    EXPECT_EQ(DataFileCount(), 1U);
  }
}

TEST_F(RewriteDataFilesTest, RefusesOrdersThatMakeNoSense) {
  Open({.is_partitioned = true});
  const auto parse = [this](const std::optional<std::string>& strategy,
                            const std::optional<std::string>& order) {
    return ParseRewriteOrder(*table().Load().metadata, strategy, order);
  };
  EXPECT_THAT(parse("binpack", "id"), IsError(ErrorCode::kInvalidInput, "takes no sort_order"));
  EXPECT_THAT(parse("sort", {}), IsError(ErrorCode::kInvalidInput, "the table has none"));
  EXPECT_THAT(parse("zorder", "id"), IsError(ErrorCode::kInvalidInput, "expected binpack or sort"));
  EXPECT_THAT(parse({}, "zorder(id), id"), IsError(ErrorCode::kInvalidInput, "mixes"));
  EXPECT_THAT(parse({}, "zorder(id"), IsError(ErrorCode::kInvalidInput, "parenthesis"));
  EXPECT_THAT(parse({}, "zorder(id, id)"), IsError(ErrorCode::kInvalidInput, "twice"));
  EXPECT_THAT(parse({}, "hilbert(nope)"), IsError(ErrorCode::kInvalidInput, "no column"));
  EXPECT_THAT(parse({}, "zorder(cat)"), IsError(ErrorCode::kInvalidInput, "no column in which"));
  EXPECT_THAT(parse({}, "zorder(cat, id)"), IsOk());
  EXPECT_THAT(parse({}, "zorder(id), zorder(cat)"), IsOk());
}

TEST_F(RewriteDataFilesTest, RefusesColumnsWithoutAnOrderBeforeAnyWork) {
  TableMetadata metadata;
  const NestedField element{.id = 3, .name = "element", .type = Type::Primitive(TypeId::kInt)};
  metadata.schemas = {std::make_shared<const Schema>(
      0, std::vector<NestedField>{{.id = 1, .name = "l", .type = Type::List(element)},
                                  {.id = 2, .name = "price", .type = Type::Decimal(9, 2)}})};
  metadata.partition_specs = {std::make_shared<const PartitionSpec>()};
  for (const std::string order : {"hilbert(l)", "zorder(l)", "zorder(price)"}) {
    EXPECT_THAT(ParseRewriteOrder(metadata, {}, order),
                IsError(ErrorCode::kUnsupported, "sort_order: rows cannot be"))
        << order;
  }
  EXPECT_THAT(ParseRewriteOrder(metadata, {}, "hilbert(price)"), IsOk());
}

// A file that stores another number than it was given.
class WrongFile final : public OutputFile {
 public:
  WrongFile(std::unique_ptr<OutputFile> inner, std::string from, std::string to)
      : inner_(std::move(inner)), from_(std::move(from)), to_(std::move(to)) {}
  const std::string& uri() const override { return inner_->uri(); }
  int64_t bytes_written() const override { return inner_->bytes_written(); }
  Status Publish() override { return inner_->Publish(); }
  Status Append(std::span<const std::byte> bytes) override {
    std::string text(AsText(bytes));
    const size_t place = text.find(from_);
    if (place != std::string::npos) text.replace(place, from_.size(), to_);
    return inner_->Append(AsBytes(text));
  }

 private:
  std::unique_ptr<OutputFile> inner_;
  std::string from_;
  std::string to_;
};

class WrongFileIO final : public ForwardingFileIO {
 public:
  WrongFileIO(std::shared_ptr<FileIO> inner, std::string from, std::string to)
      : ForwardingFileIO(std::move(inner)), from_(std::move(from)), to_(std::move(to)) {}
  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    FIRN_ASSIGN(auto file, inner().Create(uri, options));
    return std::make_unique<WrongFile>(std::move(file), from_, to_);
  }

 private:
  std::string from_;
  std::string to_;
};

TEST_F(RewriteDataFilesTest, CatchesAWriterThatStoresOtherRowsBeforeItCommits) {
  // Pages of Parquet have checksums besides.
  for (const bool is_parquet : {false, true}) {
    SCOPED_TRACE(is_parquet);
    Open({.properties = {{"write.format.default", is_parquet ? "parquet" : "avro"},
                         {"write.avro.compression-codec", "uncompressed"},
                         {"write.parquet.compression-codec", "uncompressed"}}});
    table().Add({Write({Row({int64_t{1}, "what was read"})}), Write({Row({int64_t{2}, "b"})})});
    const Rows expected = Read();
    Table planned = table().Load();
    planned.io = std::make_shared<WrongFileIO>(planned.io, "what was read", "something lik");
    const auto options = ParseRewriteDataFilesOptions(*planned.metadata, kAll);
    ASSERT_THAT(options, IsOk());
    MaintainContext context{.commit = table().context(), .budget = &budget_};
    context.verification = Verification::kContent;

    EXPECT_THAT(RewriteDataFiles(context, planned, std::string(kMainBranch), nullptr, *options),
                is_parquet ? IsError(ErrorCode::kCorrupt, "checksum")
                           : IsError(ErrorCode::kInternal,
                                     "the rows that were written are not "
                                     "those"));

    EXPECT_EQ(Read(), expected);
    EXPECT_EQ(DataFileCount(), 2U);
    EXPECT_THAT(DataOutsideOfTheTable(), SizeIs(1));  // The evidence.
  }
}

TEST_F(RewriteDataFilesTest, VerifiesTheContentOfWhatItWrote) {
  for (const bool has_lineage : {false, true}) {
    Open({.format_version = has_lineage ? 3 : 2});
    const DataFile a = Write({Row({int64_t{1}, "a"}), Row({int64_t{2}, {}})});
    table().Add({a, Write({Row({int64_t{3}, "b"})})});
    const Rows expected = Read();
    const Table planned = table().Load();
    const auto options = ParseRewriteDataFilesOptions(*planned.metadata, kAll);
    ASSERT_THAT(options, IsOk());
    MaintainContext context{.commit = table().context(), .budget = &budget_};
    context.verification = Verification::kContent;

    ASSERT_THAT(RewriteDataFiles(context, planned, std::string(kMainBranch), nullptr, *options),
                IsOk());
    EXPECT_EQ(Read(), expected);
    EXPECT_EQ(DataFileCount(), 1U);
  }
}

}  // namespace
}  // namespace firn
