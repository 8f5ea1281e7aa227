#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <benchmark/benchmark.h>

#include "firn/scan/manifest_table.h"
#include "firn/scan/scan.h"

// Planning a table of a million data files: 100 manifests of 10,000 files in 1,000 day partitions,
// clustered by partition, with statistics of ten columns. And a table with a million position-
// delete files. Manifests lie in memory; the sizes scale with FIRN_BENCH_FILES. Threads: as many as
// cores; the column CPU is the time of all of them.

namespace firn {
namespace {

constexpr int kColumns = 10;
constexpr int64_t kFilesPerManifest = 10'000;
constexpr int64_t kFilesPerDay = 1'000;

int64_t FileCount() {
  const char* text = std::getenv("FIRN_BENCH_FILES");  // NOLINT: one thread
  return text == nullptr ? 1'000'000 : std::atoll(text);
}

class BenchClock final : public Clock {
 public:
  Timestamp Now() const override { return Timestamp{}; }
  std::chrono::nanoseconds Elapsed() const override { return {}; }
  Status Sleep(std::chrono::nanoseconds, const CancelToken&) override { return {}; }
};

SchemaPtr MakeSchema() {
  std::vector<NestedField> fields = {
      {.id = 1, .name = "ts", .type = Type::Primitive(TypeId::kTimestamp)}};
  for (int32_t id = 2; id <= kColumns; ++id) {
    const bool is_text = id > 8;
    fields.push_back({.id = id,
                      .name = "c" + std::to_string(id),
                      .type = Type::Primitive(is_text ? TypeId::kString : TypeId::kLong)});
  }
  return std::make_shared<const Schema>(0, std::move(fields));
}

PartitionSpec MakeSpec() {
  return {.spec_id = 0,
          .fields = {{.source_ids = {1},
                      .field_id = 1000,
                      .name = "ts_day",
                      .transform = {.kind = TransformKind::kDay}}}};
}

std::string MakePath(int64_t file) {
  return "s3://lake/warehouse/events.db/clicks/data/ts_day=" + std::to_string(file / kFilesPerDay) +
         "/00042-" + std::to_string(file) + "-9c12d441-03fe-4693-9a96-a0705ddf69c1-00001.parquet";
}

std::string MakeBound(int32_t column, int64_t value, const Schema& schema) {
  const Type& type = *schema.FindField(column)->type;
  if (type.id() != TypeId::kString) return ToBoundBytes(Value(value), type).value();
  return "customer-" + std::to_string(value);
}

ManifestEntry MakeDataEntry(int64_t file, const Schema& schema) {
  const int64_t day = file / kFilesPerDay;
  ManifestEntry entry =
      ManifestTable::Added(MakePath(file), {Value(static_cast<int32_t>(20'000 + day))});
  entry.file.record_count = 100'000;
  entry.file.file_size_in_bytes = 33'554'432;
  entry.file.split_offsets = {4, 16'777'220};
  entry.file.sort_order_id = 0;
  FileMetrics& metrics = entry.file.metrics;
  const int64_t day_micros = (20'000 + day) * 86'400'000'000;
  for (int32_t column = 1; column <= kColumns; ++column) {
    metrics.column_sizes.emplace_back(column, 3'000'000 + file % 1000);
    metrics.value_counts.emplace_back(column, 100'000);
    metrics.null_value_counts.emplace_back(column, column == 1 ? 0 : file % 7);
    const int64_t low = column == 1 ? day_micros : file * 10 + column;
    metrics.lower_bounds.emplace_back(column, MakeBound(column, low, schema));
    const int64_t high = low + (column == 1 ? 86'399'999'999 : 9);
    metrics.upper_bounds.emplace_back(column, MakeBound(column, high, schema));
  }
  return entry;
}

ManifestEntry MakeDeleteEntry(int64_t file, bool has_path) {
  const auto day = static_cast<int32_t>(20'000 + file / kFilesPerDay);
  ManifestEntry entry = ManifestTable::PositionDelete(
      MakePath(file) + ".deletes-" + std::to_string(file) + ".parquet", {Value(day)});
  if (has_path) {
    entry.file.metrics.lower_bounds = {{kDeleteFilePathFieldId, MakePath(file)}};
    entry.file.metrics.upper_bounds = {{kDeleteFilePathFieldId, MakePath(file)}};
  }
  return entry;
}

struct World {
  BenchClock clock;
  std::unique_ptr<FileIO> io = MakeMemoryFileIO(clock);
  std::unique_ptr<Executor> executor = MakeThreadPool(0);
  SchemaPtr schema = MakeSchema();
  ManifestTable table{*io, schema, {MakeSpec()}};

  void AddData(int64_t count) {
    std::vector<ManifestTable::Manifest> manifests;
    for (int64_t first = 0; first < count; first += kFilesPerManifest) {
      ManifestTable::Manifest manifest;
      for (int64_t file = first; file < std::min(count, first + kFilesPerManifest); ++file)
        manifest.entries.push_back(MakeDataEntry(file, *schema));
      manifests.clear();
      manifests.push_back(std::move(manifest));
      table.Commit(std::move(manifests));
    }
  }

  void AddDeletes(int64_t count, bool has_path) {
    for (int64_t first = 0; first < count; first += kFilesPerManifest) {
      std::vector<ManifestEntry> entries;
      for (int64_t file = first; file < std::min(count, first + kFilesPerManifest); ++file)
        entries.push_back(MakeDeleteEntry(file, has_path));
      table.CommitDeletes(std::move(entries));
    }
  }
};

World& DataTable() {
  static World& world = *[] {
    auto* made = new World;  // NOLINT: lives to the end
    made->AddData(FileCount());
    return made;
  }();
  return world;
}

// Megabytes of the highest peak so far.
double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int64_t Plan(World& world, const ScanOptions& options) {
  int64_t files = 0;
  const auto result = PlanFiles(*world.io, world.table.metadata(), options, *world.executor, {},
                                [&](FileScanTask&&) -> Status {
                                  ++files;
                                  return {};
                                });
  if (!result.ok()) std::fputs(result.error().Format().c_str(), stderr);
  return files;
}

void Run(benchmark::State& state, World& world, const ScanOptions& options) {
  int64_t files = 0;
  const double before = PeakMegabytes();
  for (auto _ : state)
    files = Plan(world, options);
  state.counters["files"] = static_cast<double>(files);
  state.counters["MB_before"] = before;
  state.counters["MB_peak"] = PeakMegabytes();
}

ScanOptions WithFilter(const World& world, std::string_view filter) {
  return {.schema = world.schema, .filter = ParseExpression(filter).value()};
}

void PlanAll(benchmark::State& state) { Run(state, DataTable(), {}); }
BENCHMARK(PlanAll)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

void PlanWithMetrics(benchmark::State& state) {
  ScanOptions options;
  options.with_metrics = true;
  Run(state, DataTable(), options);
}
BENCHMARK(PlanWithMetrics)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

// Ten days of a thousand.
void PlanOnePercentOfPartitions(benchmark::State& state) {
  World& world = DataTable();
  Run(state, world,
      WithFilter(world, "days(ts) >= DATE '2024-10-05' and days(ts) < DATE '2024-10-15'"));
}
BENCHMARK(PlanOnePercentOfPartitions)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

void PlanByMetrics(benchmark::State& state) {
  World& world = DataTable();
  Run(state, world, WithFilter(world, "c2 = 5000002 and c9 > 'customer-1'"));
}
BENCHMARK(PlanByMetrics)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

void CountAll(benchmark::State& state) {
  World& world = DataTable();
  int64_t rows = 0;
  for (auto _ : state) {
    const auto count =
        CountFromMetadata(*world.io, world.table.metadata(), {}, *world.executor, {});
    rows = count.ok() ? count.value().value_or(-1) : -2;
  }
  state.counters["rows"] = static_cast<double>(rows);
}
BENCHMARK(CountAll)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

// One data file, so that nearly all time goes to the delete index.
void IndexPositionDeletes(benchmark::State& state) {
  static World* const kWorlds[2] = {new World, new World};  // NOLINT: live to the end
  World& world = *kWorlds[state.range(0)];
  if (world.table.manifests().empty()) {
    world.AddData(1);
    world.AddDeletes(FileCount(), state.range(0) == 1);
  }
  Run(state, world, {});
}
BENCHMARK(IndexPositionDeletes)
    ->ArgName("one_path_each")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Iterations(2);

// Every data file has a position-delete file of its own.
void PlanWithPositionDeletes(benchmark::State& state) {
  static World& world = *[] {
    auto* made = new World;  // NOLINT: lives to the end
    made->AddData(FileCount());
    made->AddDeletes(FileCount(), true);
    return made;
  }();
  Run(state, world, {});
}
BENCHMARK(PlanWithPositionDeletes)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Iterations(2);

}  // namespace
}  // namespace firn

BENCHMARK_MAIN();
