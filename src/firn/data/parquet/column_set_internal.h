#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>
#include <parquet/metadata.h>

#include "firn/base/result.h"
#include "firn/data/columns/file_schema_internal.h"
#include "firn/data/parquet/row_group_run_internal.h"
#include "firn/parquet/flat_column.h"

/// Top-level columns of a part of a Parquet file, read row after row: by firn's own decoding, or
/// through Arrow.

namespace firn {

/// Single-threaded. Errors: as FlatColumnReader has them.
class ColumnSet {
 public:
  using Columns = std::vector<std::shared_ptr<arrow::ArrayData>>;

  virtual ~ColumnSet() = default;
  /// The next `rows` rows, or fewer if they are large: one at least.
  virtual Result<Columns> Read(int64_t rows) = 0;
  /// Those of the next `rows` rows that `picks` names, ascending, counted from 0; they are some. If
  /// fewer are returned, the set stands at the next of them.
  virtual Result<Columns> Pick(int64_t rows, std::span<const uint32_t> picks) = 0;
  /// How many of the next `rows` rows (1 or more) are best tested together.
  virtual Result<int64_t> CountTestable(int64_t rows) { return rows; }
  /// As Read, of as many rows, but texts may be a dictionary array.
  virtual Result<Columns> ReadToTest(int64_t rows) { return Read(rows); }
  /// Leave out the next `rows` rows.
  virtual Status Skip(int64_t rows) = 0;
};

/// The rows of `column` that `picks` names. Errors: kResourceExhausted.
Result<std::shared_ptr<arrow::ArrayData>> PickRows(const std::shared_ptr<arrow::ArrayData>& column,
                                                   std::span<const uint32_t> picks,
                                                   arrow::MemoryPool* pool);

/// How a top-level column is decoded; nullopt if that is left to Arrow: because it is nested, or
/// its values become something that Arrow alone makes, or a chunk in `run` is stored in a way that
/// is not read here.
std::optional<FlatLeaf> FlatLeafOf(const FileField& field, const parquet::FileMetaData& file,
                                   const RowGroupRun& run, int64_t file_size);

/// A column for which FlatLeafOf has an answer, `leaf`. `text_bytes_max`: of texts that come at one
/// time.
std::unique_ptr<ColumnSet> MakeFlatColumnSet(const FileField& field, const FlatLeaf& leaf,
                                             const parquet::FileMetaData& file,
                                             const RowGroupRun& run, const FlatReadOptions& options,
                                             std::shared_ptr<FlatScratch> scratch,
                                             arrow::MemoryPool* pool,
                                             size_t text_bytes_max = SIZE_MAX);

/// The columns of `batches`, which reads through `owner`.
std::unique_ptr<ColumnSet> MakeArrowColumnSet(std::unique_ptr<arrow::RecordBatchReader> batches,
                                              std::shared_ptr<void> owner, arrow::MemoryPool* pool);

}  // namespace firn
