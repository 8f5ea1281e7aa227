#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "firn/data/key_search_internal.h"
#include "firn/data/leaf_column_internal.h"
#include "firn/data/read_fields_internal.h"
#include "firn/data/task_reader_internal.h"

namespace firn {
namespace {

// The decoded key columns of what is read at one time may take this share of the memory.
constexpr int64_t kBudgetShare = 8;
constexpr int64_t kPartBytesMax = int64_t{64} << 20;
constexpr int64_t kBatchBytesMax = int64_t{8} << 20;
constexpr int64_t kReservationMin = int64_t{1} << 20;

NestedField MetadataColumn(int32_t id, std::string name) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = Type::Primitive(TypeId::kLong);
  return field;
}

class Searcher {
 public:
  Searcher(const ReadContext& context, const std::vector<FileScanTask>& tasks,
           const KeySearch& search, KeyTable& keys, PositionsByFile& found)
      : context_(context), tasks_(tasks), search_(search), keys_(keys), found_(found) {}

  Status Run() {
    FIRN_RETURN_IF_ERROR(Prepare());
    return ParallelFor(
        *context_.executor, tasks_.size(), [this](size_t i) { return SearchFile(tasks_[i]); },
        context_.cancel);
  }

 private:
  Status Prepare();
  Status SearchFile(const FileScanTask& task);
  Status SearchPart(const TaskReader& reader, size_t part, std::vector<int64_t>& positions) const;
  Status SearchBatch(const arrow::RecordBatch& batch, std::vector<int64_t>& positions) const;

  const ReadContext& context_;
  const std::vector<FileScanTask>& tasks_;
  const KeySearch& search_;
  KeyTable& keys_;
  SharedRead shared_;
  std::vector<std::vector<int>> places_;  // Of the key columns in the batches.
  MemoryReservation memory_;
  std::mutex mutex_;
  PositionsByFile& found_;
};

Status Searcher::Prepare() {
  std::vector<NestedField> fields;
  for (const int32_t id : search_.key_ids) {
    FIRN_ASSIGN(NestedField path,
                FindFieldPath(*context_.metadata, id,
                              context_.metadata->current_schema()->FindField(id)->type.get()));
    MakeOptional(path);
    AddFieldPath(fields, path);
  }
  for (const int32_t id : search_.key_ids)
    places_.push_back(FindFieldPlaces(fields, id));
  fields.push_back(MetadataColumn(kPosFieldId, "_pos"));
  if (search_.with_row_ids) fields.push_back(MetadataColumn(kRowIdFieldId, "_row_id"));
  ReadOptions options;
  options.projection = std::make_shared<const Schema>(0, std::move(fields));
  options.filter = search_.condition;
  FIRN_ASSIGN(shared_.layout, MakeReadLayout(*context_.metadata, options));
  shared_.layout.tests_rows = false;  // Keys decide; the filter spares parts of files.
  shared_.context = &context_;
  const int64_t total = context_.budget->total_bytes();
  const auto workers = static_cast<int64_t>(context_.executor->concurrency()) + 1;
  shared_.pool = BudgetPool::Make(total);
  shared_.part_bytes_max = std::min(kPartBytesMax, total / (kBudgetShare * workers));
  shared_.batch_bytes_max = std::min(kBatchBytesMax, total / (kBudgetShare * workers));
  shared_.position_deletes = std::make_unique<PositionDeletes>(context_, shared_.pool, tasks_);
  shared_.equality_deletes = std::make_unique<EqualityDeletes>(context_, shared_.pool, tasks_);
  // What holds the rows has a share of the budget, so this must not wait for more than there is.
  for (int64_t bytes = std::min(workers * kPartBytesMax, total / kBudgetShare);
       bytes >= kReservationMin; bytes /= 2) {
    Result<MemoryReservation> memory = context_.budget->TryReserve(bytes);
    if (!memory.ok()) continue;
    memory_ = *std::move(memory);
    break;
  }
  return {};
}

Status Searcher::SearchFile(const FileScanTask& task) {
  FIRN_ASSIGN(const auto reader, TaskReader::Open(shared_, task));
  PositionSet found;
  std::mutex mutex;
  const auto search_part = [&](size_t part) -> Status {
    std::vector<int64_t> positions;
    FIRN_RETURN_IF_ERROR(SearchPart(*reader, part, positions));
    const std::lock_guard lock(mutex);
    for (const int64_t position : positions)
      found.Add(position);
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      ParallelFor(*context_.executor, reader->parts().size(), search_part, context_.cancel));
  if (found.empty()) return {};
  const std::lock_guard lock(mutex_);
  found_[task.file.file_path].Union(found);
  return {};
}

Status Searcher::SearchPart(const TaskReader& reader, size_t part,
                            std::vector<int64_t>& positions) const {
  FIRN_ASSIGN(const auto rows, reader.OpenPart(part, nullptr));
  while (true) {
    FIRN_ASSIGN(const auto batch, rows->Next());
    if (batch == nullptr) return {};
    FIRN_RETURN_IF_ERROR(SearchBatch(*batch, positions));
  }
}

Status Searcher::SearchBatch(const arrow::RecordBatch& batch,
                             std::vector<int64_t>& positions) const {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const std::vector<int>& places : places_) {
    FIRN_ASSIGN(auto column, LeafColumn(batch.columns(), places, shared_.pool.get()));
    columns.push_back(std::move(column));
  }
  const KeyBatch keys(std::move(columns), batch.num_rows());
  std::vector<int64_t> ordinals;
  keys_.Find(keys, ordinals);
  const int position_column = batch.num_columns() - (search_.with_row_ids ? 2 : 1);
  const auto& file_positions =
      static_cast<const arrow::Int64Array&>(*batch.column(position_column));
  const auto& last = static_cast<const arrow::Int64Array&>(*batch.columns().back());
  for (int64_t i = 0; i < batch.num_rows(); ++i) {
    const int64_t ordinal = ordinals[static_cast<size_t>(i)];
    if (ordinal == KeyTable::kNotFound) continue;
    positions.push_back(file_positions.Value(i));
    const bool has_id = search_.with_row_ids && !last.IsNull(i);
    keys_.Match(static_cast<KeyOrdinal>(ordinal), has_id ? last.Value(i) : KeyTable::kNoRowId);
  }
  return {};
}

}  // namespace

Status SearchKeys(const ReadContext& context, const std::vector<FileScanTask>& tasks,
                  const KeySearch& search, KeyTable& keys, PositionsByFile& found) {
  return Searcher(context, tasks, search, keys, found).Run();
}

}  // namespace firn
