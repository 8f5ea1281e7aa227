#include <cstdio>
#include <fstream>
#include <string>

#include <malloc.h>
#include <sys/resource.h>

#include <benchmark/benchmark.h>

#include "firn/base/random.h"
#include "firn/format/gzip.h"
#include "firn/format/metadata/metadata_builder.h"
#include "firn/format/metadata/table_metadata.h"

// Large table metadata: 20,000 snapshots with summaries of 40 keys (about 50 MB), and 500 schemas
// of 300 columns. Inputs are made from a fixed seed. `memory_x` is the growth of the resident set
// by one load, in sizes of the file; the first benchmark of the process gives the true figure.

namespace firn {
namespace {

constexpr int kSnapshots = 20'000;
constexpr int kSummaryKeys = 40;
constexpr SnapshotId kFirstId = 1'000'000'000'000'000'000;

Timestamp At(int64_t seconds) { return Timestamp(std::chrono::seconds(1'700'000'000 + seconds)); }

Snapshot MakeSnapshot(int number, Random& random) {
  constexpr const char* kKeys[] = {"added-data-files",       "added-records",
                                   "added-files-size",       "changed-partition-count",
                                   "total-records",          "total-files-size",
                                   "total-data-files",       "total-delete-files",
                                   "total-position-deletes", "total-equality-deletes"};
  Snapshot snapshot;
  snapshot.snapshot_id = kFirstId + number;
  if (number > 0) snapshot.parent_snapshot_id = kFirstId + number - 1;
  snapshot.sequence_number = number + 1;
  snapshot.timestamp = At(number * 60);
  snapshot.operation = "append";
  snapshot.schema_id = 0;
  snapshot.manifest_list = "s3://lake/warehouse/events/metadata/snap-" +
                           std::to_string(snapshot.snapshot_id) + "-1-" +
                           FormatUuid(MakeUuid(random)) + ".avro";
  for (const char* key : kKeys)
    snapshot.summary.Append(key, std::to_string(random.Below(1'000'000'000)));
  snapshot.summary.Append("spark.app.id", "application_1700000000000_" + std::to_string(number));
  for (int i = 0; i < kSummaryKeys - 11; ++i) {
    snapshot.summary.Append(
        "partitions.at_day=2026-01-" + std::to_string(i),
        "added-data-files=1,added-records=" + std::to_string(random.Below(100'000)));
  }
  return snapshot;
}

std::vector<NestedField> MakeColumns(int schema, int count) {
  std::vector<NestedField> fields;
  for (int i = 0; i < count; ++i) {
    NestedField field;
    field.id = i + 1;
    field.name = "column_number_" + std::to_string(i + (i == count - 1 ? schema : 0));
    field.type = Type::Primitive(i % 2 == 0 ? TypeId::kLong : TypeId::kString);
    if (i % 10 == 0) field.doc = "what this column means to those who read it";
    fields.push_back(std::move(field));
  }
  return fields;
}

TableMetadata MakeTable(int snapshots, int schemas, int columns) {
  const auto random = MakeSeededRandom(17);
  TableMetadata table;
  table.table_uuid = FormatUuid(MakeUuid(*random));
  table.location = "s3://lake/warehouse/events";
  for (int i = 0; i < schemas; ++i)
    table.schemas.push_back(std::make_shared<const Schema>(i, MakeColumns(i, columns)));
  table.last_column_id = columns;
  table.partition_specs = {std::make_shared<const PartitionSpec>()};
  table.sort_orders = {SortOrder{}};
  for (int i = 0; i < snapshots; ++i) {
    table.snapshots.push_back(MakeSnapshot(i, *random));
    table.snapshot_log.push_back({At(i * 60), kFirstId + i, {}});
  }
  if (snapshots > 0) {
    table.current_snapshot_id = kFirstId + snapshots - 1;
    table.refs["main"].snapshot_id = *table.current_snapshot_id;
  }
  table.last_sequence_number = snapshots;
  table.last_updated = At(snapshots * 60);
  return table;
}

// A file of the table in memory; the table itself is not kept.
std::string MakeFile(int snapshots, int schemas, int columns) {
  return FormatTableMetadata(MakeTable(snapshots, schemas, columns));
}

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0;
  int64_t resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

int64_t PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

void Load(benchmark::State& state, int snapshots, int schemas, int columns) {
  const std::string path = "/tmp/firn_metadata_bench.metadata.json";
  int64_t size = 0;
  {
    const std::string text = MakeFile(snapshots, schemas, columns);
    size = static_cast<int64_t>(text.size());
    std::ofstream(path, std::ios::binary) << text;
  }
  const auto io = MakeLocalFileIO();
  malloc_trim(0);  // So that memory of the making is not used again, unseen, by the loading.
  // Resets the peak of the resident set.
  std::ofstream("/proc/self/clear_refs") << "5";
  const int64_t before = ResidentBytes();
  for (auto _ : state) {
    const auto table = LoadTableMetadata(*io, path);
    if (!table.ok()) state.SkipWithError(table.error().Format().c_str());
    benchmark::DoNotOptimize(table);
    state.counters["kept_x"] =
        static_cast<double>(ResidentBytes() - before) / static_cast<double>(size);
  }
  state.counters["memory_x"] =
      static_cast<double>(PeakBytes() - before) / static_cast<double>(size);
  state.counters["file_bytes"] = static_cast<double>(size);
  state.SetBytesProcessed(state.iterations() * size);
  std::remove(path.c_str());
}

void LoadManySnapshots(benchmark::State& state) { Load(state, kSnapshots, 1, 10); }
void LoadManySchemas(benchmark::State& state) { Load(state, 0, 500, 300); }
void LoadBoth(benchmark::State& state) { Load(state, kSnapshots, 500, 300); }
BENCHMARK(LoadManySnapshots)->Unit(benchmark::kMillisecond);
BENCHMARK(LoadManySchemas)->Unit(benchmark::kMillisecond);
BENCHMARK(LoadBoth)->Unit(benchmark::kMillisecond);

// As Load, of bytes that are in memory: one copy more, no file.
void Parse(benchmark::State& state) {
  const std::string text = MakeFile(kSnapshots, 1, 10);
  for (auto _ : state) {
    const auto table = ParseTableMetadata(AsBytes(text), "bench");
    if (!table.ok()) state.SkipWithError(table.error().Format().c_str());
    benchmark::DoNotOptimize(table);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(Parse)->Unit(benchmark::kMillisecond);

void Format(benchmark::State& state) {
  const TableMetadata table = MakeTable(kSnapshots, 1, 10);
  size_t size = 0;
  for (auto _ : state) {
    const std::string text = FormatTableMetadata(table);
    size = text.size();
    benchmark::DoNotOptimize(text.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(size));
}
BENCHMARK(Format)->Unit(benchmark::kMillisecond);

void CommitOneSnapshot(benchmark::State& state) {
  const TableMetadata table = MakeTable(kSnapshots, 1, 10);
  const auto random = MakeSeededRandom(18);
  const Snapshot snapshot = MakeSnapshot(kSnapshots, *random);
  for (auto _ : state) {
    MetadataBuilder builder(table, "s3://lake/v.metadata.json");
    const bool is_added =
        builder.AddSnapshot(snapshot).ok() &&
        builder.SetSnapshotRef("main", {.snapshot_id = snapshot.snapshot_id}).ok();
    const auto next = std::move(builder).Build(snapshot.timestamp);
    if (!is_added || !next.ok()) state.SkipWithError("the commit failed");
    benchmark::DoNotOptimize(next);
  }
}
BENCHMARK(CommitOneSnapshot)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firn

BENCHMARK_MAIN();
