#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <arrow/type_fwd.h>
#include <parquet/file_reader.h>

#include "firn/data/data_file_internal.h"
#include "firn/data/parquet_pruning_internal.h"

/// Reading only those pages of a row group that a filter may match, by the page index of the file.

namespace firn {

/// Rows [begin, end), counted from the start of the row group.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// What of one leaf is decoded: the pages that overlap the wanted rows.
struct LeafPages {
  std::vector<int64_t> row_counts;  ///< Of each data page, in order.
  std::vector<bool> is_skipped;     ///< Likewise.
  std::vector<RowRange> kept;       ///< Rows of the pages that are not skipped; ascending.
};

struct PageSelection {
  std::vector<RowRange> rows;       ///< Wanted; ascending, disjoint.
  std::map<int, LeafPages> leaves;  ///< Leaves that can skip pages; others are decoded whole.
  /// Set when a page turns out to have another number of rows than the index tells.
  std::shared_ptr<std::atomic<bool>> is_wrong = std::make_shared<std::atomic<bool>>(false);
};

/// The rows of row group `index` that `filter` may match. Nullopt if the file has no page index for
/// the filter's columns, or if skipping would save little. `flat_leaves` are those that may skip
/// pages. Throws as Parquet does; call it inside GuardArrow.
std::optional<PageSelection> SelectPages(parquet::ParquetFileReader& file, int index,
                                         const RowGroupFilter& filter,
                                         const std::set<int>& flat_leaves);

/// A Parquet reader that leaves out the pages that `selection` skips in row group `index`. Call
/// inside GuardArrow. `selection` outlives the reader.
std::unique_ptr<parquet::ParquetFileReader> OpenSkippingPages(
    std::shared_ptr<arrow::io::RandomAccessFile> input, const parquet::ReaderProperties& properties,
    std::shared_ptr<parquet::FileMetaData> metadata, const PageSelection& selection);

/// One top-level column of a row group, delivered in batches of its own.
struct PagedColumn {
  std::shared_ptr<arrow::Field> field;  ///< As it is read.
  std::unique_ptr<arrow::RecordBatchReader> batches;
  std::vector<RowRange> kept;  ///< Rows that `batches` delivers.
};

/// Puts the wanted rows of several columns, each of which skips other pages, together again.
/// `first_row` is the file position of the row group; `selection` and `owner` are kept alive.
std::unique_ptr<BatchSource> MakePagedSource(std::vector<PagedColumn> columns,
                                             std::shared_ptr<const PageSelection> selection,
                                             int64_t first_row, int64_t batch_rows,
                                             std::shared_ptr<void> owner);

}  // namespace firn
