#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/columns/column_convert_internal.h"
#include "firn/data/columns/identity_values_internal.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/read/committed_file_internal.h"
#include "firn/data/read/task_reader_internal.h"

namespace firn {
namespace {

// The filter that decides rows of the task: what its partition leaves open of the read's filter.
ExpressionPtr FilterOf(const ReadLayout& layout, const FileScanTask& task) {
  if (layout.filter == nullptr) return nullptr;
  const bool has_residual =
      task.residual != nullptr && task.residual->kind() != ExpressionKind::kTrue;
  return has_residual ? task.residual : layout.filter;
}

Result<std::shared_ptr<arrow::RecordBatch>> KeepRows(
    const std::shared_ptr<arrow::RecordBatch>& batch, const RowMask& keep, int64_t kept,
    arrow::MemoryPool* pool) {
  if (kept == batch->num_rows()) return batch;
  FIRN_RETURN_IF_ERROR(InitializeArrowCompute());
  return GuardArrowResult(
      ErrorCode::kInternal, [&]() -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
        ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> bits,
                              arrow::AllocateEmptyBitmap(batch->num_rows(), pool));
        for (size_t i = 0; i < keep.size(); ++i) {
          if (keep[i] != 0) arrow::bit_util::SetBit(bits->mutable_data(), static_cast<int64_t>(i));
        }
        const arrow::BooleanArray mask(batch->num_rows(), bits);
        arrow::compute::ExecContext context(pool);
        context.set_use_threads(false);
        ARROW_ASSIGN_OR_RAISE(
            const arrow::Datum filtered,
            arrow::compute::Filter(batch, mask, arrow::compute::FilterOptions::Defaults(),
                                   &context));
        return filtered.record_batch();
      });
}

}  // namespace

class TaskPartReader final : public PartReader {
 public:
  TaskPartReader(std::shared_ptr<const TaskReader> task, std::unique_ptr<BatchSource> source)
      : task_(std::move(task)), source_(std::move(source)) {}

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      FIRN_RETURN_IF_ERROR(task_->shared_.context->cancel.Check());
      FIRN_ASSIGN(auto batch, source_->Next(), "data file '{}'", path());
      if (!batch) {
        FIRN_RETURN_IF_ERROR(CheckEnd(), "data file '{}'", path());
        return std::shared_ptr<arrow::RecordBatch>();
      }
      rows_read_ += batch->rows->length;
      FIRN_ASSIGN(auto rows, Transform(*batch), "data file '{}'", path());
      if (rows->num_rows() > 0) return rows;
    }
  }

 private:
  const std::string& path() const { return task_->task_.file.file_path; }

  // A file of which nothing tells how many rows it has is one part, and is read to its end.
  Status CheckEnd() const {
    if (task_->file_->row_count() || task_->parts().size() != 1) return {};
    return task_->CheckRowCount(rows_read_);
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Transform(const FileBatch& batch) const {
    const SharedRead& shared = task_->shared_;
    const int64_t rows = batch.rows->length;
    if (rows == 0) return arrow::RecordBatch::MakeEmpty(shared.layout.schema).ValueOrDie();
    FIRN_ASSIGN(const auto columns, task_->Materialize(*batch.rows, nullptr));
    RowMask keep(static_cast<size_t>(rows), 1);
    RowMask is_deleted;
    if (!batch.is_chosen) {
      FIRN_RETURN_IF_ERROR(task_->DropDeleted(batch.first_position, columns, keep));
      if (shared.layout.has_deleted_column) {
        is_deleted.resize(keep.size());
        for (size_t i = 0; i < keep.size(); ++i)
          is_deleted[i] = 1 - keep[i];
        std::fill(keep.begin(), keep.end(), 1);
      }
      if (task_->filter_) {
        FIRN_ASSIGN(const RowMask matches, task_->filter_->Match(columns, rows, shared.pool.get()));
        for (size_t i = 0; i < keep.size(); ++i)
          keep[i] &= matches[i];
      }
    }
    const int64_t kept = std::count(keep.begin(), keep.end(), 1);
    if (kept == 0) return arrow::RecordBatch::MakeEmpty(shared.layout.schema).ValueOrDie();
    FIRN_ASSIGN(auto outputs, MakeOutputColumns(shared, task_->task_, columns, batch, is_deleted));
    return KeepRows(arrow::RecordBatch::Make(shared.layout.schema, rows, std::move(outputs)), keep,
                    kept, shared.pool.get());
  }

  std::shared_ptr<const TaskReader> task_;
  std::unique_ptr<BatchSource> source_;
  int64_t rows_read_ = 0;
};

// Applies deletes and the filter before the columns that neither looks at are decoded.
class TaskRowChooser final : public RowChooser {
 public:
  explicit TaskRowChooser(const TaskReader& task) : task_(task) {
    if (task_.filter_) places_ = task_.filter_->places();
    for (const EqualityDeleteIndexPtr& index : task_.equality_) {
      for (const NestedField& path : index->paths())
        places_.insert(static_cast<size_t>(FindFieldPlaces(task_.fields_, path.id)[0]));
    }
    const ReadPlan& plan = task_.file_->plan();
    for (const size_t place : places_) {
      const FileField* field = plan.columns[place].file_field;
      if (field == nullptr) continue;
      leaves_.insert(plan.leaves.lower_bound(field->first_leaf),
                     plan.leaves.lower_bound(field->leaf_end));
    }
  }

  const std::set<int>& leaves() const override { return leaves_; }

  Result<RowMask> Choose(const FileBatch& batch) const override {
    FIRN_ASSIGN(auto columns, task_.Materialize(*batch.rows, &places_));
    FIRN_RETURN_IF_ERROR(DecodeKeys(columns));
    RowMask keep(static_cast<size_t>(batch.rows->length), 1);
    FIRN_RETURN_IF_ERROR(task_.DropDeleted(batch.first_position, columns, keep));
    if (!task_.filter_) return keep;
    FIRN_ASSIGN(const RowMask matches,
                task_.filter_->Match(columns, batch.rows->length, task_.shared_.pool.get()));
    for (size_t i = 0; i < keep.size(); ++i)
      keep[i] &= matches[i];
    return keep;
  }

 private:
  // Keys of equality deletes are looked up as plain values.
  Status DecodeKeys(std::vector<std::shared_ptr<arrow::Array>>& columns) const {
    if (task_.equality_.empty()) return {};
    for (const size_t place : places_) {
      if (columns[place]->type_id() != arrow::Type::DICTIONARY) continue;
      FIRN_ASSIGN(auto plain, ConvertColumn(*columns[place]->data(), *task_.fields_[place].type,
                                            task_.shared_.pool.get()));
      columns[place] = arrow::MakeArray(std::move(plain));
    }
    return {};
  }

  const TaskReader& task_;
  std::set<size_t> places_;  // Of the columns that decide.
  std::set<int> leaves_;
};

// A foreign file is not damaged because its values do not fit the table.
Result<std::vector<std::shared_ptr<arrow::Array>>> TaskReader::Materialize(
    const arrow::ArrayData& rows, const std::set<size_t>* places) const {
  auto columns = MaterializeColumns(file_->plan(), rows, shared_.pool.get(), places);
  const bool is_misfit = !columns.ok() && columns.error().code() == ErrorCode::kCorrupt &&
                         shared_.layout.matches_names;
  if (is_misfit) return Error(ErrorCode::kInvalidInput, columns.error().message());
  return columns;
}

Status TaskReader::DropDeleted(int64_t first_position,
                               const std::vector<std::shared_ptr<arrow::Array>>& columns,
                               RowMask& keep) const {
  for (const PositionSet* positions : {positions_.get(), dropped_}) {
    if (positions == nullptr) continue;
    const int64_t end = first_position + static_cast<int64_t>(keep.size());
    for (const int64_t position : positions->InRange(first_position, end)) {
      keep[static_cast<size_t>(position - first_position)] = 0;
    }
  }
  for (const EqualityDeleteIndexPtr& index : equality_) {
    FIRN_RETURN_IF_ERROR(index->Apply(fields_, columns, task_.sequence_number, keep));
  }
  return {};
}

Result<std::shared_ptr<TaskReader>> TaskReader::Open(const SharedRead& shared,
                                                     const FileScanTask& task) {
  std::shared_ptr<TaskReader> reader(new TaskReader(shared, task));
  if (shared.layout.with_deletes_applied) {
    FIRN_ASSIGN(reader->positions_, shared.position_deletes->Load(task));
    FIRN_ASSIGN(reader->equality_, shared.equality_deletes->Load(task));
  }
  if (shared.layout.dropped_positions != nullptr) {
    const auto dropped = shared.layout.dropped_positions->find(task.file.file_path);
    if (dropped != shared.layout.dropped_positions->end()) reader->dropped_ = &dropped->second;
  }
  FIRN_RETURN_IF_ERROR(reader->OpenFile(), "data file '{}'", task.file.file_path);
  return reader;
}

Status TaskReader::CheckRowCount(std::optional<int64_t> found) const {
  if (!found || !shared_.verifies_row_counts) return {};
  return CheckCommittedRows(task_.file, *found);
}

Status TaskReader::OpenFile() {
  const ReadLayout& layout = shared_.layout;
  fields_ = layout.fields;
  for (const EqualityDeleteIndexPtr& index : equality_) {
    for (const NestedField& path : index->paths())
      AddFieldPath(fields_, path);
  }
  DataFileRequest request{.format = task_.file.file_format,
                          .wanted = fields_,
                          .matches_names = layout.matches_names,
                          .prune_filter = FilterOf(layout, task_),
                          .batch_rows = layout.batch_rows,
                          .batch_bytes_max = shared_.batch_bytes_max,
                          .part_bytes_max = shared_.part_bytes_max,
                          .verifies_checksums = shared_.verifies_checksums,
                          .pool = shared_.pool};
  if (request.prune_filter != nullptr && layout.tests_rows) {
    FIRN_ASSIGN(RowFilter filter, RowFilter::Make(request.prune_filter, fields_));
    filter_ = std::move(filter);
  }
  request.counted_columns = task_.file.counted_columns.get();
  if (layout.name_mapping) request.name_mapping = &*layout.name_mapping;
  FIRN_ASSIGN(request.identity_values, IdentityValues(*shared_.context->metadata, task_, fields_));
  FIRN_ASSIGN(request.file,
              shared_.context->io->Open(task_.file.file_path, task_.file.file_size_in_bytes));
  if (shared_.verifies_row_counts) {
    FIRN_RETURN_IF_ERROR(CheckCommittedSize(*shared_.context, task_.file, *request.file));
  }
  FIRN_ASSIGN(file_, OpenDataFile(request));
  FIRN_RETURN_IF_ERROR(CheckRowCount(file_->row_count()));
  const bool drops_rows =
      filter_ || positions_ != nullptr || dropped_ != nullptr || !equality_.empty();
  if (drops_rows && !layout.has_deleted_column) chooser_ = std::make_unique<TaskRowChooser>(*this);
  return {};
}

Result<std::unique_ptr<PartReader>> TaskReader::OpenPart(size_t part, Executor* executor) const {
  FIRN_ASSIGN(auto source, file_->OpenPart(part, executor, chooser_.get()), "data file '{}'",
              task_.file.file_path);
  return std::make_unique<TaskPartReader>(shared_from_this(), std::move(source));
}

}  // namespace firn
