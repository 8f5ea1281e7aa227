#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "firn/base/check.h"
#include "firn/base/clock.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/io/io.h"

// Reading and writing manifests of 10,000 files with statistics of ten columns: the inner loop of
// planning. "per_entry" is CPU time, decompression included.

namespace firn {
namespace {

constexpr int kEntries = 10'000;
constexpr int kColumns = 10;
constexpr std::string_view kUri = "memory:/bench/m0.avro";

template <typename T>
std::string Bytes(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// Columns 1 to 6 are long, 7 and 8 int, 9 and 10 text with bounds of 16 characters.
std::string MakeBound(int column, int entry, bool is_upper) {
  if (column <= 6) return Bytes(int64_t{1'700'000'000'000} + entry * 1000 + column * is_upper);
  if (column <= 8) return Bytes(entry * 7 + is_upper);
  std::string text = "customer-";
  text += std::to_string(1'000'000 + entry * 31 + is_upper);
  return text;
}

ManifestEntry MakeEntry(int entry) {
  ManifestEntry result;
  result.snapshot_id = 3051729675574597004;
  DataFile& file = result.file;
  file.file_path = "s3://warehouse-bucket/sales.db/orders/data/order_day=2026-01-" +
                   std::to_string(10 + entry / 500) + "/00000-" + std::to_string(entry * 7919) +
                   "-5c1fd4e8-9b1e-4f0f-a2f3-1d2b6f8a9c77-00001.parquet";
  file.partition.fields = {Value(int32_t{20'464 + entry / 500})};
  file.record_count = 100'000 + entry;
  file.file_size_in_bytes = 33'554'432 + entry * 13;
  for (int column = 1; column <= kColumns; ++column) {
    file.metrics.column_sizes.emplace_back(column, 3'000'000 + entry * column);
    file.metrics.value_counts.emplace_back(column, file.record_count);
    file.metrics.null_value_counts.emplace_back(column, column % 3);
    file.metrics.lower_bounds.emplace_back(column, MakeBound(column, entry, false));
    file.metrics.upper_bounds.emplace_back(column, MakeBound(column, entry, true));
  }
  file.split_offsets = {4, 16'777'220};
  file.sort_order_id = 0;
  return result;
}

class Manifest {
 public:
  explicit Manifest(const std::string& codec) {
    std::vector<NestedField> fields;
    for (int column = 1; column <= kColumns; ++column) {
      fields.push_back({.id = column,
                        .name = "column_" + std::to_string(column),
                        .type = Type::Primitive(column > 8 ? TypeId::kString : TypeId::kLong)});
    }
    auto spec = std::make_shared<PartitionSpec>();
    spec->fields = {{.source_ids = {1},
                     .field_id = 1000,
                     .name = "order_day",
                     .transform = {.kind = TransformKind::kDay}}};
    options_ = {.schema = std::make_shared<Schema>(0, std::move(fields)),
                .spec = spec,
                .partition_type = Type::Struct(
                    {{.id = 1000, .name = "order_day", .type = Type::Primitive(TypeId::kDate)}}),
                .snapshot_id = 3051729675574597004,
                .compression = codec};
    for (int entry = 0; entry < kEntries; ++entry)
      entries_.push_back(MakeEntry(entry));
  }

  void Write() {
    auto writer = MakeManifestWriter(*io_, kUri, options_);
    FIRN_CHECK(writer.ok());
    for (const ManifestEntry& entry : entries_)
      FIRN_CHECK((*writer)->Add(entry).ok());
    auto file = (*writer)->Finish();
    FIRN_CHECK(file.ok());
    file_ = *file;
    file_.sequence_number = 1;
  }

  void Read(const ManifestReadOptions& options) {
    int64_t rows = 0;
    const Status status =
        ReadManifest(*io_, file_, *options_.partition_type, options, [&](ManifestEntry& entry) {
          rows += entry.file.record_count;
          return Status();
        });
    FIRN_CHECK(status.ok());
    benchmark::DoNotOptimize(rows);
  }

  int64_t size() const { return file_.manifest_length; }

 private:
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(SystemClock());
  ManifestWriterOptions options_;
  std::vector<ManifestEntry> entries_;
  ManifestFile file_;
};

void Report(benchmark::State& state, int64_t size) {
  state.counters["per_entry"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kEntries,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["bytes"] = static_cast<double>(size);
}

void RunRead(benchmark::State& state, const std::string& codec,
             const ManifestReadOptions& options) {
  Manifest manifest(codec);
  manifest.Write();
  for (auto iteration : state)
    manifest.Read(options);
  Report(state, manifest.size());
}

void BM_ReadAll(benchmark::State& state, const std::string& codec) { RunRead(state, codec, {}); }
BENCHMARK_CAPTURE(BM_ReadAll, gzip, "gzip");
BENCHMARK_CAPTURE(BM_ReadAll, zstd, "zstd");
BENCHMARK_CAPTURE(BM_ReadAll, snappy, "snappy");
BENCHMARK_CAPTURE(BM_ReadAll, uncompressed, "uncompressed");

void BM_ReadWithoutMetrics(benchmark::State& state, const std::string& codec) {
  RunRead(state, codec, {.with_metrics = false});
}
BENCHMARK_CAPTURE(BM_ReadWithoutMetrics, gzip, "gzip");
BENCHMARK_CAPTURE(BM_ReadWithoutMetrics, uncompressed, "uncompressed");

void BM_ReadMetricsOfTwoColumns(benchmark::State& state, const std::string& codec) {
  const std::vector<int32_t> ids = {1, 9};
  RunRead(state, codec, {.with_column_sizes = false, .metrics_field_ids = &ids});
}
BENCHMARK_CAPTURE(BM_ReadMetricsOfTwoColumns, gzip, "gzip");
BENCHMARK_CAPTURE(BM_ReadMetricsOfTwoColumns, uncompressed, "uncompressed");

void BM_Write(benchmark::State& state, const std::string& codec) {
  Manifest manifest(codec);
  for (auto iteration : state)
    manifest.Write();
  Report(state, manifest.size());
}
BENCHMARK_CAPTURE(BM_Write, gzip, "gzip");
BENCHMARK_CAPTURE(BM_Write, zstd, "zstd");

}  // namespace
}  // namespace firn

BENCHMARK_MAIN();
