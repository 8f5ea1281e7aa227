#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <arrow/type_fwd.h>
#include <parquet/file_reader.h>

#include "firn/base/executor.h"
#include "firn/data/formats/data_file_internal.h"
#include "firn/data/parquet/parquet_pruning_internal.h"

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

/// Top-level columns of a run of rows that one reader delivers, in batches of its own.
struct ColumnGroup {
  std::vector<size_t> places;  ///< Of the reader's columns among all that are read.
  std::unique_ptr<arrow::RecordBatchReader> batches;
  std::vector<RowRange> kept;  ///< Rows that `batches` delivers.
};

/// What a source made of column groups puts together.
struct ColumnGroups {
  std::vector<ColumnGroup> groups;
  std::vector<RowRange> rows;  ///< Wanted; each lies in the kept rows of all groups.
  int64_t first_row = 0;       ///< File position of row 0 of the run.
  int64_t batch_rows = 0;
  std::shared_ptr<const PageSelection> selection;  ///< Null: no group skips pages.
  std::shared_ptr<void> owner;                     ///< What the readers read through.
  Executor* executor = nullptr;                    ///< Set: groups are decoded in parallel.
};

/// Rows from columns that were read apart: because each skips other pages, or to decode them in
/// parallel.
std::unique_ptr<BatchSource> MakeColumnGroupSource(ColumnGroups groups);

}  // namespace firn
