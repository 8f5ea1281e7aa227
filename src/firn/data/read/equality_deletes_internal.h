#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "firn/data/arrow/budget_pool.h"
#include "firn/data/keys/key_set_internal.h"
#include "firn/data/read/equality_scope_internal.h"
#include "firn/data/read/reader.h"
#include "firn/data/read/row_filter_internal.h"

/// Equality deletes: rows that equal a deleted key in all of its columns, null equal to null.

namespace firn {

/// The keys of all equality delete files of a scan with the same columns and the same scope (spec
/// and partition), each with the highest sequence number that deletes it. Thread-safe.
class EqualityDeleteIndex {
 public:
  EqualityDeleteIndex(const ReadContext& context, std::shared_ptr<BudgetPool> pool,
                      EqualityFields fields)
      : context_(context),
        pool_(std::move(pool)),
        fields_(std::move(fields)),
        keys_(context.budget) {}

  /// Load those of `files` that are not loaded yet.
  Status Load(const std::vector<DeleteFilePtr>& files);

  /// Clear the rows of `keep` that a delete with a higher sequence number than
  /// `data_sequence_number` names. `columns` have `fields`.
  Status Apply(const std::vector<NestedField>& fields,
               const std::vector<std::shared_ptr<arrow::Array>>& columns,
               int64_t data_sequence_number, RowMask& keep) const;

  /// Fields to read from data files, inside the structs around them.
  const std::vector<NestedField>& paths() const { return fields_.paths; }

 private:
  Status LoadFile(const DeleteFile& deletes);

  const ReadContext& context_;
  std::shared_ptr<BudgetPool> pool_;
  EqualityFields fields_;
  mutable std::shared_mutex mutex_;
  std::set<std::string> loaded_;
  KeySet keys_;
};

using EqualityDeleteIndexPtr = std::shared_ptr<EqualityDeleteIndex>;

/// Makes and shares the indexes of a scan, and forgets each when the last task that needs it has
/// it. Thread-safe.
class EqualityDeletes {
 public:
  EqualityDeletes(const ReadContext& context, std::shared_ptr<BudgetPool> pool,
                  const std::vector<FileScanTask>& tasks);
  ~EqualityDeletes();

  /// The indexes that apply to the task, loaded. To be called once for each task. Errors: kCorrupt,
  /// naming the delete file; kResourceExhausted.
  Result<std::vector<EqualityDeleteIndexPtr>> Load(const FileScanTask& task);

 private:
  struct Scope;
  Scope& FindScope(const DataFile& deletes);
  Result<EqualityDeleteIndexPtr> MakeIndex(const DataFile& deletes) const;

  const ReadContext& context_;
  std::shared_ptr<BudgetPool> pool_;
  std::mutex mutex_;
  EqualityScopes numbers_;
  std::vector<std::unique_ptr<Scope>> scopes_;  // By number.
};

}  // namespace firn
