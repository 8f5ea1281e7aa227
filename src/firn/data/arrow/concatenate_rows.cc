#include <utility>

#include <arrow/record_batch.h>

#include "firn/data/arrow/batch_stream.h"

namespace firn {
namespace {

class ConcatenatedRows final : public BatchStream {
 public:
  ConcatenatedRows(std::vector<RowStream> streams, RowStreamReader first)
      : streams_(std::move(streams)), schema_(first.schema()), reader_(std::move(first)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      FIRN_ASSIGN(auto batch, reader_.Next());
      if (batch != nullptr) return batch;
      if (next_ == streams_.size()) return std::shared_ptr<arrow::RecordBatch>();
      // The one before is released first, with what it holds of the memory.
      RowStream stream = std::move(streams_[next_++]);
      FIRN_ASSIGN(reader_, RowStreamReader::Open(std::move(stream)));
    }
  }

 private:
  std::vector<RowStream> streams_;
  size_t next_ = 1;
  std::shared_ptr<arrow::Schema> schema_;
  RowStreamReader reader_;
};

}  // namespace

Result<RowStream> ConcatenateRows(std::vector<RowStream> streams) {
  if (streams.size() == 1) return std::move(streams[0]);
  FIRN_ASSIGN(RowStreamReader first, RowStreamReader::Open(std::move(streams[0])));
  return ExportBatches(std::make_unique<ConcatenatedRows>(std::move(streams), std::move(first)));
}

}  // namespace firn
