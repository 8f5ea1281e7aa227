#include "firn/data/write/writer.h"

#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/sort/row_sorter.h"
#include "firn/data/sort/sorted_runs_internal.h"
#include "firn/data/write/data_file_writer_internal.h"
#include "firn/data/write/partition_splitter_internal.h"

namespace firn {
namespace {

// Budget is taken in steps of this size.
constexpr int64_t kReservationStep = int64_t{8} << 20;
// A row group is not ended for want of memory before it has this size.
constexpr int64_t kRowGroupBytesMin = int64_t{1} << 20;

// The rows to write, of which the last batch can be put back.
class PeekedBatches final : public BatchStream {
 public:
  explicit PeekedBatches(std::unique_ptr<BatchStream> batches) : batches_(std::move(batches)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return batches_->schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (put_back_ != nullptr) return std::exchange(put_back_, nullptr);
    return batches_->Next();
  }
  void PutBack(std::shared_ptr<arrow::RecordBatch> batch) { put_back_ = std::move(batch); }

 private:
  std::unique_ptr<BatchStream> batches_;
  std::shared_ptr<arrow::RecordBatch> put_back_;
};

class DataFilesWriter {
 public:
  DataFilesWriter(const WriteContext& context, const DataWriteOptions& options)
      : context_(context), options_(options) {
    shared_.context = &context;
    shared_.options = &options;
    shared_.pool = BudgetPool::Make(context.budget->total_bytes());
  }

  Result<std::vector<DataFile>> Run(RowStream rows) {
    const Status status = WriteAll(std::move(rows));
    if (status.ok()) return std::move(shared_.files);
    writers_.clear();  // Discards the files that are not finished.
    for (const DataFile& file : shared_.files) {
      const Status deleted = context_.io->Delete(file.file_path);
      if (!deleted.ok() && deleted.error().code() != ErrorCode::kNotFound) {
        return MakeError(status.error().code(), "{}; then deleting '{}' failed too: {}",
                         status.error().message(), file.file_path, deleted.error().message());
      }
    }
    return status.error();
  }

 private:
  Status WriteAll(RowStream rows) {
    FIRN_RETURN_IF_ERROR(Prepare());
    FIRN_ASSIGN(auto imported, ImportBatches(std::move(rows)));
    FIRN_RETURN_IF_ERROR(CheckSchema(*imported->schema()));
    auto batches = std::make_unique<PeekedBatches>(std::move(imported));
    if (!options_.sort_order.fields.empty()) return WriteSorted(std::move(batches));
    while (true) {
      FIRN_ASSIGN(const auto batch, batches->Next());
      if (batch == nullptr) break;
      FIRN_ASSIGN(const auto groups, Split(batch));
      if (splitter_ && splitter_->partitions().size() > open_files_max_) {
        batches->PutBack(batch);
        return WriteSorted(std::move(batches));
      }
      FIRN_RETURN_IF_ERROR(WriteGroups(batch, groups));
      FIRN_RETURN_IF_ERROR(BoundMemory());
    }
    return CloseAll();
  }

  // Rows come sorted by partition, then by the sort order, so that one file is open at a time.
  Status WriteSorted(std::unique_ptr<PeekedBatches> batches) {
    FIRN_RETURN_IF_ERROR(CloseAll());
    std::vector<SortField> order;
    if (splitter_) order = PartitionOrder(*options_.spec);
    const std::vector<SortField>& fields = options_.sort_order.fields;
    order.insert(order.end(), fields.begin(), fields.end());
    FIRN_ASSIGN(auto encoder, MakeSortKeyEncoder(order, *options_.schema));
    const auto sorted = SortRows({.budget = context_.budget,
                                  .cancel = context_.cancel,
                                  .executor = context_.executor,
                                  .spill_folder = context_.spill_folder},
                                 std::move(encoder), std::move(batches));
    while (true) {
      FIRN_ASSIGN(const auto batch, sorted->Next());
      if (batch == nullptr) break;
      FIRN_ASSIGN(const auto groups, Split(batch));
      for (const PartitionRows& group : groups) {
        const bool is_same = group.partition == last_partition_ || writers_.empty();
        if (!is_same) FIRN_RETURN_IF_ERROR(writers_[last_partition_]->Close());
        FIRN_RETURN_IF_ERROR(WriteGroups(batch, {group}));
      }
      FIRN_RETURN_IF_ERROR(BoundMemory());
    }
    return CloseAll();
  }

  Status CloseAll() {
    for (const std::unique_ptr<PartitionWriter>& writer : writers_) {
      FIRN_RETURN_IF_ERROR(writer->Close());
    }
    return {};
  }

  Status Prepare() {
    const TableMetadata& metadata = *context_.metadata;
    const int64_t memory_bytes = context_.budget->total_bytes();
    FIRN_ASSIGN(shared_.encode,
                EncodeOptionsFrom(WriteProperties(metadata, options_.content), *options_.schema,
                                  memory_bytes, options_.target_file_bytes));
    open_files_max_ = OpenFilesMax(shared_.encode, memory_bytes);
    if (shared_.encode.format == FileFormat::kOrc) {
      stripe_ = ReserveStripe(shared_.encode.orc.stripe_bytes);
    }
    FIRN_ASSIGN(shared_.metrics_modes, MetricsModes(metadata, *options_.schema));
    if (options_.has_full_metrics) {
      for (const NestedField& field : options_.schema->fields())
        shared_.metrics_modes[field.id] = {.kind = MetricsMode::Kind::kFull};
    }
    shared_.partition_type = PartitionType(*options_.spec, metadata.SchemasNewestFirst());
    shared_.name_stem = fmt::format("00000-0-{}", FormatUuid(MakeUuid(*context_.random)));
    if (options_.partition || options_.spec->fields.empty()) {
      writers_.push_back(
          std::make_unique<PartitionWriter>(shared_, options_.partition.value_or(StructValue())));
      return {};
    }
    FIRN_ASSIGN(PartitionSplitter splitter,
                PartitionSplitter::Make(*options_.spec, *options_.schema));
    splitter_ = std::move(splitter);
    return {};
  }

  // What ORC's writer takes is not counted by the pool. It is small, so taken in any case.
  MemoryReservation ReserveStripe(int64_t bytes) const {
    Result<MemoryReservation> memory = context_.budget->TryReserve(bytes);
    return memory.ok() ? std::move(*memory) : MemoryReservation();
  }

  Status CheckSchema(const arrow::Schema& actual) const {
    FIRN_ASSIGN(const auto expected, ToArrowSchema(options_.schema->fields()));
    if (actual.num_fields() != expected->num_fields()) {
      return MakeError(ErrorCode::kInvalidInput, "rows have {} columns, the schema has {}",
                       actual.num_fields(), expected->num_fields());
    }
    for (int i = 0; i < actual.num_fields(); ++i) {
      const arrow::DataType& type = *actual.field(i)->type();
      if (HasSameShape(type, *expected->field(i)->type())) continue;
      return MakeError(ErrorCode::kInvalidInput, "column '{}' of the rows has type {}, expected {}",
                       expected->field(i)->name(), type.ToString(),
                       expected->field(i)->type()->ToString());
    }
    return {};
  }

  // Equal types but for the names and nullability of children.
  static bool HasSameShape(const arrow::DataType& a, const arrow::DataType& b) {
    if (a.id() != b.id() || a.num_fields() != b.num_fields()) return false;
    if (a.num_fields() == 0) return a.Equals(b);
    for (int i = 0; i < a.num_fields(); ++i) {
      if (!HasSameShape(*a.field(i)->type(), *b.field(i)->type())) return false;
    }
    return true;
  }

  Result<std::vector<PartitionRows>> Split(const std::shared_ptr<arrow::RecordBatch>& batch) {
    if (splitter_) {
      return splitter_->Split(batch->columns(), batch->num_rows(), shared_.pool.get());
    }
    return std::vector<PartitionRows>{{.partition = 0}};  // All rows.
  }

  Status WriteGroups(const std::shared_ptr<arrow::RecordBatch>& batch,
                     const std::vector<PartitionRows>& groups) {
    for (const PartitionRows& group : groups) {
      FIRN_RETURN_IF_ERROR(context_.cancel.Check());
      while (writers_.size() <= group.partition) {
        writers_.push_back(
            std::make_unique<PartitionWriter>(shared_, splitter_->partitions()[writers_.size()]));
      }
      const bool is_all = !splitter_ || std::ssize(group.rows) == batch->num_rows();
      std::shared_ptr<arrow::RecordBatch> rows = batch;
      if (!is_all) {
        FIRN_ASSIGN(rows, TakeRows(batch, group.rows, shared_.pool.get()));
      }
      FIRN_RETURN_IF_ERROR(writers_[group.partition]->Write(rows));
      last_partition_ = group.partition;
    }
    return {};
  }

  // Keep what the open files hold in memory within bounds.
  Status BoundMemory() {
    while (true) {
      FIRN_RETURN_IF_ERROR(context_.cancel.Check());
      const OpenFiles open = CountOpenFiles();
      if (open.count == 0 || open.bytes <= memory_.bytes()) return {};
      memory_.ShrinkTo(0);
      Result<MemoryReservation> memory = context_.budget->TryReserve(open.bytes + kReservationStep);
      if (memory.ok()) {
        memory_ = std::move(*memory);
        return {};
      }
      // No room: smaller row groups cost little, waiting for others might never end.
      if (open.largest->buffered_bytes() < kRowGroupBytesMin) return {};
      FIRN_RETURN_IF_ERROR(open.largest->Flush());
    }
  }

  struct OpenFiles {
    size_t count = 0;
    int64_t bytes = 0;  // All that their writers have allocated.
    PartitionWriter* largest = nullptr;
  };
  OpenFiles CountOpenFiles() const {
    OpenFiles open{.bytes = shared_.pool->bytes_allocated()};
    for (const std::unique_ptr<PartitionWriter>& writer : writers_) {
      if (!writer->is_open()) continue;
      ++open.count;
      if (open.largest == nullptr || writer->buffered_bytes() > open.largest->buffered_bytes()) {
        open.largest = writer.get();
      }
    }
    return open;
  }

  const WriteContext& context_;
  const DataWriteOptions& options_;
  SharedWrite shared_;
  std::optional<PartitionSplitter> splitter_;
  std::vector<std::unique_ptr<PartitionWriter>> writers_;  // One for each partition.
  size_t last_partition_ = 0;                              // Of the rows written last.
  MemoryReservation memory_;
  size_t open_files_max_ = 1;
  MemoryReservation stripe_;  // Of the one ORC file that is open.
};

}  // namespace

Result<int64_t> TargetFileBytes(const TableMetadata& metadata) {
  constexpr int64_t kDefault = int64_t{512} << 20;
  return metadata.IntProperty("write.target-file-size-bytes", kDefault);
}

Result<int64_t> DeleteTargetFileBytes(const TableMetadata& metadata) {
  constexpr int64_t kDefault = int64_t{64} << 20;
  return metadata.IntProperty("write.delete.target-file-size-bytes", kDefault);
}

Result<DataWriteOptions> TableWriteOptions(const TableMetadata& metadata) {
  DataWriteOptions options;
  options.schema = metadata.current_schema();
  options.spec = metadata.default_spec();
  FIRN_ASSIGN(options.target_file_bytes, TargetFileBytes(metadata));
  constexpr std::string_view kModeKey = "write.distribution-mode";
  const std::string mode = metadata.Property(kModeKey, "hash");
  if (!EqualsIgnoreCase(mode, "none") && !EqualsIgnoreCase(mode, "hash") &&
      !EqualsIgnoreCase(mode, "range")) {
    return MakeError(ErrorCode::kInvalidInput,
                     "table property '{}' is '{}', expected none, hash or range", kModeKey, mode);
  }
  const SortOrder* order = metadata.FindSortOrder(metadata.default_sort_order_id);
  if (order != nullptr && CanSortBy(order->fields, *options.schema)) options.sort_order = *order;
  return options;
}

Result<std::vector<DataFile>> WriteDataFiles(const WriteContext& context,
                                             const DataWriteOptions& options, RowStream rows) {
  return DataFilesWriter(context, options).Run(std::move(rows));
}

}  // namespace firn
