#include <array>
#include <cstring>
#include <limits>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/compare.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/metrics/column_metrics_internal.h"
#include "firn/data/parquet/parquet_file_encoder_internal.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

// Random schemas and rows of them.
class RowMaker {
 public:
  explicit RowMaker(Random& random) : random_(random) {}

  std::vector<NestedField> Fields(int depth) {
    std::vector<NestedField> fields;
    const uint64_t count = 1 + random_.Below(depth == 0 ? 5 : 3);
    for (uint64_t i = 0; i < count; ++i)
      fields.push_back(Field(depth));
    return fields;
  }

  StructValue Row(const std::vector<NestedField>& fields, uint64_t domain) {
    StructValue row;
    for (const NestedField& field : fields)
      row.fields.push_back(ValueOf(field, domain));
    return row;
  }

 private:
  NestedField Field(int depth) {
    const int32_t id = next_id_++;
    NestedField field = Optional(id, "c" + std::to_string(id), TypeOf(depth));
    field.required = random_.Below(3) == 0;
    return field;
  }

  TypePtr TypeOf(int depth) {
    const uint64_t kind = random_.Below(depth < 3 ? 24 : 17);
    switch (kind) {
      case 0:
        return Type::Decimal(static_cast<int32_t>(1 + random_.Below(38)), 1);
      case 1:
        return Type::Fixed(static_cast<int32_t>(1 + random_.Below(20)));
      case 17:
      case 18:
        return Type::Struct(Fields(depth + 1));
      case 19:
      case 20:
      case 21: {
        NestedField element = Field(depth + 1);
        element.name = "element";
        return Type::List(element);
      }
      case 22:
      case 23: {
        const NestedField key = Required(next_id_++, "key", Primitive(TypeId::kString));
        NestedField value = Field(depth + 1);
        value.name = "value";
        return Type::Map(key, value);
      }
      default:
        break;
    }
    constexpr std::array kTypes = {
        TypeId::kBoolean, TypeId::kInt,         TypeId::kLong,        TypeId::kFloat,
        TypeId::kDouble,  TypeId::kDate,        TypeId::kTime,        TypeId::kTimestamp,
        TypeId::kString,  TypeId::kTimestamptz, TypeId::kTimestampNs, TypeId::kTimestamptzNs,
        TypeId::kUuid,    TypeId::kBinary,      TypeId::kString};
    return Primitive(kTypes[kind - 2]);
  }

  Value ValueOf(const NestedField& field, uint64_t domain) {
    if (!field.required && random_.Below(5) == 0) return {};
    const Type& type = *field.type;
    if (type.id() == TypeId::kStruct) return Value::Struct(Row(type.fields(), domain).fields);
    const uint64_t length = random_.Below(8) == 0 ? random_.Below(20) : random_.Below(3);
    if (type.id() == TypeId::kList) {
      std::vector<Value> elements;
      for (uint64_t i = 0; i < length; ++i)
        elements.push_back(ValueOf(type.element(), domain));
      return Value::List(std::move(elements));
    }
    if (type.id() == TypeId::kMap) {
      std::vector<std::pair<Value, Value>> entries;
      for (uint64_t i = 0; i < length; ++i)
        entries.emplace_back(std::to_string(i), ValueOf(type.value(), domain));
      return Value::Map(std::move(entries));
    }
    return Leaf(type,
                static_cast<int64_t>(random_.Below(domain)) - static_cast<int64_t>(domain / 2));
  }

  Value Leaf(const Type& type, int64_t number) {
    std::string text = fmt::format("{:x}", number * 7919);
    if (type.id() == TypeId::kBoolean) return number % 2 == 0;
    if (type.id() == TypeId::kInt || type.id() == TypeId::kDate)
      return static_cast<int32_t>(number);
    if (type.id() == TypeId::kFloat || type.id() == TypeId::kDouble) {
      const double value = number == 3   ? std::numeric_limits<double>::quiet_NaN()
                           : number == 0 ? (random_.Below(2) == 0 ? -0.0 : 0.0)
                                         : static_cast<double>(number) / 8;
      if (type.id() == TypeId::kFloat) return static_cast<float>(value);
      return value;
    }
    if (type.id() == TypeId::kDecimal) {
      Int128 power = 1;
      for (int32_t i = 0; i < type.precision(); ++i)
        power *= 10;
      return static_cast<Int128>(number) * 1000000007 * 1000000007 * 1000000007 % power;
    }
    if (type.id() == TypeId::kString) return random_.Below(40) == 0 ? text + text + text : text;
    if (type.id() == TypeId::kBinary) return BinaryValue{text};
    if (type.id() == TypeId::kUuid) {
      UuidBytes uuid{};
      std::memcpy(uuid.data(), &number, sizeof(number));
      return uuid;
    }
    if (type.id() == TypeId::kFixed) {
      text.resize(static_cast<size_t>(type.length()), '.');
      return BinaryValue{text};
    }
    return number;
  }

  Random& random_;
  int32_t next_id_ = 1;
};

ParquetWriteOptions RandomOptions(Random& random, const Schema& schema) {
  constexpr std::array kCodecs = {"uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"};
  ParquetWriteOptions options{.codec = kCodecs[random.Below(kCodecs.size())],
                              .page_version = static_cast<int>(1 + random.Below(2))};
  if (random.Below(2) == 0) options.page_rows = static_cast<int64_t>(1 + random.Below(3000));
  if (random.Below(2) == 0) options.page_bytes = static_cast<int64_t>(1 + random.Below(20000));
  if (random.Below(2) == 0) options.dictionary_bytes = static_cast<int64_t>(random.Below(5000));
  if (random.Below(2) == 0) options.row_group_bytes = static_cast<int64_t>(1 + random.Below(50000));
  for (const NestedField& field : schema.fields()) {
    if (random.Below(3) == 0) options.columns[field.id] = {.has_bloom_filter = true};
    if (random.Below(3) == 0) options.columns[field.id].has_statistics = false;
  }
  options.bloom_filter_bytes_max = 1024;
  return options;
}

struct Written {
  std::string bytes;
  EncodedFile summary;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
};

// Rows come in one batch, in slices of it that begin anywhere.
Written WriteRows(const Schema& schema, const std::vector<StructValue>& rows,
                  const ParquetWriteOptions& options, const std::map<int32_t, MetricsMode>& modes,
                  Random& random) {
  Written written;
  const ByteSink sink = [&written](std::span<const std::byte> bytes) -> Status {
    written.bytes += AsText(bytes);
    return {};
  };
  const auto pool = BudgetPool::Make(int64_t{1} << 40);
  PageCodecPool codecs;
  const auto executor = MakeThreadPool(2);
  const auto encoder =
      MakeParquetEncoder({.schema = &schema,
                          .sink = &sink,
                          .pool = pool.get(),
                          .executor = random.Below(2) == 0 ? executor.get() : nullptr,
                          .codecs = &codecs,
                          .metrics_modes = &modes},
                         options);
  EXPECT_THAT(encoder, IsOk());
  auto stream = RowStreamReader::Open(*MakeRowStream(schema.as_struct(), rows));
  while (true) {
    const auto batch = *stream->Next();
    if (batch == nullptr) break;
    for (int64_t row = 0; row < batch->num_rows();) {
      const auto part = batch->Slice(row, static_cast<int64_t>(1 + random.Below(4000)));
      EXPECT_THAT((*encoder)->Write(part), IsOk());
      const Status flushed = random.Below(10) == 0 ? (*encoder)->Flush() : Status();
      EXPECT_THAT(flushed, IsOk());
      written.batches.push_back(part);
      row += part->num_rows();
    }
  }
  const auto summary = (*encoder)->Finish();
  EXPECT_THAT(summary, IsOk());
  written.summary = *summary;
  EXPECT_EQ(pool->bytes_allocated(), 0);
  return written;
}

void ExpectSameRows(const Written& written) {
  const std::shared_ptr<arrow::io::RandomAccessFile> input =
      arrow::io::BufferReader::FromString(written.bytes);
  parquet::arrow::FileReaderBuilder builder;
  parquet::ReaderProperties properties;
  properties.set_page_checksum_verification(true);
  ASSERT_TRUE(builder.Open(input, properties).ok());
  std::unique_ptr<parquet::arrow::FileReader> reader;
  ASSERT_TRUE(builder.Build(&reader).ok());
  const auto read = reader->ReadTable();
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  const auto expected = arrow::Table::FromRecordBatches(written.batches);
  ASSERT_EQ((*read)->num_rows(), (*expected)->num_rows());
  for (int i = 0; i < (*expected)->num_columns(); ++i) {
    const auto before = arrow::Concatenate((*expected)->column(i)->chunks());
    const auto after = arrow::Concatenate((*read)->column(i)->chunks());
    EXPECT_TRUE(
        arrow::ArrayEquals(**before, **after, arrow::EqualOptions::Defaults().nans_equal(true)))
        << (*before)->type()->ToString() << " is " << (*after)->type()->ToString();
  }
}

void ExpectSameMetrics(const Schema& schema, const std::map<int32_t, MetricsMode>& modes,
                       const Written& written) {
  MetricsCollector collector(schema, modes);
  for (const auto& batch : written.batches) {
    EXPECT_THAT(collector.Add(batch->columns(), batch->num_rows(), arrow::default_memory_pool()),
                IsOk());
  }
  ASSERT_TRUE(written.summary.metrics.has_value());
  const FileMetrics& actual = *written.summary.metrics;
  const auto expected = collector.Finish(actual.column_sizes);
  ASSERT_THAT(expected, IsOk());
  EXPECT_EQ(actual.column_sizes, expected->column_sizes);
  EXPECT_EQ(actual.value_counts, expected->value_counts);
  EXPECT_EQ(actual.null_value_counts, expected->null_value_counts);
  EXPECT_EQ(actual.nan_value_counts, expected->nan_value_counts);
  EXPECT_EQ(actual.lower_bounds, expected->lower_bounds);
  EXPECT_EQ(actual.upper_bounds, expected->upper_bounds);
}

TEST(ParquetEncoderPropertyTest, WhatArrowReadsIsWhatWasWritten) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const auto random = MakeSeededRandom(seed);
    RowMaker maker(*random);
    const Schema schema(0, maker.Fields(0));
    const uint64_t domain = uint64_t{1} << (1 + random->Below(20));
    std::vector<StructValue> rows;
    for (uint64_t i = random->Below(8000); i > 0; --i)
      rows.push_back(maker.Row(schema.fields(), domain));
    TableMetadata metadata;
    const auto modes = MetricsModes(metadata, schema);
    ASSERT_THAT(modes, IsOk());

    const Written written =
        WriteRows(schema, rows, RandomOptions(*random, schema), *modes, *random);

    if (rows.empty()) continue;
    ExpectSameRows(written);
    ExpectSameMetrics(schema, *modes, written);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace firn
