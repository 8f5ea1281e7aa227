#include <algorithm>
#include <functional>
#include <utility>

#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/compression.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/merge/row_spool_internal.h"
#include "firn/data/render/arrow_file.h"

namespace firn {
namespace {

constexpr int64_t kBudgetShare = 4;
constexpr int64_t kReservationStep = int64_t{8} << 20;

int64_t BytesOf(const arrow::RecordBatch& batch) {
  const auto size = arrow::util::ReferencedBufferSize(batch);
  return size.ok() ? *size : arrow::util::TotalBufferSize(batch);
}

class DiskRows final : public BatchStream {
 public:
  explicit DiskRows(std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader)
      : reader_(std::move(reader)), schema_(reader_->schema()) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    return GuardArrowResult(ErrorCode::kInternal, [&] { return reader_->Next(); });
  }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

struct RowSpool::DiskWriter {
  ByteSink sink;
  std::shared_ptr<arrow::io::OutputStream> output;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer;
};

class RowSpool::MemoryRows final : public BatchStream {
 public:
  explicit MemoryRows(const RowSpool& spool) : spool_(spool) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return spool_.schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (next_ == spool_.batches_.size()) return std::shared_ptr<arrow::RecordBatch>();
    return spool_.batches_[next_++];
  }

 private:
  const RowSpool& spool_;
  size_t next_ = 0;
};

class RowSpool::TakenRows final : public BatchStream {
 public:
  TakenRows(std::unique_ptr<RowSpool> spool, std::unique_ptr<BatchStream> rows)
      : spool_(std::move(spool)), rows_(std::move(rows)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return spool_->schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    FIRN_ASSIGN(auto batch, rows_->Next());
    if (spool_->is_on_disk() || batch == nullptr) return batch;
    spool_->batches_[taken_++] = nullptr;
    spool_->bytes_ -= BytesOf(*batch);
    while (!spool_->memory_.empty() && spool_->reserved_ - kReservationStep >= spool_->bytes_) {
      spool_->reserved_ -= spool_->memory_.back().bytes();
      spool_->memory_.pop_back();
    }
    return batch;
  }

 private:
  std::unique_ptr<RowSpool> spool_;
  std::unique_ptr<BatchStream> rows_;
  size_t taken_ = 0;
};

RowSpool::RowSpool(MemoryBudget* budget, std::shared_ptr<arrow::Schema> schema)
    : budget_(budget), schema_(std::move(schema)), pool_(BudgetPool::Make(budget->total_bytes())) {}

RowSpool::~RowSpool() = default;

bool RowSpool::ReserveFor(int64_t bytes) {
  while (reserved_ < bytes) {
    if (bytes > budget_->total_bytes() / kBudgetShare) return false;
    Result<MemoryReservation> memory =
        budget_->TryReserve(std::max(kReservationStep, bytes - reserved_));
    if (!memory.ok()) return false;
    reserved_ += memory->bytes();
    memory_.push_back(*std::move(memory));
  }
  return true;
}

Status RowSpool::Add(std::shared_ptr<arrow::RecordBatch> batch) {
  rows_ += batch->num_rows();
  if (!is_on_disk()) {
    bytes_ += BytesOf(*batch);
    batches_.push_back(std::move(batch));
    return ReserveFor(bytes_) ? Status() : MoveToDisk();
  }
  return GuardArrow(ErrorCode::kInternal,
                    [&] { return writer_->writer->WriteRecordBatch(*batch); });
}

Status RowSpool::MoveToDisk() {
  FIRN_ASSIGN(file_, ScratchFile::Make(), "holding rows that do not fit into memory");
  writer_ = std::make_unique<DiskWriter>();
  writer_->sink = [file = file_](std::span<const std::byte> bytes) { return file->Append(bytes); };
  writer_->output = MakeArrowOutput(writer_->sink);
  FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&]() -> arrow::Status {
    arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
    options.use_threads = false;
    options.memory_pool = pool_.get();
    if (arrow::util::Codec::IsAvailable(arrow::Compression::LZ4_FRAME)) {
      ARROW_ASSIGN_OR_RAISE(options.codec,
                            arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
    }
    ARROW_ASSIGN_OR_RAISE(writer_->writer,
                          arrow::ipc::MakeStreamWriter(writer_->output, schema_, options));
    for (const auto& batch : batches_)
      ARROW_RETURN_NOT_OK(writer_->writer->WriteRecordBatch(*batch));
    return arrow::Status::OK();
  }));
  batches_.clear();
  memory_.clear();
  reserved_ = 0;
  bytes_ = 0;
  return {};
}

Status RowSpool::Finish() {
  if (writer_ == nullptr) return {};
  const auto writer = std::exchange(writer_, nullptr);
  return GuardArrow(ErrorCode::kInternal, [&] { return writer->writer->Close(); });
}

Result<std::unique_ptr<BatchStream>> RowSpool::Read() const {
  if (!is_on_disk()) return std::make_unique<MemoryRows>(*this);
  FIRN_ASSIGN(auto input, MakeArrowInput(file_, pool_.get()));
  FIRN_ASSIGN(auto reader,
              GuardArrowResult(
                  ErrorCode::kInternal,
                  [&]() -> arrow::Result<std::shared_ptr<arrow::ipc::RecordBatchStreamReader>> {
                    arrow::ipc::IpcReadOptions options = arrow::ipc::IpcReadOptions::Defaults();
                    options.use_threads = false;
                    options.memory_pool = pool_.get();
                    return arrow::ipc::RecordBatchStreamReader::Open(std::move(input), options);
                  }));
  return std::make_unique<DiskRows>(std::move(reader));
}

Result<std::unique_ptr<BatchStream>> RowSpool::Take(std::unique_ptr<RowSpool> spool) {
  FIRN_ASSIGN(auto rows, spool->Read());
  return std::make_unique<TakenRows>(std::move(spool), std::move(rows));
}

}  // namespace firn
