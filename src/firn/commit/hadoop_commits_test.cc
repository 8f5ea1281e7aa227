#include <algorithm>
#include <functional>

#include <gmock/gmock.h>

#include "firn/commit/commit.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/faulty_file_io.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

/// A table whose versions are files: what a store answers to their writing decides a commit.
class HadoopCommitsTest : public testing::Test {
 protected:
  HadoopCommitsTest()
      : random_(MakeSeededRandom(5)),
        executor_(MakeInlineExecutor()),
        io_(std::make_shared<FaultyFileIO>(MakeMemoryFileIO(clock_))),
        catalog_(OpenCatalog({.name = "lake",
                              .type = "hadoop",
                              .properties = {{"warehouse", "memory:/wh"}},
                              .io = io_,
                              .clock = &clock_,
                              .random = random_.get()})
                     .value()) {
    EXPECT_THAT(catalog_->CreateNamespace({"db"}, {}), IsOk());
  }

  void MakeTable(const Properties& properties = {}) {
    NestedField id;
    id.id = 1;
    id.name = "id";
    id.type = Type::Primitive(TypeId::kLong);
    name_ = TableName{{"db"}, fmt::format("t{}", ++table_count_)};
    CreateTableRequest request;
    request.schema = Schema(0, {id});
    request.properties = properties;
    ASSERT_THAT(catalog_->Create(name_, request), IsOk());
    ASSERT_THAT(Append("first"), IsOk());
  }

  Table Load() { return catalog_->Load(name_).value(); }
  CommitContext context() {
    return {.catalog = catalog_.get(),
            .executor = executor_.get(),
            .clock = &clock_,
            .random = random_.get()};
  }

  DataFile MakeFile(const std::string& name) {
    DataFile file;
    file.file_path = Load().metadata->location + "/data/" + name;
    file.record_count = 3;
    file.file_size_in_bytes = 4;
    EXPECT_THAT(WriteFile(*io_, file.file_path, AsBytes("rows")), IsOk());
    return file;
  }

  Result<CommitResult> Append(const std::string& name) {
    AppendFilesRequest request;
    request.data_files = {MakeFile(name)};
    return CommitAppendFiles(context(), Load(), request);
  }

  Result<CommitResult> DeleteRows(const std::string& name) {
    ChangeFilesRequest request;
    request.starting_snapshot_id = Load().metadata->current_snapshot()->snapshot_id;
    DataFile deletes = MakeFile(name);
    deletes.content = FileContent::kPositionDeletes;
    deletes.record_count = 1;
    deletes.referenced_data_file = Load().metadata->location + "/data/first";
    request.added_delete_files = {deletes};
    return CommitChangeFiles(context(), Load(), request);
  }

  Result<CommitResult> Compact(const std::string& name) {
    RewriteFilesRequest request;
    request.starting_snapshot_id = Load().metadata->current_snapshot()->snapshot_id;
    DataFile first = MakeFile("first");
    request.removed_data_files = {first};
    request.added_data_files = {MakeFile(name)};
    return CommitRewriteFiles(context(), Load(), request);
  }

  std::vector<std::string> DataPaths() {
    const Table table = Load();
    ScanOptions scan;
    scan.schema = table.metadata->current_schema();
    const auto tasks = PlanAllFiles(*table.io, *table.metadata, scan, *executor_, {});
    EXPECT_THAT(tasks, IsOk());
    std::vector<std::string> names;
    for (const FileScanTask& task : *tasks) {
      const std::string path(task.file.file_path);
      names.push_back(path.substr(path.rfind('/') + 1));
      for (const DeleteFilePtr& deletes : task.deletes)
        names.back() +=
            "+" + deletes->file.file_path.substr(deletes->file.file_path.rfind('/') + 1);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<std::string> Files() {
    std::vector<std::string> files;
    EXPECT_THAT(io_->List(Load().metadata->location,
                          [&](const FileInfo& file) -> Status {
                            files.push_back(file.uri);
                            return {};
                          }),
                IsOk());
    return files;
  }

  void Fail(FileOperation operation, const std::string& part, ErrorCode code, bool happens) {
    Fault fault;
    fault.operation = operation;
    fault.uri_part = part;
    fault.error = Error(code, "injected");
    fault.happens = happens;
    io_->Add(fault);
  }

  FakeClock clock_;
  std::unique_ptr<Random> random_;
  std::unique_ptr<Executor> executor_;
  std::shared_ptr<FaultyFileIO> io_;
  std::unique_ptr<Catalog> catalog_;
  TableName name_;
  int table_count_ = 0;
};

// B52: the file of the new version was written, but the store's answer was lost, and the second
// request for it was told that the file exists.
TEST_F(HadoopCommitsTest, AFileThatItWroteItselfIsNoLostRace) {
  using Step = std::function<Result<CommitResult>(const std::string&)>;
  const std::vector<std::pair<Step, std::vector<std::string>>> steps = {
      {[this](const std::string& name) { return Append(name); }, {"first", "new"}},
      {[this](const std::string& name) { return DeleteRows(name); }, {"first+new"}},
      {[this](const std::string& name) { return Compact(name); }, {"new"}}};
  for (const ErrorCode code : {ErrorCode::kAlreadyExists, ErrorCode::kCommitUnknown}) {
    for (const auto& [step, live] : steps) {
      MakeTable();
      const size_t snapshots = Load().metadata->snapshots.size();
      const std::vector<std::string> before = Files();
      Fail(FileOperation::kPublish, ".metadata.json", code, /*happens=*/true);
      const int64_t injected = io_->injected_count();

      const auto result = step("new");

      ASSERT_THAT(result, IsOk());
      EXPECT_EQ(io_->injected_count(), injected + 1);
      EXPECT_EQ(Load().metadata->snapshots.size(), snapshots + 1);
      EXPECT_EQ(Load().metadata->current_snapshot()->snapshot_id, result->snapshot_id);
      EXPECT_EQ(DataPaths(), live);
      // Nothing that was there is gone, and the new list and manifests can be read.
      std::vector<std::string> kept = before;
      std::erase_if(kept,
                    [](const std::string& uri) { return uri.ends_with("version-hint.text"); });
      EXPECT_THAT(Files(), IsSupersetOf(kept));
    }
  }
}

// B67: what comes after the commit and fails does not make the rows come twice.
TEST_F(HadoopCommitsTest, AStepAfterTheCommitThatFailsRepeatsNothing) {
  MakeTable({{"write.metadata.delete-after-commit.enabled", "true"},
             {"write.metadata.previous-versions-max", "1"}});
  ASSERT_THAT(Append("second"), IsOk());
  const size_t snapshots = Load().metadata->snapshots.size();
  Fail(FileOperation::kPublish, "version-hint", ErrorCode::kUnavailable, /*happens=*/false);
  Fail(FileOperation::kDelete, ".metadata.json", ErrorCode::kUnavailable, /*happens=*/false);
  const int64_t injected = io_->injected_count();

  const auto result = Append("third");

  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(io_->injected_count(), injected + 2);
  EXPECT_EQ(Load().metadata->snapshots.size(), snapshots + 1);
  EXPECT_EQ(Load().metadata->current_snapshot()->summary.Find("total-records"), "9");
  EXPECT_THAT(DataPaths(), ElementsAre("first", "second", "third"));
}

}  // namespace
}  // namespace firn
