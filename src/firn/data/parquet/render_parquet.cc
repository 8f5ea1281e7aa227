#include <algorithm>
#include <memory>

#include <arrow/record_batch.h>

#include "firn/data/parquet/parquet_file_encoder_internal.h"
#include "firn/data/render/render_internal.h"

namespace firn {
namespace {

constexpr int64_t kRowGroupShare = 8;

class ParquetRenderer final : public RowRenderer {
 public:
  explicit ParquetRenderer(int64_t memory_bytes) : pool_(BudgetPool::Make(memory_bytes)) {}

  Status Open(const Schema& schema, int64_t memory_bytes, const ByteSink& sink) {
    ParquetWriteOptions options;
    options.row_group_bytes = std::min(options.row_group_bytes, memory_bytes / kRowGroupShare);
    FIRN_ASSIGN(
        writer_,
        MakeParquetEncoder(
            {.schema = &schema, .sink = &sink, .pool = pool_.get(), .codecs = &codecs_}, options));
    return {};
  }

  Status Add(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    return writer_->Write(batch);
  }
  Status Finish() override {
    FIRN_ASSIGN(const EncodedFile summary, writer_->Finish());
    return {};
  }

 private:
  std::shared_ptr<BudgetPool> pool_;
  PageCodecPool codecs_;
  std::unique_ptr<DataFileEncoder> writer_;
};

}  // namespace

Result<std::unique_ptr<RowRenderer>> MakeParquetRenderer(TypePtr type, int64_t memory_bytes,
                                                         const ByteSink& sink) {
  const Schema schema(0, type->fields());
  auto renderer = std::make_unique<ParquetRenderer>(memory_bytes);
  FIRN_RETURN_IF_ERROR(renderer->Open(schema, memory_bytes, sink));
  return renderer;
}

}  // namespace firn
