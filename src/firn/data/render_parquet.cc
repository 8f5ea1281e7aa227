#include <limits>
#include <memory>

#include <arrow/record_batch.h>

#include "firn/data/parquet_file_encoder_internal.h"
#include "firn/data/render_internal.h"

namespace firn {
namespace {

class ParquetRenderer final : public RowRenderer {
 public:
  Status Open(const Schema& schema, const ByteSink& sink) {
    FIRN_ASSIGN(
        writer_,
        MakeParquetEncoder(
            {.schema = &schema, .sink = &sink, .pool = pool_.get(), .codecs = &codecs_}, {}));
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
  std::shared_ptr<BudgetPool> pool_ = BudgetPool::Make(std::numeric_limits<int64_t>::max());
  PageCodecPool codecs_;
  std::unique_ptr<DataFileEncoder> writer_;
};

}  // namespace

Result<std::unique_ptr<RowRenderer>> MakeParquetRenderer(TypePtr type, const ByteSink& sink) {
  const Schema schema(0, type->fields());
  auto renderer = std::make_unique<ParquetRenderer>();
  FIRN_RETURN_IF_ERROR(renderer->Open(schema, sink));
  return renderer;
}

}  // namespace firn
