#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "firn/data/columns/leaf_column_internal.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/read/key_columns_internal.h"
#include "firn/data/read/resolved_deletes_internal.h"
#include "firn/data/read/task_reader_internal.h"

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

class KeyColumnReader {
 public:
  KeyColumnReader(const ReadContext& context, std::vector<FileScanTask> tasks,
                  const KeyColumns& columns, const KeyVisitor& visit, PositionsByFile& found)
      : context_(context),
        tasks_(std::move(tasks)),
        columns_(columns),
        visit_(visit),
        found_(found) {}

  Status Run() {
    FIRN_RETURN_IF_ERROR(Prepare());
    return ParallelFor(
        *context_.executor, tasks_.size(), [this](size_t i) { return ReadTask(tasks_[i]); },
        context_.cancel);
  }

 private:
  Status Prepare();
  void PrepareMemory();
  Status ReadTask(const FileScanTask& task);
  Status ReadPart(const FileScanTask& task, const TaskReader& reader, size_t part,
                  std::vector<int64_t>& positions) const;
  Status VisitBatch(const FileScanTask& task, const arrow::RecordBatch& batch,
                    std::vector<int64_t>& positions) const;

  const ReadContext& context_;
  std::vector<FileScanTask> tasks_;
  const KeyColumns& columns_;
  const KeyVisitor& visit_;
  ResolvedDeletes resolved_deletes_;
  SharedRead shared_;
  std::vector<std::vector<int>> places_;  // Of the key columns in the batches.
  MemoryReservation memory_;
  std::mutex mutex_;
  PositionsByFile& found_;
};

Status KeyColumnReader::Prepare() {
  std::vector<NestedField> fields;
  for (const NestedField& path : columns_.paths)
    AddFieldPath(fields, path);
  for (const NestedField& path : columns_.paths)
    places_.push_back(FindFieldPlaces(fields, LeafId(path)));
  fields.push_back(MetadataColumn(kPosFieldId, "_pos"));
  if (columns_.with_row_ids) fields.push_back(MetadataColumn(kRowIdFieldId, "_row_id"));
  ReadOptions options;
  options.projection = std::make_shared<const Schema>(0, std::move(fields));
  options.filter = columns_.condition;
  options.with_deletes_applied = columns_.with_deletes_applied;
  FIRN_ASSIGN(shared_.layout, MakeReadLayout(*context_.metadata, options));
  FIRN_RETURN_IF_ERROR(resolved_deletes_.Resolve(context_, tasks_, shared_.layout));
  shared_.layout.tests_rows = false;  // Keys decide; the filter spares parts of files.
  PrepareMemory();
  shared_.position_deletes = std::make_unique<PositionDeletes>(context_, shared_.pool, tasks_);
  shared_.equality_deletes = std::make_unique<EqualityDeletes>(context_, shared_.pool, tasks_);
  return {};
}

void KeyColumnReader::PrepareMemory() {
  shared_.context = &context_;
  const int64_t total = context_.budget->total_bytes();
  const auto workers = static_cast<int64_t>(context_.executor->concurrency()) + 1;
  shared_.pool = BudgetPool::Make(total);
  shared_.part_bytes_max = std::min(kPartBytesMax, total / (kBudgetShare * workers));
  shared_.batch_bytes_max = std::min(kBatchBytesMax, total / (kBudgetShare * workers));
  // What holds the keys has a share of the budget, so this must not wait for more than there is.
  for (int64_t bytes = std::min(workers * kPartBytesMax, total / kBudgetShare);
       bytes >= kReservationMin; bytes /= 2) {
    Result<MemoryReservation> memory = context_.budget->TryReserve(bytes);
    if (!memory.ok()) continue;
    memory_ = *std::move(memory);
    return;
  }
}

Status KeyColumnReader::ReadTask(const FileScanTask& task) {
  FIRN_ASSIGN(const auto reader, TaskReader::Open(shared_, task));
  PositionSet found;
  std::mutex mutex;
  const auto read_part = [&](size_t part) -> Status {
    std::vector<int64_t> positions;
    FIRN_RETURN_IF_ERROR(ReadPart(task, *reader, part, positions));
    const std::lock_guard lock(mutex);
    for (const int64_t position : positions)
      found.Add(position);
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      ParallelFor(*context_.executor, reader->parts().size(), read_part, context_.cancel));
  if (found.empty()) return {};
  const std::lock_guard lock(mutex_);
  found_[task.file.file_path].Union(found);
  return {};
}

Status KeyColumnReader::ReadPart(const FileScanTask& task, const TaskReader& reader, size_t part,
                                 std::vector<int64_t>& positions) const {
  FIRN_ASSIGN(const auto rows, reader.OpenPart(part, nullptr));
  while (true) {
    FIRN_ASSIGN(const auto batch, rows->Next());
    if (batch == nullptr) return {};
    FIRN_RETURN_IF_ERROR(VisitBatch(task, *batch, positions));
  }
}

Status KeyColumnReader::VisitBatch(const FileScanTask& task, const arrow::RecordBatch& batch,
                                   std::vector<int64_t>& positions) const {
  KeyColumnBatch keys{.task = &task, .columns = {}, .rows = batch.num_rows()};
  FIRN_ASSIGN(keys.columns, LeafColumns(batch.columns(), places_, shared_.pool.get()));
  const int last = batch.num_columns() - 1;
  const auto column = [&](int i) {
    return static_cast<const arrow::Int64Array*>(batch.column(i).get());
  };
  keys.positions = column(columns_.with_row_ids ? last - 1 : last);
  if (columns_.with_row_ids) keys.row_ids = column(last);
  return visit_(keys, positions);
}

}  // namespace

Status VisitKeyColumns(const ReadContext& context, const std::vector<FileScanTask>& tasks,
                       const KeyColumns& columns, const KeyVisitor& visit, PositionsByFile& found) {
  return KeyColumnReader(context, tasks, columns, visit, found).Run();
}

}  // namespace firn
