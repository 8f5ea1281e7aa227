#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "firn/base/version.h"
#include "firn/data/arrow_bridge.h"
#include "firn/data/arrow_file.h"
#include "firn/data/arrow_types.h"
#include "firn/data/parquet_file_encoder_internal.h"
#include "firn/data/parquet_schema_internal.h"
#include "firn/data/tracked_pool_internal.h"

namespace firn {
namespace {

// Rows written between two looks at the sizes; with several threads more, as each step has them all
// wait for the slowest column.
constexpr int64_t kRowsBetweenChecks = 8192;
constexpr int64_t kRowsBetweenParallelChecks = 32768;
// Larger minima and maxima are left out of the footer.
constexpr size_t kStatisticsBytesMax = 4096;

// Passes everything on to a Parquet writer and keeps hold of the row group being written, whose
// sizes Arrow's writer does not tell.
class WatchedContents final : public parquet::ParquetFileWriter::Contents {
 public:
  WatchedContents(std::unique_ptr<parquet::ParquetFileWriter> writer,
                  std::shared_ptr<parquet::schema::GroupNode> schema,
                  parquet::RowGroupWriter** row_group)
      : Contents(std::move(schema), nullptr), writer_(std::move(writer)), row_group_(row_group) {}

  void Close() override {
    *row_group_ = nullptr;
    writer_->Close();
    file_metadata_ = writer_->metadata();
  }
  parquet::RowGroupWriter* AppendRowGroup() override {
    return *row_group_ = writer_->AppendRowGroup();
  }
  parquet::RowGroupWriter* AppendBufferedRowGroup() override {
    return *row_group_ = writer_->AppendBufferedRowGroup();
  }
  int64_t num_rows() const override { return writer_->num_rows(); }
  int num_columns() const override { return writer_->num_columns(); }
  int num_row_groups() const override { return writer_->num_row_groups(); }
  const std::shared_ptr<parquet::WriterProperties>& properties() const override {
    return writer_->properties();
  }
  void AddKeyValueMetadata(
      const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) override {
    writer_->AddKeyValueMetadata(metadata);
  }

 private:
  std::unique_ptr<parquet::ParquetFileWriter> writer_;
  parquet::RowGroupWriter** row_group_;
};

parquet::Compression::type CodecOf(std::string_view name) {
  if (name == "brotli") return parquet::Compression::BROTLI;
  if (name == "gzip") return parquet::Compression::GZIP;
  if (name == "lz4") return parquet::Compression::LZ4;  // LZ4_RAW in the file.
  if (name == "snappy") return parquet::Compression::SNAPPY;
  if (name == "zstd") return parquet::Compression::ZSTD;
  return parquet::Compression::UNCOMPRESSED;
}

// Arrow rounds sizes up to powers of two: no more distinct values than the largest one below
// `bytes_max` serves at this rate (the formula of split block filters, of 8 bits a value).
int64_t DistinctValuesFor(int64_t bytes_max, double fpp) {
  const auto bytes = std::bit_floor(static_cast<uint64_t>(bytes_max));
  return static_cast<int64_t>(-static_cast<double>(bytes) * std::log(1 - std::pow(fpp, 1.0 / 8)));
}

void SetColumn(const ParquetWriteOptions& options, const ParquetColumnOptions& column,
               const parquet::ColumnDescriptor& leaf, parquet::WriterProperties::Builder& builder) {
  const std::string path = leaf.path()->ToDotString();
  if (column.has_dictionary) {
    *column.has_dictionary ? builder.enable_dictionary(path) : builder.disable_dictionary(path);
  }
  if (column.has_statistics) {
    *column.has_statistics ? builder.enable_statistics(path) : builder.disable_statistics(path);
  }
  if (!column.has_bloom_filter || leaf.physical_type() == parquet::Type::BOOLEAN) return;
  parquet::BloomFilterOptions bloom_filter;
  bloom_filter.fpp = column.bloom_filter_fpp;
  const int64_t ndv_max =
      DistinctValuesFor(options.bloom_filter_bytes_max, column.bloom_filter_fpp);
  bloom_filter.ndv = std::min(column.bloom_filter_ndv.value_or(ndv_max), ndv_max);
  builder.enable_bloom_filter(path, bloom_filter);
}

std::shared_ptr<parquet::WriterProperties> MakeProperties(
    const ParquetWriteOptions& options, const std::shared_ptr<parquet::schema::GroupNode>& schema,
    arrow::MemoryPool* pool) {
  parquet::WriterProperties::Builder builder;
  builder.memory_pool(pool);
  builder.compression(CodecOf(options.codec));
  const bool has_levels =
      options.codec == "zstd" || options.codec == "gzip" || options.codec == "brotli";
  if (options.compression_level && has_levels) {
    builder.compression_level(*options.compression_level);
  }
  builder.data_pagesize(options.page_bytes);
  builder.data_page_version(options.page_version == 2 ? parquet::ParquetDataPageVersion::V2
                                                      : parquet::ParquetDataPageVersion::V1);
  builder.max_rows_per_page(options.page_rows);
  builder.dictionary_pagesize_limit(options.dictionary_bytes);
  builder.max_row_group_length(INT64_MAX / 2);  // Row groups are cut by bytes.
  builder.max_statistics_size(kStatisticsBytesMax);
  builder.enable_write_page_index();
  builder.created_by("firn version " + std::string(Version()));
  parquet::SchemaDescriptor leaves;
  leaves.Init(schema);
  for (int i = 0; i < leaves.num_columns(); ++i) {
    const auto column = options.columns.find(leaves.Column(i)->schema_node()->field_id());
    if (column != options.columns.end()) {
      SetColumn(options, column->second, *leaves.Column(i), builder);
    }
  }
  return builder.build();
}

// Arrow's writer cannot be destroyed after an error: its destructor closes it, which works on
// memory that it no longer has. The empty shell stays for ever, where leak checkers find it.
void Bury(std::unique_ptr<parquet::arrow::FileWriter> writer) {
  static std::mutex mutex;
  static auto* const buried = new std::vector<std::unique_ptr<parquet::arrow::FileWriter>>();
  const std::lock_guard lock(mutex);
  buried->push_back(std::move(writer));
}

class ParquetEncoder final : public DataFileEncoder {
 public:
  ParquetEncoder(const EncodeContext& context, const ParquetWriteOptions& options)
      : fields_(context.schema->fields()), options_(options), pool_(context.pool) {
    sink_ = [this, &sink = *context.sink](std::span<const std::byte> bytes) {
      return is_discarded_ ? Status() : sink(bytes);
    };
  }

  // A file that is not finished is of no use: closing it gives its memory back.
  ~ParquetEncoder() override {
    is_discarded_ = true;
    if (writer_ != nullptr) static_cast<void>(Run([this] { return writer_->Close(); }));
  }

  Status Open(const Schema& schema, EncodePool* encoders) {
    if (encoders != nullptr) step_rows_ = kRowsBetweenParallelChecks;
    FIRN_ASSIGN(schema_, ToArrowSchema(WithoutUnknown(fields_)));
    FIRN_ASSIGN(parquet_schema_, MakeParquetSchema(fields_));
    output_ = MakeArrowOutput(sink_);
    return Run([&]() -> arrow::Status {
      const auto properties = MakeProperties(options_, parquet_schema_, &pool_);
      const auto metadata =
          arrow::key_value_metadata({"iceberg.schema"}, {FormatSchemaJson(schema)});
      auto writer = std::make_unique<parquet::ParquetFileWriter>();
      writer->Open(std::make_unique<WatchedContents>(
          parquet::ParquetFileWriter::Open(output_, parquet_schema_, properties, metadata),
          parquet_schema_, &row_group_));
      parquet::ArrowWriterProperties::Builder arrow_properties;
      arrow_properties.set_use_threads(encoders != nullptr);
      arrow_properties.set_executor(encoders);
      return parquet::arrow::FileWriter::Make(&pool_, std::move(writer), schema_,
                                              arrow_properties.build(), &writer_);
    });
  }

  Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    FIRN_RETURN_IF_ERROR(CheckRequiredColumns(fields_, *batch));
    const std::shared_ptr<arrow::RecordBatch> rows = arrow::RecordBatch::Make(
        schema_, batch->num_rows(), DropUnknownColumns(fields_, batch->column_data()));
    return Run([&]() -> arrow::Status {
      for (int64_t row = 0; row < rows->num_rows(); row += step_rows_) {
        if (row_group_ == nullptr || RowGroupBytes() >= options_.row_group_bytes) {
          ARROW_RETURN_NOT_OK(writer_->NewBufferedRowGroup());
        }
        ARROW_RETURN_NOT_OK(writer_->WriteRecordBatch(*rows->Slice(row, step_rows_)));
      }
      return arrow::Status::OK();
    });
  }

  int64_t estimated_bytes() const override { return written_bytes() + RowGroupBytes(); }
  int64_t buffered_bytes() const override { return RowGroupBytes(); }

  Status Flush() override {
    return Run([this] {
      if (row_group_ != nullptr) row_group_->Close();
      row_group_ = nullptr;  // The next batch begins another.
      return arrow::Status::OK();
    });
  }

  Result<EncodedFile> Finish() override {
    EncodedFile summary;
    FIRN_RETURN_IF_ERROR(Run([&]() -> arrow::Status {
      ARROW_RETURN_NOT_OK(writer_->Close());
      Summarise(*writer_->metadata(), summary);
      return output_->Close();
    }));
    return summary;
  }

 private:
  // All of Arrow's writer runs in here; after an error it is not touched again.
  Status Run(const std::function<arrow::Status()>& body) {
    if (is_broken_) return Error(ErrorCode::kInternal, "the file was given up after an error");
    Status status = GuardArrow(ErrorCode::kInternal, [&]() -> arrow::Status {
      ARROW_RETURN_NOT_OK(body());
      return pool_.overdraft();
    });
    if (status.ok()) return status;
    is_broken_ = true;
    row_group_ = nullptr;
    if (writer_ != nullptr) Bury(std::move(writer_));
    pool_.FreeAll();
    return status;
  }

  int64_t written_bytes() const {
    const auto position = output_->Tell();
    return position.ok() ? *position : 0;
  }

  int64_t RowGroupBytes() const {
    if (row_group_ == nullptr) return 0;
    const parquet::RowGroupWriter::BufferedStats buffered = row_group_->estimated_buffered_stats();
    return row_group_->total_compressed_bytes() + row_group_->total_compressed_bytes_written() +
           buffered.def_level_bytes + buffered.rep_level_bytes + buffered.value_bytes +
           buffered.dict_bytes;
  }

  static void Summarise(const parquet::FileMetaData& metadata, EncodedFile& summary) {
    summary.row_count = metadata.num_rows();
    const int columns = metadata.num_columns();
    std::vector<int64_t> sizes(static_cast<size_t>(columns), 0);
    for (int i = 0; i < metadata.num_row_groups(); ++i) {
      const auto row_group = metadata.RowGroup(i);
      for (int j = 0; j < columns; ++j) {
        const auto chunk = row_group->ColumnChunk(j);
        sizes[static_cast<size_t>(j)] += chunk->total_compressed_size();
        if (j > 0) continue;
        summary.split_offsets.push_back(
            chunk->has_dictionary_page()
                ? std::min(chunk->dictionary_page_offset(), chunk->data_page_offset())
                : chunk->data_page_offset());
      }
    }
    for (int j = 0; j < columns; ++j) {
      const int id = metadata.schema()->Column(j)->schema_node()->field_id();
      summary.column_sizes.emplace_back(id, sizes[static_cast<size_t>(j)]);
    }
    std::sort(summary.column_sizes.begin(), summary.column_sizes.end());
  }

  const std::vector<NestedField> fields_;
  const ParquetWriteOptions options_;
  TrackedPool pool_;
  ByteSink sink_;
  bool is_discarded_ = false;
  bool is_broken_ = false;
  int64_t step_rows_ = kRowsBetweenChecks;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<parquet::schema::GroupNode> parquet_schema_;
  std::shared_ptr<arrow::io::OutputStream> output_;
  parquet::RowGroupWriter* row_group_ = nullptr;  // Owned below `writer_`.
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

}  // namespace

int64_t ParquetWriteOptions::BloomFilterBytes() const {
  int64_t bytes = 0;
  for (const auto& [id, column] : columns)
    bytes += column.has_bloom_filter ? bloom_filter_bytes_max : 0;
  return bytes;
}

Result<std::unique_ptr<DataFileEncoder>> MakeParquetEncoder(const EncodeContext& context,
                                                            const ParquetWriteOptions& options) {
  auto encoder = std::make_unique<ParquetEncoder>(context, options);
  FIRN_RETURN_IF_ERROR(encoder->Open(*context.schema, context.encoders));
  return encoder;
}

}  // namespace firn
