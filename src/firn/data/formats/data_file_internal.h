#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/executor.h"
#include "firn/base/result.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/columns/column_resolver_internal.h"
#include "firn/expression/expression.h"
#include "firn/format/manifest/manifest.h"
#include "firn/io/io.h"

/// One data or delete file, opened: its parts can be read independently and in parallel.

namespace firn {

/// What is wanted of a file. Referenced objects outlive the reader.
struct DataFileRequest {
  std::shared_ptr<InputFile> file;
  FileFormat format = FileFormat::kParquet;
  std::vector<NestedField> wanted;
  const NameMapping* name_mapping = nullptr;
  bool matches_names = false;  ///< By the mapping alone, whatever ids the file carries.
  std::map<int32_t, Value> identity_values;
  const std::vector<int32_t>* counted_columns = nullptr;  ///< See ResolveContext.
  /// Rows that cannot match may be left out; bound to fields of `wanted`. Null: all rows.
  ExpressionPtr prune_filter;
  int64_t batch_rows = 16384;
  int64_t batch_bytes_max = int64_t{8} << 20;  ///< Decoded; batches of larger rows have fewer.
  int64_t part_bytes_max = int64_t{64} << 20;  ///< A part that needs more streams its columns.
  bool verifies_checksums = true;              ///< Of pages; kCorrupt where one is wrong.
  std::shared_ptr<BudgetPool> pool;
};

/// A run of rows of the file that one worker reads: row groups or stripes.
struct FilePart {
  int64_t first_row = 0;
  int64_t row_count = 0;
  int64_t memory_bytes = 0;  ///< Estimate of what reading it takes at one time.
  int64_t value_bytes = 0;   ///< No text of it is larger; 0: all are small.
};

/// Rows as the file holds them: a struct array of the leaves that the plan reads. They are
/// consecutive unless a RowChooser has chosen among them.
struct FileBatch {
  int64_t first_position = 0;  ///< Of row 0, counted from the start of the file.
  std::shared_ptr<arrow::ArrayData> rows;
  bool is_chosen = false;          ///< All that the chooser leaves out is missing.
  std::vector<int64_t> positions;  ///< Of each row; empty: consecutive.
};

/// One byte a row: 1 if the row stays.
using RowMask = std::vector<uint8_t>;

/// Chooses rows by some of their columns, so that those that are left out need no decoding.
/// Thread-safe.
class RowChooser {
 public:
  virtual ~RowChooser() = default;
  /// Leaves of the file that it looks at.
  virtual const std::set<int>& leaves() const = 0;
  /// Which rows of `batch` stay. Columns of it without any of `leaves` are null pointers; texts may
  /// be dictionary arrays.
  virtual Result<RowMask> Choose(const FileBatch& batch) const = 0;
};

/// Reads one part. Single-threaded. Its DataFileReader outlives it.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// Nullopt at the end. Errors: kCorrupt, kResourceExhausted, and those of the file.
  virtual Result<std::optional<FileBatch>> Next() = 0;
};

/// Thread-safe once it is open.
class DataFileReader {
 public:
  virtual ~DataFileReader() = default;
  virtual const ReadPlan& plan() const = 0;
  /// All columns of the file.
  virtual const std::vector<FileField>& fields() const = 0;
  /// Of the whole file, if its format tells without reading it.
  virtual std::optional<int64_t> row_count() const { return std::nullopt; }
  /// Ascending by row; parts that the filter rules out are missing.
  virtual const std::vector<FilePart>& parts() const = 0;
  /// `executor` (may be null): decode columns of the part in parallel, if the format can.
  /// `chooser` (may be null; outlives the source): leave rows out, if the format can. Batches tell.
  virtual Result<std::unique_ptr<BatchSource>> OpenPart(size_t part, Executor* executor,
                                                        const RowChooser* chooser) const = 0;
};

/// Open a file of any format. Errors: kNotFound, kCorrupt, kUnsupported; the caller adds the path.
Result<std::unique_ptr<DataFileReader>> OpenDataFile(const DataFileRequest& request);

/// For the readers of each format: give `fields`, whose leaves are numbered, their ids and plan the
/// wanted columns. `prunes_nested`: see ResolveContext. Errors: those of AssignFieldIds and of
/// ResolveColumns.
Result<ReadPlan> PlanColumns(const DataFileRequest& request, std::vector<FileField>& fields,
                             bool prunes_nested);

Result<std::unique_ptr<DataFileReader>> OpenParquetFile(const DataFileRequest& request);
Result<std::unique_ptr<DataFileReader>> OpenOrcFile(const DataFileRequest& request);
Result<std::unique_ptr<DataFileReader>> OpenAvroFile(const DataFileRequest& request);

/// `rows` rows without columns, in batches: for plans that read nothing from the file.
std::unique_ptr<BatchSource> MakeEmptyColumnSource(int64_t first_row, int64_t rows,
                                                   int64_t batch_rows);

}  // namespace firn
