#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/data/formats/data_file_internal.h"
#include "firn/data/read/equality_deletes_internal.h"
#include "firn/data/read/position_deletes_internal.h"
#include "firn/data/read/read_layout_internal.h"
#include "firn/data/read/row_filter_internal.h"

namespace firn {

/// What the tasks of one read share; outlives its task readers.
struct SharedRead {
  const ReadContext* context = nullptr;
  std::shared_ptr<BudgetPool> pool;
  ReadLayout layout;
  int64_t batch_bytes_max = 0;  ///< See DataFileRequest.
  int64_t part_bytes_max = 0;   ///< Likewise.
  bool verifies_checksums = true;
  bool verifies_row_counts = true;
  std::unique_ptr<PositionDeletes> position_deletes;
  std::unique_ptr<EqualityDeletes> equality_deletes;
};

/// Reads a part of a data file as rows of the result. Single-threaded.
class PartReader {
 public:
  virtual ~PartReader() = default;
  /// A batch that is not empty; null at the end.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Next() = 0;
};

/// One data file with its deletes. Thread-safe once it is open.
class TaskReader : public std::enable_shared_from_this<TaskReader> {
 public:
  /// Errors: kCorrupt and others, naming the file at fault.
  static Result<std::shared_ptr<TaskReader>> Open(const SharedRead& shared,
                                                  const FileScanTask& task);

  const std::vector<FilePart>& parts() const { return file_->parts(); }
  /// `executor`: see DataFileReader.
  Result<std::unique_ptr<PartReader>> OpenPart(size_t part, Executor* executor) const;

 private:
  friend class TaskPartReader;
  friend class TaskRowChooser;
  TaskReader(const SharedRead& shared, const FileScanTask& task) : shared_(shared), task_(task) {}
  Status OpenFile();
  /// `found`: the rows of the file; empty: not known yet.
  Status CheckRowCount(std::optional<int64_t> found) const;
  Status DropDeleted(int64_t first_position,
                     const std::vector<std::shared_ptr<arrow::Array>>& columns,
                     RowMask& keep) const;
  Result<std::vector<std::shared_ptr<arrow::Array>>> Materialize(
      const arrow::ArrayData& rows, const std::set<size_t>* places) const;

  const SharedRead& shared_;
  const FileScanTask& task_;
  std::shared_ptr<const PositionSet> positions_;  // Null: none.
  const PositionSet* dropped_ = nullptr;          // Null: none.
  std::vector<EqualityDeleteIndexPtr> equality_;
  std::vector<NestedField> fields_;  // The layout's, and behind them the keys of deletes.
  std::optional<RowFilter> filter_;
  std::unique_ptr<DataFileReader> file_;
  std::unique_ptr<RowChooser> chooser_;  // Null: all rows are decoded.
};

/// The columns of the result, in order, for the rows of `batch`. `columns` are those of the
/// layout's fields; `is_deleted` has a byte a row if the result marks deleted rows.
Result<std::vector<std::shared_ptr<arrow::Array>>> MakeOutputColumns(
    const SharedRead& shared, const FileScanTask& task,
    const std::vector<std::shared_ptr<arrow::Array>>& columns, const FileBatch& batch,
    const RowMask& is_deleted);

}  // namespace firn
