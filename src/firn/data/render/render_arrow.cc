#include <utility>

#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/render/arrow_file.h"
#include "firn/data/render/render_internal.h"

namespace firn {
namespace {

class ArrowRenderer final : public RowRenderer {
 public:
  ArrowRenderer(std::shared_ptr<arrow::io::OutputStream> output,
                std::shared_ptr<arrow::ipc::RecordBatchWriter> writer)
      : output_(std::move(output)), writer_(std::move(writer)) {}

  Status Add(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    return GuardArrow(ErrorCode::kInternal, [&] { return writer_->WriteRecordBatch(*batch); });
  }
  Status Finish() override {
    return GuardArrow(ErrorCode::kInternal, [&] { return writer_->Close(); });
  }

 private:
  std::shared_ptr<arrow::io::OutputStream> output_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

Result<std::unique_ptr<RowRenderer>> MakeArrowRenderer(const std::shared_ptr<arrow::Schema>& schema,
                                                       const ByteSink& sink) {
  std::shared_ptr<arrow::io::OutputStream> output = MakeArrowOutput(sink);
  FIRN_ASSIGN(auto writer, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::ipc::MakeStreamWriter(output, schema);
              }));
  return std::make_unique<ArrowRenderer>(std::move(output), std::move(writer));
}

}  // namespace firn
