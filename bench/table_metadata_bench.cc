#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

#include <fmt/format.h>

#include <benchmark/benchmark.h>

#include "firn/format/table_metadata.h"

// Table metadata of a table that was committed to 20,000 times: about 50 MB of JSON.

namespace firn {
namespace {

constexpr int kSnapshots = 20'000;
constexpr int64_t kFirstTime = 1'700'000'000'000;

// A snapshot as engines write it: 19 digits of id and a summary of everyday length.
void AppendSnapshot(std::string& json, int i) {
  const int64_t id = 1'000'000'000'000'000'000 + i;
  fmt::format_to(
      std::back_inserter(json),
      R"({{"sequence-number":{},"snapshot-id":{},"timestamp-ms":{},"summary":{{)"
      R"("operation":"append","engine-name":"spark","engine-version":"4.0.5",)"
      R"("app-id":"application_1700000000000_0042","spark.app.id":"local-1700000000000",)"
      R"("added-data-files":"16","added-records":"{}","added-files-size":"2147483648",)"
      R"("changed-partition-count":"4","manifests-created":"1","manifests-kept":"{}",)"
      R"("manifests-replaced":"0","total-records":"{}","total-files-size":"{}",)"
      R"("total-data-files":"{}","total-delete-files":"0","total-position-deletes":"0",)"
      R"("total-equality-deletes":"0","iceberg-version":"Apache Iceberg 1.11.0"}},)"
      R"("manifest-list":"s3://lake/warehouse/events.db/clicks/metadata/)"
      R"(snap-{}-1-0f8fad5b-d9cb-469f-a165-70867728950e.avro","schema-id":0)",
      i + 1, id, kFirstTime + i * 60'000, i * 1000, i % 100, i * 16'000, i * 2'147'483'648, i * 16,
      id);
  if (i > 0) fmt::format_to(std::back_inserter(json), R"(,"parent-snapshot-id":{})", id - 1);
  json += '}';
}

std::string MakeMetadata() {
  std::string json =
      R"({"format-version":2,"table-uuid":"0f8fad5b-d9cb-469f-a165-70867728950e",)"
      R"("location":"s3://lake/warehouse/events.db/clicks","last-updated-ms":1800000000000,)"
      R"("last-column-id":2,"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,)"
      R"("fields":[{"id":1,"name":"id","required":true,"type":"long"},)"
      R"({"id":2,"name":"ts","required":false,"type":"timestamptz"}]}],"default-spec-id":0,)"
      R"("partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,)"
      R"("default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}],"properties":{},)";
  const int64_t current = 1'000'000'000'000'000'000 + kSnapshots - 1;
  fmt::format_to(std::back_inserter(json),
                 R"("last-sequence-number":{},"current-snapshot-id":{},)"
                 R"("refs":{{"main":{{"snapshot-id":{},"type":"branch"}}}},"snapshots":[)",
                 kSnapshots, current, current);
  for (int i = 0; i < kSnapshots; ++i) {
    if (i > 0) json += ',';
    AppendSnapshot(json, i);
  }
  json += R"(],"snapshot-log":[)";
  for (int i = 0; i < kSnapshots; ++i) {
    fmt::format_to(std::back_inserter(json), R"({}{{"timestamp-ms":{},"snapshot-id":{}}})",
                   i > 0 ? "," : "", kFirstTime + i * 60'000, 1'000'000'000'000'000'000 + i);
  }
  json += R"(],"metadata-log":[]})";
  return json;
}

void ParseMetadataOf20000Snapshots(benchmark::State& state) {
  const std::string json = MakeMetadata();
  for (auto _ : state) {
    const auto metadata = ParseTableMetadata(std::as_bytes(std::span(json)), "bench");
    if (!metadata.ok() || metadata->snapshots.size() != kSnapshots) {
      state.SkipWithError("the metadata does not parse");
      break;
    }
    benchmark::DoNotOptimize(metadata);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(json.size()));
  state.counters["MB"] = static_cast<double>(json.size()) / 1e6;
}
BENCHMARK(ParseMetadataOf20000Snapshots)->Unit(benchmark::kMillisecond);

void FormatMetadataOf20000Snapshots(benchmark::State& state) {
  const std::string json = MakeMetadata();
  const auto metadata = ParseTableMetadata(std::as_bytes(std::span(json)), "bench");
  if (!metadata.ok()) {
    state.SkipWithError("the metadata does not parse");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(FormatTableMetadata(*metadata));
  }
}
BENCHMARK(FormatMetadataOf20000Snapshots)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firn

BENCHMARK_MAIN();
