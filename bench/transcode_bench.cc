#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/util/decimal.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>

#include <benchmark/benchmark.h>

#include "firn/base/check.h"
#include "firn/base/executor.h"
#include "firn/base/memory_budget.h"
#include "firn/base/random.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/read/reader.h"
#include "firn/data/transcode/transcode_files.h"
#include "firn/data/write/writer.h"

// Twenty files of 100,000 rows become one, of a table whose columns were promoted since and one
// added: files as a writer of version 2 makes them. Of nearly unique values, with deltas and split
// streams (0), or of few values, in dictionaries, and with a list and a struct (1). As rows (0) and
// below rows (1). Files lie in memory; the column CPU is the time of all threads.

namespace firn {
namespace {

constexpr int kFiles = 20;
constexpr int64_t kRows = 100'000;

class BenchClock final : public Clock {
 public:
  Timestamp Now() const override { return Timestamp{}; }
  std::chrono::nanoseconds Elapsed() const override { return {}; }
  Status Sleep(std::chrono::nanoseconds, const CancelToken&) override { return {}; }
};

void Ok(const arrow::Status& status) { FIRN_CHECK(status.ok()); }

std::shared_ptr<arrow::Field> FieldOf(int id, const std::string& name,
                                      const std::shared_ptr<arrow::DataType>& type) {
  return arrow::field(name, type, true,
                      arrow::key_value_metadata({std::string(kFieldIdKey)}, {std::to_string(id)}));
}

// Columns 8 and 9.
std::shared_ptr<arrow::Table> WithNested(const arrow::Table& table) {
  arrow::Int32Builder lists;
  std::vector<int32_t> offsets = {0};
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t k = 0; k < i % 4; ++k)
      Ok(lists.Append(static_cast<int32_t>((i + k) % 100)));
    offsets.push_back(static_cast<int32_t>(lists.length()));
  }
  const auto element = FieldOf(10, "element", arrow::int32());
  const auto ends = arrow::ArrayData::Make(arrow::int32(), kRows + 1,
                                           {nullptr, arrow::Buffer::FromVector(offsets)}, 0);
  const auto list = *arrow::ListArray::FromArrays(arrow::list(element), arrow::Int32Array(ends),
                                                  **lists.Finish());
  const auto parts =
      arrow::FieldVector{FieldOf(11, "x", arrow::float32()), FieldOf(12, "y", arrow::utf8())};
  const auto group =
      *arrow::StructArray::Make({table.column(2)->chunk(0), table.column(5)->chunk(0)}, parts);
  const auto wide = *table.AddColumn(6, FieldOf(8, "list", list->type()),
                                     std::make_shared<arrow::ChunkedArray>(list));
  return *wide->AddColumn(7, FieldOf(9, "group", group->type()),
                          std::make_shared<arrow::ChunkedArray>(group));
}

std::shared_ptr<arrow::Table> MakeRows(int file, int64_t distinct) {
  const auto random = MakeSeededRandom(static_cast<uint64_t>(file));
  arrow::Int32Builder ids;
  const auto money = arrow::decimal128(9, 2);
  arrow::Decimal128Builder amounts(money);
  arrow::FloatBuilder prices;
  const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO);
  arrow::TimestampBuilder times(micros, arrow::default_memory_pool());
  arrow::StringBuilder names;
  arrow::StringBuilder states;
  for (int64_t i = 0; i < kRows; ++i) {
    const auto number = static_cast<int64_t>(random->Below(static_cast<uint64_t>(distinct)));
    Ok(ids.Append(static_cast<int32_t>((file * kRows + i) % distinct)));
    Ok(amounts.Append(arrow::Decimal128(number)));
    Ok(prices.Append(static_cast<float>(number) / 8));
    Ok(times.Append(1'700'000'000'000'000 + (file * kRows + i) % distinct * 1'000'000));
    Ok(names.Append("customer-" + std::to_string(number)));
    Ok(i % 50 == 0 ? states.AppendNull() : states.Append("state " + std::to_string(number % 7)));
  }
  return arrow::Table::Make(
      arrow::schema({FieldOf(1, "id", arrow::int32()), FieldOf(2, "amount", money),
                     FieldOf(3, "price", arrow::float32()), FieldOf(4, "at", micros),
                     FieldOf(5, "name", arrow::utf8()), FieldOf(6, "state", arrow::utf8())}),
      {*ids.Finish(), *amounts.Finish(), *prices.Finish(), *times.Finish(), *names.Finish(),
       *states.Finish()});
}

std::string WriteRows(const arrow::Table& table, bool has_dictionaries) {
  using parquet::Encoding;
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::ZSTD)
      ->data_page_version(parquet::ParquetDataPageVersion::V2)
      ->enable_store_decimal_as_integer();
  const std::pair<const char*, Encoding::type> encodings[] = {
      {"id", Encoding::DELTA_BINARY_PACKED},
      {"amount", Encoding::DELTA_BINARY_PACKED},
      {"price", Encoding::BYTE_STREAM_SPLIT},
      {"at", Encoding::DELTA_BINARY_PACKED},
      {"name", Encoding::DELTA_BYTE_ARRAY}};
  for (const auto& [name, encoding] : encodings) {
    if (!has_dictionaries) builder.disable_dictionary(name)->encoding(name, encoding);
  }
  const auto sink = *arrow::io::BufferOutputStream::Create();
  Ok(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink, kRows, builder.build()));
  return (*sink->Finish())->ToString();
}

NestedField Column(int id, const std::string& name, TypePtr type) {
  return {.id = id, .name = name, .type = std::move(type)};
}

struct BenchTable {
  explicit BenchTable(bool has_few_values) {
    const int64_t distinct = has_few_values ? 1000 : 4 * kFiles * kRows;
    const auto rows = [&](int file) {
      const auto flat = MakeRows(file, distinct);
      return has_few_values ? WithNested(*flat) : flat;
    };
    const auto list = Type::List(Column(10, "element", Type::Primitive(TypeId::kLong)));
    const auto group = Type::Struct({Column(11, "x", Type::Primitive(TypeId::kDouble)),
                                     Column(12, "y", Type::Primitive(TypeId::kString)),
                                     Column(13, "z", Type::Primitive(TypeId::kLong))});
    metadata.location = "memory:/table";
    metadata.schemas = {std::make_shared<const Schema>(
        0, std::vector<NestedField>{Column(1, "id", Type::Primitive(TypeId::kLong)),
                                    Column(2, "amount", Type::Decimal(20, 2)),
                                    Column(3, "price", Type::Primitive(TypeId::kDouble)),
                                    Column(4, "at", Type::Primitive(TypeId::kTimestamp)),
                                    Column(5, "name", Type::Primitive(TypeId::kString)),
                                    Column(6, "state", Type::Primitive(TypeId::kString)),
                                    Column(7, "added", Type::Primitive(TypeId::kString)),
                                    Column(8, "list", list), Column(9, "group", group)})};
    metadata.partition_specs = {std::make_shared<PartitionSpec>()};
    metadata.sort_orders = {SortOrder{}};
    for (int i = 0; i < kFiles; ++i) {
      FileScanTask task{.sequence_number = 1};
      task.file.file_path = "memory:/table/data/" + std::to_string(i);
      task.file.file_format = FileFormat::kParquet;
      task.file.record_count = kRows;
      const std::string bytes = WriteRows(*rows(i), has_few_values);
      FIRN_CHECK(WriteFile(*io, task.file.file_path, AsBytes(bytes)).ok());
      task.file.file_size_in_bytes = static_cast<int64_t>(bytes.size());
      tasks.push_back(std::move(task));
    }
  }

  BenchClock clock;
  std::shared_ptr<FileIO> io = MakeMemoryFileIO(clock);
  TableMetadata metadata;
  std::vector<FileScanTask> tasks;
};

void RewriteEvolvedFiles(benchmark::State& state) {
  const bool is_below_rows = state.range(1) == 1;
  static BenchTable tables[] = {BenchTable(false), BenchTable(true)};
  BenchTable& table = tables[state.range(0)];
  const auto executor = MakeThreadPool(2);
  const auto random = MakeSeededRandom(1);
  MemoryBudget budget(int64_t{1} << 30);
  const auto metadata = std::make_shared<const TableMetadata>(table.metadata);
  const WriteContext write{.io = table.io,
                           .metadata = metadata,
                           .executor = executor.get(),
                           .budget = &budget,
                           .random = random.get()};
  const ReadContext read{
      .io = table.io, .metadata = metadata, .executor = executor.get(), .budget = &budget};
  const DataWriteOptions options{.schema = metadata->current_schema(),
                                 .spec = metadata->default_spec(),
                                 .partition = StructValue{}};
  for (auto _ : state) {
    std::vector<DataFile> files;
    if (is_below_rows) {
      auto made = TranscodeDataFiles(write, options, table.tasks);
      FIRN_CHECK(made.ok() && made->has_value());
      files = std::move(**made);
    } else {
      auto rows =
          ReadTasks(read, table.tasks,
                    {.projection = options.schema, .is_ordered = true, .verifies_checksums = true});
      FIRN_CHECK(rows.ok());
      auto made = WriteDataFiles(write, options, std::move(*rows));
      FIRN_CHECK(made.ok());
      files = std::move(*made);
    }
    state.counters["bytes"] = static_cast<double>(files[0].file_size_in_bytes);
    for (const DataFile& file : files)
      FIRN_CHECK(table.io->Delete(file.file_path).ok());
  }
}

BENCHMARK(RewriteEvolvedFiles)
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firn

BENCHMARK_MAIN();
