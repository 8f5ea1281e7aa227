#include "firn/data/arrow/batch_stream.h"

#include <string>
#include <utility>

#include <arrow/c/abi.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "firn/base/row_stream_error.h"
#include "firn/data/arrow/arrow_bridge.h"

namespace firn {
namespace {

struct ExportedStream {
  std::unique_ptr<BatchStream> batches;
  std::string last_error;
  bool has_ended = false;
};

ExportedStream& Private(ArrowArrayStream* stream) {
  return *static_cast<ExportedStream*>(stream->private_data);
}

int Fail(ExportedStream& exported, const Error& error) {
  exported.last_error = error.Format();
  exported.has_ended = true;
  return ErrnoOf(error.code());
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  ExportedStream& exported = Private(stream);
  const Status status = GuardArrow(
      ErrorCode::kInternal, [&] { return arrow::ExportSchema(*exported.batches->schema(), out); });
  return status.ok() ? 0 : Fail(exported, status.error());
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  ExportedStream& exported = Private(stream);
  out->release = nullptr;  // What the interface says of the end.
  if (exported.has_ended) return 0;
  const auto batch = exported.batches->Next();
  if (!batch.ok()) return Fail(exported, batch.error());
  if (*batch == nullptr) {
    exported.has_ended = true;
    return 0;
  }
  const Status status =
      GuardArrow(ErrorCode::kInternal, [&] { return arrow::ExportRecordBatch(**batch, out); });
  return status.ok() ? 0 : Fail(exported, status.error());
}

const char* GetLastError(ArrowArrayStream* stream) {
  const ExportedStream& exported = Private(stream);
  return exported.last_error.empty() ? nullptr : exported.last_error.c_str();
}

void Release(ArrowArrayStream* stream) {
  delete &Private(stream);
  stream->private_data = nullptr;
  stream->release = nullptr;
}

class ImportedBatches final : public BatchStream {
 public:
  explicit ImportedBatches(RowStreamReader reader) : reader_(std::move(reader)) {}
  const std::shared_ptr<arrow::Schema>& schema() const override { return reader_.schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override { return reader_.Next(); }

 private:
  RowStreamReader reader_;
};

}  // namespace

RowStream ExportBatches(std::unique_ptr<BatchStream> stream) {
  RowStream exported(new ArrowArrayStream{.get_schema = GetSchema,
                                          .get_next = GetNext,
                                          .get_last_error = GetLastError,
                                          .release = Release,
                                          .private_data = nullptr});
  exported->private_data = new ExportedStream{.batches = std::move(stream)};
  return exported;
}

Result<std::unique_ptr<BatchStream>> ImportBatches(RowStream stream) {
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(stream)));
  return std::make_unique<ImportedBatches>(std::move(reader));
}

Result<RowStreamReader> RowStreamReader::Open(RowStream stream) {
  ArrowSchema schema{};
  if (stream->get_schema(stream.get(), &schema) != 0) return StreamError(*stream);
  FIRN_ASSIGN(auto imported,
              GuardArrowResult(ErrorCode::kInternal, [&] { return arrow::ImportSchema(&schema); }));
  return RowStreamReader(std::move(stream), std::move(imported));
}

Result<std::shared_ptr<arrow::RecordBatch>> RowStreamReader::Next() {
  ArrowArray array{};
  if (stream_->get_next(stream_.get(), &array) != 0) return StreamError(*stream_);
  if (array.release == nullptr) return std::shared_ptr<arrow::RecordBatch>();
  return GuardArrowResult(ErrorCode::kInternal,
                          [&] { return arrow::ImportRecordBatch(&array, schema_); });
}

}  // namespace firn
