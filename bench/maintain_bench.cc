#include <chrono>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "firn/commit/rewrite_manifests.h"
#include "firn/data/read/row_positions.h"
#include "firn/maintain/maintain.h"

// Maintenance of large tables whose files are empty or missing: what is measured is finding out
// what goes, and deleting it. Metadata is in memory.

namespace firn {
namespace {

using std::chrono::seconds;

template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) fmt::print(stderr, "{}\n", result.error().Format());
  FIRN_CHECK(result.ok());
  return std::move(result).value();
}
void Must(const Status& status) {
  if (!status.ok()) fmt::print(stderr, "{}\n", status.error().Format());
  FIRN_CHECK(status.ok());
}

/// A table in a memory catalog.
class BenchTable {
 public:
  explicit BenchTable(std::shared_ptr<FileIO> io, const std::string& warehouse,
                      Properties properties = {})
      : io_(std::move(io)), executor_(MakeThreadPool(0)), budget_(int64_t{256} << 20) {
    catalog_ = Must(OpenCatalog({.name = "bench",
                                 .type = "memory",
                                 .properties = {{"warehouse", warehouse}},
                                 .io = io_,
                                 .clock = &SystemClock(),
                                 .random = &SystemRandom()}));
    Must(catalog_->CreateNamespace({"db"}, {}));
    NestedField id;
    id.id = 1;
    id.name = "id";
    id.type = Type::Primitive(TypeId::kLong);
    Must(catalog_->Create(name_, {.schema = Schema(0, {id}), .properties = properties}));
  }

  MaintainContext context() {
    MaintainContext context;
    context.commit = {.catalog = catalog_.get(),
                      .executor = executor_.get(),
                      .clock = &SystemClock(),
                      .random = &SystemRandom()};
    context.budget = &budget_;
    return context;
  }
  Table Load() { return Must(catalog_->Load(name_)); }
  static std::string Name(std::string_view location, int64_t number) {
    return fmt::format("{}/data/{:03}/{:08}-5b0b3e9c-6a0f-4b43-8a4a-1f0d53e1a7c1-00001.parquet",
                       location, number % 256, number);
  }
  static DataFile MakeFile(std::string_view location, int64_t number) {
    DataFile file;
    file.file_path = Name(location, number);
    file.record_count = 100;
    file.file_size_in_bytes = 10'000;
    return file;
  }
  void Append(int64_t first, int64_t count) {
    const Table table = Load();
    const std::string location = table.metadata->location;
    AppendFilesRequest request;
    request.is_fast = true;
    for (int64_t i = first; i < first + count; ++i)
      request.data_files.push_back(MakeFile(location, i));
    Must(CommitAppendFiles(context().commit, table, request));
  }
  /// One snapshot that takes the files out again.
  void Remove(int64_t first, int64_t count) {
    const Table table = Load();
    ChangeFilesRequest request;
    request.starting_snapshot_id = table.metadata->current_snapshot_id;
    const std::string location = table.metadata->location;
    for (int64_t i = first; i < first + count; ++i)
      request.removed_data_files.push_back(MakeFile(location, i));
    Must(CommitChangeFiles(context().commit, table, request));
  }
  /// One snapshot of position delete files.
  void AddDeletes(const std::vector<FileDeletes>& deletes) {
    const Table table = Load();
    const WriteContext write{.io = table.io,
                             .metadata = table.metadata,
                             .executor = executor_.get(),
                             .budget = &budget_,
                             .random = &SystemRandom()};
    ChangeFilesRequest request;
    request.added_delete_files = Must(WritePositionDeletes(write, deletes));
    Must(CommitChangeFiles(context().commit, table, request));
  }
  void Upgrade() {
    const std::vector<TableUpdate> updates = {UpgradeFormatVersion{3}};
    Must(catalog_->Commit(name_, {}, updates));
  }

 private:
  std::shared_ptr<FileIO> io_;
  std::unique_ptr<Executor> executor_;
  MemoryBudget budget_;
  std::unique_ptr<Catalog> catalog_;
  TableName name_{{"db"}, "t"};
};

// 1,000 snapshots of 1,000 files each, of which 100,000 are in no snapshot that stays.
void ExpireAThousandSnapshots(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    BenchTable table(MakeMemoryFileIO(SystemClock()), "memory:/bench");
    for (int64_t i = 0; i < 1000; ++i)
      table.Append(i * 1000, 1000);
    table.Remove(0, 100'000);
    ExpireSnapshotsOptions options;
    options.retention.now = SystemClock().Now();
    options.retention.older_than = options.retention.now + seconds(60);
    state.ResumeTiming();
    const auto result = Must(ExpireSnapshots(table.context(), table.Load(), options));
    FIRN_CHECK(result.deleted_data_files_count == 100'000);
  }
}
BENCHMARK(ExpireAThousandSnapshots)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

// 1,000 manifests of 1,000 entries each.
void RewriteAThousandManifests(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    BenchTable table(MakeMemoryFileIO(SystemClock()), "memory:/bench");
    for (int64_t i = 0; i < 1000; ++i)
      table.Append(i * 1000, 1000);
    state.ResumeTiming();
    const auto result = Must(CommitRewriteManifests(table.context().commit, table.Load(), {}));
    FIRN_CHECK(result.rewritten_manifests_count == 1000);
  }
}
BENCHMARK(RewriteAThousandManifests)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

/// A listing of files that need not exist, on top of files in memory.
class ListedFiles final : public FileIO {
 public:
  ListedFiles(std::shared_ptr<FileIO> io, int64_t count) : io_(std::move(io)), count_(count) {}
  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> size) override {
    return io_->Open(uri, size);
  }
  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    return io_->Create(uri, options);
  }
  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override {
    for (int64_t i = 0; i < count_; ++i) {
      FileInfo info;
      info.uri = BenchTable::Name(uri, i);
      info.modified = Timestamp(seconds(1'700'000'000));
      FIRN_RETURN_IF_ERROR(visit(info));
    }
    return io_->List(uri, visit);
  }
  Result<FileInfo> Stat(std::string_view uri) override { return io_->Stat(uri); }
  Status Delete(std::string_view uri) override { return io_->Delete(uri); }

 private:
  std::shared_ptr<FileIO> io_;
  const int64_t count_;
};

// The set difference and the reading of manifests alone: 1,000,000 files that the table knows and
// 100,000 that it does not.
void FindAHundredThousandOrphans(benchmark::State& state) {
  constexpr int64_t kKnown = 1'000'000;
  constexpr int64_t kListed = 1'100'000;
  for (auto _ : state) {
    state.PauseTiming();
    BenchTable table(std::make_shared<ListedFiles>(MakeMemoryFileIO(SystemClock()), kListed),
                     "memory:/bench");
    for (int64_t i = 0; i < kKnown; i += 10'000)
      table.Append(i, 10'000);
    state.ResumeTiming();
    const auto found =
        Must(FindOrphanFiles(table.context(), table.Load(), {.now = SystemClock().Now()}));
    FIRN_CHECK(found->orphan_count() == kListed - kKnown);
  }
}
BENCHMARK(FindAHundredThousandOrphans)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

// 400 position delete files with 25,000 positions each, of 40 data files, into one for each.
void RewriteTenMillionPositions(benchmark::State& state) {
  constexpr int64_t kDataFiles = 40;
  constexpr int64_t kFilesOfEach = 10;
  constexpr int64_t kPositions = 25'000;
  const bool is_version_3 = state.range(0) == 3;
  for (auto _ : state) {
    state.PauseTiming();
    BenchTable table(MakeMemoryFileIO(SystemClock()), "memory:/bench");
    table.Append(0, kDataFiles);
    const std::string location = table.Load().metadata->location;
    for (int64_t round = 0; round < kFilesOfEach; ++round) {
      std::vector<FileDeletes> deletes;
      for (int64_t i = 0; i < kDataFiles; ++i) {
        FileDeletes& of_file = deletes.emplace_back();
        of_file.data_file = BenchTable::MakeFile(location, i);
        for (int64_t position = 0; position < kPositions; ++position)
          of_file.positions.Add(position * 40 + round * 3 + position % 7);
      }
      table.AddDeletes(deletes);
    }
    if (is_version_3) table.Upgrade();
    state.ResumeTiming();
    const auto options = Must(ParseRewritePositionDeletesOptions(*table.Load().metadata, {}));
    const auto result =
        Must(RewritePositionDeletes(table.context(), table.Load(), "main", nullptr, options));
    FIRN_CHECK(result.rewritten_position_deletes == kDataFiles * kFilesOfEach);
    FIRN_CHECK(result.added_position_deletes == kDataFiles);
  }
}
BENCHMARK(RewriteTenMillionPositions)
    ->Arg(2)
    ->Arg(3)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);

}  // namespace
}  // namespace firn

BENCHMARK_MAIN();
