#include <utility>

#include <arrow/record_batch.h>

#include "firn/data/parquet_file_encoder_internal.h"
#include "firn/data/render_internal.h"

namespace firn {
namespace {

class ParquetRenderer final : public RowRenderer {
 public:
  explicit ParquetRenderer(std::unique_ptr<DataFileEncoder> writer) : writer_(std::move(writer)) {}

  Status Add(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    return writer_->Write(batch);
  }
  Status Finish() override {
    FIRN_ASSIGN(const EncodedFile summary, writer_->Finish());
    return {};
  }

 private:
  std::unique_ptr<DataFileEncoder> writer_;
};

}  // namespace

Result<std::unique_ptr<RowRenderer>> MakeParquetRenderer(TypePtr type, const ByteSink& sink) {
  const Schema schema(0, type->fields());
  FIRN_ASSIGN(auto writer,
              MakeParquetEncoder(
                  {.schema = &schema, .sink = &sink, .pool = arrow::default_memory_pool()}, {}));
  return std::make_unique<ParquetRenderer>(std::move(writer));
}

}  // namespace firn
