#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include <gmock/gmock.h>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/data/data.h"
#include "firn/maintain/compaction/rewrite_data_files.h"
#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

constexpr int64_t kFiles = 50;
constexpr int64_t kRowsOfFile = 20'000;
constexpr int64_t kEqualityFiles = 300;
constexpr int64_t kKeysOfFile = 2'000;
constexpr int64_t kPositionFiles = 200;
constexpr int64_t kPositionsOfFile = 40;
constexpr int64_t kBudgetBytes = int64_t{512} << 20;

int64_t PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

NestedField RequiredField(int32_t id, std::string name, TypeId type) {
  return {.id = id, .name = std::move(name), .type = Type::Primitive(type), .required = true};
}

/// A table of many rows, and which of them are live, found without firn.
class ManyDeletesTest : public testing::Test {
 protected:
  DataFile Write(const SchemaPtr& schema, std::vector<StructValue> rows) {
    const Table loaded = table_.Load();
    const WriteContext context{.io = loaded.io,
                               .metadata = loaded.metadata,
                               .executor = &table_.executor(),
                               .budget = &budget_,
                               .random = &table_.random()};
    auto stream = MakeRowStream(schema->as_struct(), std::move(rows));
    FIRN_CHECK(stream.ok());
    const auto files = WriteDataFiles(
        context, {.schema = schema, .spec = loaded.metadata->default_spec()}, *std::move(stream));
    FIRN_CHECK(files.ok() && files->size() == 1);
    return files->front();
  }

  /// Rows with the ids from `file` times kRowsOfFile on.
  DataFile WriteRows(int64_t file) {
    std::vector<StructValue> rows;
    for (int64_t row = 0; row < kRowsOfFile; ++row)
      rows.push_back({{Value(file * kRowsOfFile + row), Value("c" + std::to_string(row % 100))}});
    return Write(table_.Load().metadata->current_schema(), std::move(rows));
  }

  /// Keys of rows that were there before, of some that come with this commit, and of none.
  DataFile WriteKeys(int64_t files_before) {
    std::set<int64_t> keys;
    while (keys.size() < static_cast<size_t>(kKeysOfFile))
      keys.insert(static_cast<int64_t>(table_.random().Below(kFiles * kRowsOfFile)));
    std::vector<StructValue> rows;
    for (const int64_t key : keys) {
      rows.push_back({{Value(key)}});
      if (key < files_before * kRowsOfFile) is_live_[static_cast<size_t>(key)] = false;
    }
    const auto schema = std::make_shared<const Schema>(
        0, std::vector<NestedField>{RequiredField(1, "id", TypeId::kLong)});
    DataFile file = Write(schema, std::move(rows));
    file.content = FileContent::kEqualityDeletes;
    file.equality_ids = {1};
    return file;
  }

  /// Positions in one data file, or in two.
  DataFile WritePositions(const std::vector<std::pair<int64_t, std::string>>& data_files) {
    std::set<std::pair<std::string, int64_t>> places;
    for (int64_t i = 0; i < kPositionsOfFile; ++i) {
      const auto& [file, path] = data_files[static_cast<size_t>(i) % data_files.size()];
      const auto row = static_cast<int64_t>(table_.random().Below(kRowsOfFile));
      places.emplace(path, row);
      is_live_[static_cast<size_t>(file * kRowsOfFile + row)] = false;
    }
    std::vector<StructValue> rows;
    for (const auto& [path, row] : places)
      rows.push_back({{Value(path), Value(row)}});
    const auto schema = std::make_shared<const Schema>(
        0, std::vector<NestedField>{
               RequiredField(kDeleteFilePathFieldId, "file_path", TypeId::kString),
               RequiredField(kDeleteFilePosFieldId, "pos", TypeId::kLong)});
    DataFile file = Write(schema, std::move(rows));
    file.content = FileContent::kPositionDeletes;
    if (data_files.size() == 1) file.referenced_data_file = data_files[0].second;
    return file;
  }

  void MakeTable() {
    std::vector<std::pair<int64_t, std::string>> written;
    for (int64_t file = 0; file < kFiles; ++file) {
      std::vector<DataFile> files = {WriteRows(file)};
      written.emplace_back(file, files.front().file_path);
      for (int64_t i = 0; i < kEqualityFiles / kFiles; ++i)
        files.push_back(WriteKeys(file));
      for (int64_t i = 0; i < kPositionFiles / kFiles; ++i) {
        const auto& other = written[table_.random().Below(written.size())];
        files.push_back(i == 0 && other != written.back() ? WritePositions({other, written.back()})
                                                          : WritePositions({other}));
      }
      table_.Add(files);
    }
  }

  /// Ids of all rows, sorted.
  std::vector<int64_t> ReadIds() {
    const Table loaded = table_.Load();
    const SchemaPtr schema = loaded.metadata->current_schema();
    auto tasks =
        PlanAllFiles(*loaded.io, *loaded.metadata, {.schema = schema}, table_.executor(), {});
    EXPECT_THAT(tasks, IsOk());
    auto projection = ProjectColumns(*loaded.metadata, *schema, {"id"});
    EXPECT_THAT(projection, IsOk());
    auto rows = ReadTasks({.io = loaded.io,
                           .metadata = loaded.metadata,
                           .executor = &table_.executor(),
                           .budget = &budget_},
                          *std::move(tasks), {.projection = *projection});
    EXPECT_THAT(rows, IsOk());
    std::string text;
    RenderOptions render;
    render.format = RowFormat::kCsv;
    render.type = (*projection)->as_struct();
    EXPECT_THAT(RenderRows(*std::move(rows), render,
                           [&](std::span<const std::byte> bytes) -> Status {
                             text += AsText(bytes);
                             return {};
                           }),
                IsOk());
    std::vector<int64_t> ids;
    for (const std::string_view line : SplitText(text, '\n')) {
      if (const auto id = ParseInt64(line)) ids.push_back(*id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  TestTable table_;
  MemoryBudget budget_{kBudgetBytes};
  std::vector<bool> is_live_ = std::vector<bool>(kFiles * kRowsOfFile, true);
};

// B128: hundreds of delete files that apply to most data files are held once, not once for each.
TEST_F(ManyDeletesTest, ManyDeletesOfAllKindsAreAppliedWithinTheBudget) {
  MakeTable();
  std::vector<int64_t> expected;
  for (int64_t id = 0; id < kFiles * kRowsOfFile; ++id) {
    if (is_live_[static_cast<size_t>(id)]) expected.push_back(id);
  }
  ASSERT_LT(expected.size(), is_live_.size() * 8 / 10);
  const auto threads = MakeThreadPool(4);
  MaintainContext context{.commit = table_.context(), .budget = &budget_};
  context.commit.executor = threads.get();
  const Table planned = table_.Load();
  const auto options = ParseRewriteDataFilesOptions(*planned.metadata, {{"rewrite-all", "true"}});
  ASSERT_THAT(options, IsOk());
  const int64_t peak_before = PeakBytes();

  ASSERT_THAT(RewriteDataFiles(context, planned, std::string(kMainBranch), nullptr, *options),
              IsOk());

  EXPECT_LE(PeakBytes() - peak_before, kBudgetBytes);
  for (const ManifestEntry& entry : table_.LiveEntries())
    EXPECT_EQ(entry.file.content, FileContent::kData);
  EXPECT_TRUE(ReadIds() == expected);
}

}  // namespace
}  // namespace firn
