#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "firn/change/change.h"
#include "firn/data/data.h"
#include "firn/session/session.h"

// Commits on the embedded catalog (SQLite) and the local disk, synced as users have it: one file
// appended to a table of 1,000 manifests with 1,000 files each, and 100 commits of one row in one
// process. FIRN_BENCH_FOLDER: where; default /tmp/firn-bench-commit, which is deleted first.

namespace firn {
namespace {

constexpr int kManifests = 1000;
constexpr int kFilesPerManifest = 1000;
constexpr int kOneRowCommits = 100;

template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.error().Format().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

SchemaPtr MakeSchema() {
  std::vector<NestedField> fields = {
      {.id = 1, .name = "id", .type = Type::Primitive(TypeId::kLong)},
      {.id = 2, .name = "name", .type = Type::Primitive(TypeId::kString)},
      {.id = 3, .name = "at", .type = Type::Primitive(TypeId::kTimestamptz)}};
  return std::make_shared<const Schema>(0, std::move(fields));
}

// A session whose embedded catalog lies in a fresh folder.
class Lake {
 public:
  explicit Lake(const std::string& name) {
    const char* folder = std::getenv("FIRN_BENCH_FOLDER");  // NOLINT: one thread
    const std::string base = folder == nullptr ? "/tmp/firn-bench-commit" : folder;
    const std::string place = base + "/" + name;
    std::filesystem::remove_all(place);
    std::filesystem::create_directories(place);
    session_ = Must(OpenSession({.working_folder = place, .home_folder = place}, {}));
    catalog_ = Must(session_->OpenCatalogNamed(session_->default_catalog()));
    if (const Status made = catalog_->CreateNamespace({"bench"}, {}); !made.ok()) {
      std::fprintf(stderr, "%s\n", made.error().Format().c_str());
      std::exit(1);
    }
  }

  Table CreateTable(Properties properties) {
    return Must(catalog_->Create({.levels = {"bench"}, .name = "t"},
                                 {.schema = *MakeSchema(), .properties = std::move(properties)}));
  }

  CommitContext context() {
    return {.catalog = catalog_.get(),
            .executor = &session_->executor(),
            .clock = &session_->clock(),
            .random = &session_->random()};
  }
  MemoryBudget& budget() { return session_->budget(); }

 private:
  std::unique_ptr<Session> session_;
  std::shared_ptr<Catalog> catalog_;
};

// Entries of manifests only: appending does not look at the files.
std::vector<DataFile> MakeFiles(const Table& table, int commit, int count) {
  std::vector<DataFile> files;
  for (int i = 0; i < count; ++i) {
    DataFile file;
    file.file_path = table.metadata->location + "/data/" + std::to_string(commit) + "-" +
                     std::to_string(i) + ".parquet";
    file.record_count = 1000;
    file.file_size_in_bytes = 1'000'000;
    file.metrics.value_counts = {{1, 1000}, {2, 1000}, {3, 1000}};
    file.metrics.lower_bounds = {{1, std::string(8, '\0')}, {2, "a"}};
    file.metrics.upper_bounds = {{1, std::string(8, '\1')}, {2, "z"}};
    files.push_back(std::move(file));
  }
  return files;
}

void AppendToManyManifests(benchmark::State& state) {
  Lake lake("many-manifests");
  Table table = lake.CreateTable({{"write.metadata.delete-after-commit.enabled", "true"},
                                  {"write.metadata.previous-versions-max", "1"}});
  for (int commit = 0; commit < kManifests; ++commit) {
    table = Must(CommitAppendFiles(
                     lake.context(), table,
                     {.data_files = MakeFiles(table, commit, kFilesPerManifest), .is_fast = true}))
                .table;
  }
  int commit = kManifests;
  for (auto _ : state) {
    table = Must(CommitAppendFiles(lake.context(), table,
                                   {.data_files = MakeFiles(table, commit++, 1), .is_fast = true}))
                .table;
  }
}
BENCHMARK(AppendToManyManifests)->Unit(benchmark::kMillisecond)->Iterations(20)->UseRealTime();

void HundredOneRowCommits(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    Lake lake("one-row-commits");
    Table table = lake.CreateTable({});
    state.ResumeTiming();
    for (int i = 0; i < kOneRowCommits; ++i) {
      const ChangeContext context{.commit = lake.context(), .budget = &lake.budget()};
      std::vector<StructValue> rows = {{{Value(int64_t{i}), Value("name"), Value(int64_t{0})}}};
      RowStream stream = Must(MakeRowStream(MakeSchema()->as_struct(), std::move(rows)));
      table = Must(AppendRows(context, table, std::move(stream), {})).table;
    }
  }
}
BENCHMARK(HundredOneRowCommits)->Unit(benchmark::kMillisecond)->Iterations(3)->UseRealTime();

}  // namespace
}  // namespace firn

BENCHMARK_MAIN();
