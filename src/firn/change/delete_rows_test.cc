#include "firn/change/delete_rows.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "firn/base/text.h"
#include "firn/change/append_rows.h"
#include "firn/data/data.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

NestedField Column(int32_t id, std::string name, TypeId type) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = Type::Primitive(type);
  return field;
}

// A table of (id long, kind string) with real rows over memory files.
class DeleteRowsTest : public testing::Test {
 protected:
  DeleteRowsTest()
      : random_(MakeSeededRandom(11)),
        executor_(MakeThreadPool(2)),
        budget_(int64_t{256} << 20),
        io_(MakeMemoryFileIO(clock_)) {}

  void MakeTable(int format_version, bool is_partitioned = false, Properties properties = {}) {
    auto catalog = OpenCatalog({.name = "test",
                                .type = "memory",
                                .properties = {{"warehouse", "memory:/warehouse"}},
                                .io = io_,
                                .clock = &clock_,
                                .random = random_.get()});
    ASSERT_THAT(catalog, IsOk());
    catalog_ = std::move(*catalog);
    ASSERT_THAT(catalog_->CreateNamespace({"db"}, {}), IsOk());
    CreateTableRequest create;
    create.schema = Schema(0, {Column(1, "id", TypeId::kLong), Column(2, "kind", TypeId::kString)});
    if (is_partitioned) {
      create.spec.fields.push_back(
          {.source_ids = {2}, .field_id = 1000, .name = "kind", .transform = {}});
    }
    create.properties = std::move(properties);
    create.format_version = format_version;
    ASSERT_THAT(catalog_->Create(name_, create), IsOk());
  }

  Table Load() { return *catalog_->Load(name_); }

  ChangeContext context() {
    ChangeContext context;
    context.commit = {.catalog = use_catalog_ != nullptr ? use_catalog_ : catalog_.get(),
                      .executor = executor_.get(),
                      .clock = &clock_,
                      .random = random_.get()};
    context.budget = &budget_;
    return context;
  }

  void Append(const std::vector<std::pair<int64_t, std::string>>& rows) {
    std::vector<StructValue> values;
    for (const auto& [id, kind] : rows)
      values.push_back({{Value(id), kind.empty() ? Value() : Value(kind)}});
    const Table table = Load();
    auto stream = MakeRowStream(table.metadata->current_schema()->as_struct(), std::move(values));
    ASSERT_THAT(stream, IsOk());
    ASSERT_THAT(AppendRows(context(), table, std::move(*stream), {}), IsOk());
  }

  Result<DeleteRowsResult> Delete(const std::string& where,
                                  std::optional<WriteMode> mode = std::nullopt) {
    DeleteRowsRequest request;
    request.condition = *ParseExpression(where);
    request.mode = mode;
    return DeleteRows(context(), Load(), request);
  }

  std::vector<std::string> Rows(const std::vector<std::string>& columns = {"id"}) {
    const Table table = Load();
    ScanOptions scan;
    scan.schema = table.metadata->current_schema();
    auto tasks = PlanAllFiles(*io_, *table.metadata, scan, *executor_, {});
    EXPECT_THAT(tasks, IsOk());
    ReadOptions options;
    options.projection = *ProjectColumns(*table.metadata, *scan.schema, columns);
    auto rows = ReadTasks(context().ReadFrom(table), std::move(*tasks), options);
    EXPECT_THAT(rows, IsOk());
    RenderOptions render;
    render.format = RowFormat::kCsv;
    render.type = options.projection->as_struct();
    std::string text;
    EXPECT_THAT(RenderRows(std::move(*rows), render,
                           [&](std::span<const std::byte> bytes) -> Status {
                             text += AsText(bytes);
                             return {};
                           }),
                IsOk());
    std::vector<std::string> lines;
    for (const std::string_view line : SplitText(text, '\n')) {
      if (!line.empty()) lines.emplace_back(line);
    }
    if (!lines.empty()) lines.erase(lines.begin());  // The header.
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  // Files below the table's data folder.
  size_t CountDataFiles() {
    size_t count = 0;
    EXPECT_THAT(io_->List("memory:/warehouse/db/t/data",
                          [&](const FileInfo&) -> Status {
                            ++count;
                            return {};
                          }),
                IsOk());
    return count;
  }

  FakeClock clock_;
  std::unique_ptr<Random> random_;
  std::unique_ptr<Executor> executor_;
  MemoryBudget budget_;
  std::shared_ptr<FileIO> io_;
  std::unique_ptr<Catalog> catalog_;
  Catalog* use_catalog_ = nullptr;
  TableName name_{{"db"}, "t"};
};

struct Kind {
  int format_version;
  bool is_partitioned;
  WriteMode mode;
};

class DeleteKindsTest : public DeleteRowsTest, public testing::WithParamInterface<Kind> {};

TEST_P(DeleteKindsTest, DeletesTheRowsForWhichTheConditionIsTrueAndNoOther) {
  const Kind& kind = GetParam();
  MakeTable(kind.format_version, kind.is_partitioned);
  Append({{1, "x"}, {2, "x"}, {3, "y"}, {4, ""}});
  Append({{5, "y"}, {6, "y"}});

  // Null is neither equal nor unequal: row 4 stays.
  const auto first = Delete("kind <> 'x' and id <> 5", kind.mode);
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->deleted_rows, 2);
  EXPECT_THAT(Rows(), ElementsAre("1", "2", "4", "5"));

  // Rows of a file that has lost some already.
  const auto second = Delete("id = 2", kind.mode);
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->deleted_rows, 1);
  EXPECT_THAT(Rows(), ElementsAre("1", "4", "5"));

  // What is gone cannot be deleted again.
  const auto again = Delete("id in (2, 3, 6)", kind.mode);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->deleted_rows, 0);
  EXPECT_EQ(again->snapshot_id, second->snapshot_id);

  const auto rest = Delete("true", kind.mode);
  ASSERT_THAT(rest, IsOk());
  EXPECT_EQ(rest->deleted_rows, 3);
  EXPECT_THAT(Rows(), IsEmpty());
  const Table after = Load();
  const auto manifests = ReadManifests(*io_, *after.metadata->current_snapshot());
  ASSERT_THAT(manifests, IsOk());
  for (const ManifestFile& manifest : *manifests)
    EXPECT_FALSE(manifest.has_live_files()) << "deletes of files that are gone are left";
}

INSTANTIATE_TEST_SUITE_P(All, DeleteKindsTest,
                         testing::Values(Kind{1, false, WriteMode::kCopyOnWrite},
                                         Kind{2, false, WriteMode::kCopyOnWrite},
                                         Kind{2, true, WriteMode::kCopyOnWrite},
                                         Kind{3, false, WriteMode::kCopyOnWrite},
                                         Kind{2, false, WriteMode::kMergeOnRead},
                                         Kind{2, true, WriteMode::kMergeOnRead},
                                         Kind{3, false, WriteMode::kMergeOnRead},
                                         Kind{3, true, WriteMode::kMergeOnRead}));

TEST_F(DeleteRowsTest, TakesTheModeOfTheTable) {
  MakeTable(2, false, {{"write.delete.mode", "merge-on-read"}});
  Append({{1, "x"}, {2, "y"}});
  const auto result = Delete("id = 1");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->added_delete_files, 1);
  EXPECT_EQ(result->added_data_files, 0);
}

TEST_F(DeleteRowsTest, KeepsOneDeleteFileForADataFileHoweverOftenRowsGo) {
  for (const int version : {2, 3}) {
    MakeTable(version);
    Append({{1, "x"}, {2, "x"}, {3, "x"}, {4, "x"}});
    for (const char* where : {"id = 1", "id = 3", "id = 4"})
      ASSERT_THAT(Delete(where, WriteMode::kMergeOnRead), IsOk());
    const Table table = Load();
    const Summary& summary = table.metadata->current_snapshot()->summary;
    EXPECT_EQ(summary.Find("total-delete-files"), "1");
    EXPECT_EQ(summary.Find("total-position-deletes"), "3");
    EXPECT_THAT(Rows(), ElementsAre("2"));
  }
}

TEST_F(DeleteRowsTest, TakesWholeFilesOutWithoutReadingThem) {
  MakeTable(2, true);
  Append({{1, "x"}, {2, "y"}});
  const size_t before = CountDataFiles();
  const auto result = Delete("kind = 'x'");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->deleted_rows, 1);
  EXPECT_EQ(CountDataFiles(), before);
  EXPECT_EQ(Load().metadata->current_snapshot()->operation, "delete");
}

// v3: rows that move keep their ids and the number of the commit that wrote them.
TEST_F(DeleteRowsTest, KeepsRowLineageOfRowsThatAreWrittenAgain) {
  MakeTable(3);
  Append({{1, "x"}, {2, "x"}, {3, "x"}});
  const std::vector<std::string> columns = {"id", "_row_id", "_last_updated_sequence_number"};
  EXPECT_THAT(Rows(columns), ElementsAre("1,0,1", "2,1,1", "3,2,1"));
  ASSERT_THAT(Delete("id = 1", WriteMode::kCopyOnWrite), IsOk());
  EXPECT_THAT(Rows(columns), ElementsAre("2,1,1", "3,2,1"));
}

TEST_F(DeleteRowsTest, LeavesNoFileBehindAfterAConflict) {
  for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
    MakeTable(2);
    Append({{1, "x"}, {2, "x"}});
    ScriptedCatalog catalog(*catalog_);
    size_t before = 0;
    catalog.before_commit = [&] {
      if (catalog.commit_count > 1) return;
      use_catalog_ = nullptr;
      Append({{1, "late"}});
      before = CountDataFiles() - 1;  // Without the file that the deletion wrote.
    };
    use_catalog_ = &catalog;
    EXPECT_THAT(Delete("id = 1", mode), IsError(ErrorCode::kCommitConflict, "may hold rows"));
    use_catalog_ = nullptr;
    EXPECT_EQ(CountDataFiles(), before);
    EXPECT_THAT(Rows(), ElementsAre("1", "1", "2"));
    io_ = MakeMemoryFileIO(clock_);
  }
}

TEST_F(DeleteRowsTest, DoesNothingInATableWithoutRows) {
  MakeTable(2);
  const auto result = Delete("id = 1");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->deleted_rows, 0);
  EXPECT_EQ(result->snapshot_id, std::nullopt);
  EXPECT_THAT(Delete("nothing = 1"), IsError(ErrorCode::kInvalidInput, "nothing"));
}

TEST_F(DeleteRowsTest, RefusesMergeOnReadInVersion1) {
  MakeTable(1);
  Append({{1, "x"}});
  EXPECT_THAT(Delete("id = 1", WriteMode::kMergeOnRead),
              IsError(ErrorCode::kInvalidInput, "version 2"));
}

}  // namespace
}  // namespace firn
