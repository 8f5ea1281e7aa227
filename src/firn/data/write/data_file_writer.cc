#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>
#include <fmt/format.h>

#include "firn/data/write/data_file_writer_internal.h"
#include "firn/format/metadata/data_location.h"

namespace firn {
namespace {

// Rows written between two looks at the size of the file, and the share of it that they may have
// before they are encoded: a file of large rows must not grow far beyond its size.
constexpr int64_t kRowsBetweenChecks = 32768;
constexpr int64_t kTargetShare = 8;
constexpr int64_t kBytesBetweenChecksMin = 65536;

int64_t RowsBetweenChecks(const arrow::RecordBatch& batch, int64_t target_bytes) {
  if (target_bytes <= 0 || batch.num_rows() == 0) return kRowsBetweenChecks;
  const auto bytes = arrow::util::ReferencedBufferSize(batch);
  if (!bytes.ok() || *bytes <= 0) return kRowsBetweenChecks;
  const int64_t row_bytes = std::max<int64_t>(*bytes / batch.num_rows(), 1);
  const int64_t step_bytes = std::max(target_bytes / kTargetShare, kBytesBetweenChecksMin);
  return std::clamp<int64_t>(step_bytes / row_bytes, 1, kRowsBetweenChecks);
}

}  // namespace

struct PartitionWriter::OpenFile {
  std::unique_ptr<OutputFile> output;
  ByteSink sink;
  std::unique_ptr<DataFileEncoder> encoder;
  std::unique_ptr<MetricsCollector> metrics;  // Null: the encoder makes them.
  int64_t rows = 0;
};

PartitionWriter::PartitionWriter(SharedWrite& shared, StructValue partition)
    : shared_(shared), partition_(std::move(partition)) {
  const DataWriteOptions& options = *shared.options;
  if (options.rows_expected > 0 && options.target_file_bytes > 0) {
    even_.emplace(EvenFiles::Plan{.rows = options.rows_expected,
                                  .target_bytes = options.target_file_bytes,
                                  .cells = options.cells});
  }
}

PartitionWriter::~PartitionWriter() = default;

int64_t PartitionWriter::buffered_bytes() const {
  return open_ == nullptr ? 0 : open_->encoder->buffered_bytes();
}

Status PartitionWriter::Open() {
  const WriteContext& context = *shared_.context;
  const DataWriteOptions& options = *shared_.options;
  const bool is_delete = options.content != FileContent::kData;
  const std::string name =
      fmt::format("{}-{:05}{}{}", shared_.name_stem, ++shared_.file_count,
                  is_delete ? "-deletes" : "", FileSuffix(shared_.encode.format));
  const std::string uri =
      DataFileLocation(*context.metadata, *options.spec, *shared_.partition_type, partition_, name);
  auto file = std::make_unique<OpenFile>();
  FIRN_ASSIGN(file->output, context.io->Create(uri, {.exclusive = true}));
  file->sink = [output = file->output.get()](std::span<const std::byte> bytes) {
    return output->Append(bytes);
  };
  FIRN_ASSIGN(file->encoder, MakeEncoder({.schema = options.schema.get(),
                                          .uri = uri,
                                          .sink = &file->sink,
                                          .pool = shared_.pool.get(),
                                          .executor = context.executor,
                                          .codecs = &shared_.codecs,
                                          .metrics_modes = &shared_.metrics_modes},
                                         shared_.encode));
  if (shared_.encode.format != FileFormat::kParquet) {
    file->metrics = std::make_unique<MetricsCollector>(*options.schema, shared_.metrics_modes);
  }
  open_ = std::move(file);
  return {};
}

Status PartitionWriter::Write(const std::shared_ptr<arrow::RecordBatch>& batch) {
  const int64_t step = RowsBetweenChecks(*batch, shared_.options->target_file_bytes);
  for (int64_t row = 0; row < batch->num_rows();) {
    FIRN_RETURN_IF_ERROR(shared_.context->cancel.Check());
    if (open_ == nullptr) FIRN_RETURN_IF_ERROR(Open());
    int64_t rows = std::min(step, batch->num_rows() - row);
    if (even_) rows = even_->RowsAtOnce(rows, open_->rows);
    FIRN_RETURN_IF_ERROR(Add(batch->Slice(row, rows)));
    row += rows;
    if (IsFull()) FIRN_RETURN_IF_ERROR(Close());
  }
  return {};
}

Status PartitionWriter::Add(const std::shared_ptr<arrow::RecordBatch>& rows) {
  FIRN_RETURN_IF_ERROR(open_->encoder->Write(rows), "writing '{}'", open_->output->uri());
  open_->rows += rows->num_rows();
  if (open_->metrics == nullptr) return {};
  return open_->metrics->Add(rows->columns(), rows->num_rows(), shared_.pool.get());
}

bool PartitionWriter::IsFull() {
  const int64_t target = shared_.options->target_file_bytes;
  if (target <= 0) return false;
  const int64_t bytes = open_->encoder->estimated_bytes();
  return even_ ? even_->IsFull(open_->rows, bytes) : bytes >= target;
}

Status PartitionWriter::Flush() {
  if (open_ == nullptr) return {};
  FIRN_RETURN_IF_ERROR(open_->encoder->Flush(), "writing '{}'", open_->output->uri());
  return {};
}

Status PartitionWriter::Close() {
  if (open_ == nullptr) return {};
  const std::unique_ptr<OpenFile> file = std::move(open_);
  FIRN_ASSIGN(EncodedFile summary, file->encoder->Finish(), "writing '{}'", file->output->uri());
  DataFile data_file{.content = shared_.options->content,
                     .file_path = file->output->uri(),
                     .file_format = shared_.encode.format,
                     .partition_spec_id = shared_.options->spec->spec_id,
                     .partition = partition_,
                     .record_count = summary.row_count,
                     .file_size_in_bytes = file->output->bytes_written(),
                     .split_offsets = std::move(summary.split_offsets)};
  if (even_) even_->EndFile(file->rows, data_file.file_size_in_bytes);
  const SortOrder& order = shared_.options->sort_order;
  if (!order.fields.empty()) data_file.sort_order_id = order.order_id;
  if (file->metrics != nullptr) {
    FIRN_ASSIGN(summary.metrics, file->metrics->Finish(summary.column_sizes), "metrics of '{}'",
                data_file.file_path);
  }
  if (summary.metrics) data_file.metrics = std::move(*summary.metrics);
  FIRN_RETURN_IF_ERROR(file->output->Publish());
  shared_.files.push_back(std::move(data_file));
  return {};
}

}  // namespace firn
