#include <algorithm>
#include <map>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "firn/data/arrow/arrow_types.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/changes/changed_rows_internal.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/read/equality_positions.h"
#include "firn/data/read/task_stream_internal.h"

// The rows that a snapshot deleted and added, as files and their deletes tell.

namespace firn {
namespace {

constexpr std::string_view kInsert = "INSERT";
constexpr std::string_view kDelete = "DELETE";
// Changed files whose positions are held at one time.
constexpr size_t kFilesAtOnce = 256;

std::vector<PositionSet> Merge(std::vector<PositionSet> positions, const PositionsByFile& more,
                               const std::vector<FileScanTask>& tasks) {
  for (size_t i = 0; i < tasks.size(); ++i) {
    const auto found = more.find(tasks[i].file.file_path);
    if (found != more.end()) positions[i].Union(found->second);
  }
  return positions;
}

// All positions that are deleted in each task's file.
Result<std::vector<PositionSet>> FindDeleted(const ReadContext& context,
                                             const std::vector<FileScanTask>& tasks) {
  FIRN_ASSIGN(auto positions, LoadDeletedPositions(context, tasks));
  const bool has_keys = std::any_of(tasks.begin(), tasks.end(), [](const FileScanTask& task) {
    return std::any_of(task.deletes.begin(), task.deletes.end(), [](const DeleteFilePtr& file) {
      return file->file.content == FileContent::kEqualityDeletes;
    });
  });
  if (!has_keys) return positions;
  FIRN_ASSIGN(const auto found, FindEqualityDeletedRows(context, tasks));
  return Merge(std::move(positions), found, tasks);
}

// Visits the positions of `positions` that `others` has not, ascending.
template <typename Visit>
void VisitDifference(const PositionSet& positions, const PositionSet& others, int64_t end,
                     const Visit& visit) {
  constexpr int64_t kStep = int64_t{1} << 16;
  for (int64_t begin = 0; begin < end; begin += kStep) {
    for (const int64_t position : positions.InRange(begin, std::min(begin + kStep, end))) {
      if (!others.Contains(position)) visit(position);
    }
  }
}

// All rows of the file but those in `positions` and not in `others`; nullopt if these are none.
std::optional<PositionSet> AllBut(const PositionSet& positions, const PositionSet& others,
                                  int64_t row_count) {
  PositionSet rest;
  int64_t next = 0;
  bool has_any = false;
  VisitDifference(positions, others, row_count, [&](int64_t position) {
    has_any = true;
    if (position > next) rest.AddRange(next, position);
    next = position + 1;
  });
  if (!has_any) return std::nullopt;
  if (next < row_count) rest.AddRange(next, row_count);
  rest.Optimize();
  return rest;
}

// Rows of tasks with the three columns of a change behind them. Keeps what the read needs.
class ChangeRows final : public BatchStream {
 public:
  ChangeRows(std::unique_ptr<BatchStream> rows, std::shared_ptr<arrow::Schema> schema,
             std::vector<Value> change, std::vector<TypePtr> types,
             std::shared_ptr<const PositionsByFile> dropped, std::shared_ptr<BudgetPool> pool)
      : dropped_(std::move(dropped)),
        pool_(std::move(pool)),
        rows_(std::move(rows)),
        schema_(std::move(schema)),
        change_(std::move(change)),
        types_(std::move(types)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    FIRN_ASSIGN(const auto batch, rows_->Next());
    if (batch == nullptr) return std::shared_ptr<arrow::RecordBatch>();
    auto columns = batch->columns();
    for (size_t i = 0; i < change_.size(); ++i) {
      FIRN_ASSIGN(auto column,
                  MakeConstantArray(*types_[i], change_[i], batch->num_rows(), pool_.get()));
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
  }

 private:
  std::shared_ptr<const PositionsByFile> dropped_;  // Outlives the rows.
  std::shared_ptr<BudgetPool> pool_;
  std::unique_ptr<BatchStream> rows_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<Value> change_;
  std::vector<TypePtr> types_;
};

class SnapshotRows final : public BatchStream {
 public:
  SnapshotRows(const ReadContext& context, const SchemaPtr& schema, SnapshotChanges changes,
               SnapshotId snapshot_id, int32_t ordinal)
      : context_(context), changes_(std::move(changes)), place_{ordinal, snapshot_id} {
    auto fields = schema->fields();
    for (auto field = fields.end() - kChangeColumns; field != fields.end(); ++field)
      types_.push_back(field->type);
    fields.resize(fields.size() - kChangeColumns);
    projection_ = std::make_shared<const Schema>(schema->schema_id(), std::move(fields));
  }

  Status Prepare(const Schema& schema) {
    FIRN_ASSIGN(schema_, ToArrowSchema(schema.fields()));
    return {};
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      if (rows_ != nullptr) {
        FIRN_ASSIGN(auto batch, rows_->Next());
        if (batch != nullptr) return batch;
        rows_ = nullptr;
      }
      FIRN_ASSIGN(const bool has_more, OpenNext());
      if (!has_more) return std::shared_ptr<arrow::RecordBatch>();
    }
  }

 private:
  struct Place {
    int32_t ordinal = 0;
    SnapshotId snapshot_id = 0;
  };

  Result<bool> OpenNext() {
    if (!changes_.removed.empty()) {
      FIRN_RETURN_IF_ERROR(Open(kDelete, std::exchange(changes_.removed, {}), nullptr));
      return true;
    }
    if (restored_.has_value()) {
      Masked masked = std::move(*std::exchange(restored_, {}));
      FIRN_RETURN_IF_ERROR(OpenMasked(kInsert, std::move(masked)));
      return true;
    }
    if (!changes_.changed.empty()) {
      FIRN_RETURN_IF_ERROR(OpenChanged());
      return true;
    }
    if (!changes_.added.empty()) {
      FIRN_RETURN_IF_ERROR(Open(kInsert, std::exchange(changes_.added, {}), nullptr));
      return true;
    }
    return false;
  }

  Status Open(std::string_view type, std::vector<FileScanTask> tasks,
              std::shared_ptr<const PositionsByFile> dropped) {
    ReadOptions options{.projection = projection_};
    options.dropped_positions = dropped.get();
    FIRN_ASSIGN(auto stream, MakeTaskStream(context_, std::move(tasks), options));
    rows_ = std::make_unique<ChangeRows>(
        std::move(stream), schema_,
        std::vector<Value>{Value(std::string(type)), Value(place_.ordinal),
                           Value(place_.snapshot_id)},
        types_, std::move(dropped), BudgetPool::Make(context_.budget->total_bytes()));
    return {};
  }

  // Files of which only some rows are read.
  struct Masked {
    std::vector<FileScanTask> tasks;  // Without deletes.
    PositionsByFile dropped;

    void Add(const FileScanTask& task, std::optional<PositionSet> others) {
      if (!others) return;
      dropped.emplace(task.file.file_path, std::move(*others));
      tasks.push_back(task);
      tasks.back().deletes.clear();
    }
  };

  Status OpenMasked(std::string_view type, Masked masked) {
    return Open(type, std::move(masked.tasks),
                std::make_shared<const PositionsByFile>(std::move(masked.dropped)));
  }

  // The next files that stay: first the rows that went, and then those that came back.
  Status OpenChanged() {
    auto& changed = changes_.changed;
    const size_t count = std::min(changed.size(), kFilesAtOnce);
    std::vector<FileScanTask> before;
    std::vector<FileScanTask> after;
    for (size_t i = changed.size() - count; i < changed.size(); ++i) {
      before.push_back(std::move(changed[i].before));
      after.push_back(std::move(changed[i].after));
    }
    changed.resize(changed.size() - count);
    FIRN_ASSIGN(const auto deleted_before, FindDeleted(context_, before));
    FIRN_ASSIGN(const auto deleted_after, FindDeleted(context_, after));
    Masked gone;
    Masked restored;
    for (size_t i = 0; i < count; ++i) {
      const int64_t rows = after[i].file.record_count;
      gone.Add(after[i], AllBut(deleted_after[i], deleted_before[i], rows));
      restored.Add(after[i], AllBut(deleted_before[i], deleted_after[i], rows));
    }
    if (!restored.tasks.empty()) restored_ = std::move(restored);
    return OpenMasked(kDelete, std::move(gone));
  }

  const ReadContext context_;
  SnapshotChanges changes_;
  const Place place_;
  SchemaPtr projection_;
  std::vector<TypePtr> types_;  // Of the columns of the change.
  std::shared_ptr<arrow::Schema> schema_;
  std::optional<Masked> restored_;
  std::unique_ptr<BatchStream> rows_;
};

}  // namespace

Result<std::unique_ptr<BatchStream>> ReadSnapshotChanges(const ReadContext& context,
                                                         const SchemaPtr& schema,
                                                         SnapshotChanges changes,
                                                         SnapshotId snapshot_id, int32_t ordinal) {
  auto rows =
      std::make_unique<SnapshotRows>(context, schema, std::move(changes), snapshot_id, ordinal);
  FIRN_RETURN_IF_ERROR(rows->Prepare(*schema));
  return std::unique_ptr<BatchStream>(std::move(rows));
}

}  // namespace firn
