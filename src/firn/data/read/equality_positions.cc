#include "firn/data/read/equality_positions.h"

#include <set>
#include <unordered_set>
#include <utility>

#include <arrow/array.h>

#include "firn/data/read/deleted_keys_internal.h"
#include "firn/data/read/equality_scope_internal.h"
#include "firn/data/read/key_columns_internal.h"

namespace firn {
namespace {

bool IsEqualityDelete(const DeleteFilePtr& deletes) {
  return deletes->file.content == FileContent::kEqualityDeletes;
}

/// The tasks and the delete files of one scope.
struct ScopeTasks {
  std::vector<FileScanTask> tasks;
  std::vector<DeleteFilePtr> deletes;
};

class ScopeSearch {
 public:
  ScopeSearch(const ReadContext& context, const ScopeTasks& scope, PositionsByFile& found)
      : context_(context),
        scope_(scope),
        found_(found),
        pool_(BudgetPool::Make(context.budget->total_bytes())),
        keys_(context.budget) {}

  Status Run() {
    const DataFile& first = scope_.deletes[0]->file;
    FIRN_ASSIGN(fields_, FindEqualityFields(*context_.metadata, SortedEqualityIds(first)),
                "equality delete file '{}'", first.file_path);
    for (const DeleteFilePtr& deletes : scope_.deletes) {
      FIRN_RETURN_IF_ERROR(AddFile(*deletes), "equality delete file '{}'", deletes->file.file_path);
    }
    FIRN_RETURN_IF_ERROR(keys_.Finish());
    const KeyColumns columns{
        .paths = fields_.paths, .condition = nullptr, .with_deletes_applied = false};
    for (size_t pass = 0; pass < keys_.pass_count(); ++pass) {
      FIRN_RETURN_IF_ERROR(keys_.Load(pass));
      FIRN_RETURN_IF_ERROR(VisitKeyColumns(
          context_, scope_.tasks, columns,
          [this](const KeyColumnBatch& batch, std::vector<int64_t>& positions) -> Status {
            Compare(batch, positions);
            return {};
          },
          found_));
    }
    return {};
  }

 private:
  Status AddFile(const DeleteFile& deletes) {
    return VisitEqualityKeys(context_, pool_, fields_, deletes.file, [&](std::string_view key) {
      return keys_.Add(key, deletes.sequence_number);
    });
  }

  void Compare(const KeyColumnBatch& batch, std::vector<int64_t>& positions) const {
    KeyEncoder encoder(batch.columns);
    for (int64_t row = 0; row < batch.rows; ++row) {
      if (keys_.Find(encoder.Encode(row)) > batch.task->sequence_number) {
        positions.push_back(batch.positions->Value(row));
      }
    }
  }

  const ReadContext& context_;
  const ScopeTasks& scope_;
  PositionsByFile& found_;
  std::shared_ptr<BudgetPool> pool_;
  EqualityFields fields_;
  DeletedKeys keys_;
};

std::vector<ScopeTasks> FindScopes(const std::vector<FileScanTask>& tasks) {
  std::vector<ScopeTasks> scopes;
  EqualityScopes numbers;
  std::unordered_set<std::string> known;
  for (const FileScanTask& task : tasks) {
    std::set<size_t> of_task;
    for (const DeleteFilePtr& deletes : task.deletes) {
      if (!IsEqualityDelete(deletes)) continue;
      const size_t number = numbers.Find(deletes->file);
      if (number == scopes.size()) scopes.emplace_back();
      of_task.insert(number);
      if (known.insert(deletes->file.file_path).second) scopes[number].deletes.push_back(deletes);
    }
    for (const size_t number : of_task)
      scopes[number].tasks.push_back(task);
  }
  return scopes;
}

}  // namespace

Result<PositionsByFile> FindEqualityDeletedRows(const ReadContext& context,
                                                const std::vector<FileScanTask>& tasks) {
  PositionsByFile found;
  for (const ScopeTasks& scope : FindScopes(tasks))
    FIRN_RETURN_IF_ERROR(ScopeSearch(context, scope, found).Run());
  return found;
}

std::vector<FileScanTask> WithoutEqualityDeletes(std::vector<FileScanTask> tasks) {
  for (FileScanTask& task : tasks)
    std::erase_if(task.deletes, IsEqualityDelete);
  return tasks;
}

}  // namespace firn
