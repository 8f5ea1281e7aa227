#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/record_batch.h>
#include <parquet/column_reader.h>
#include <parquet/page_index.h>

#include "firn/data/arrow_bridge_internal.h"
#include "firn/data/parquet_pages_internal.h"

namespace firn {
namespace {

// Skipping pages costs a reader for each column: it must save this share of the rows at least.
constexpr double kRowShareMax = 0.75;

// First rows of the data pages of one leaf, and the row group's end behind them; empty if the
// index makes no sense.
std::vector<int64_t> PageStarts(const parquet::OffsetIndex& index, int64_t row_count) {
  std::vector<int64_t> starts;
  for (const parquet::PageLocation& page : index.page_locations()) {
    const int64_t row = page.first_row_index;
    const bool is_ascending = starts.empty() ? row == 0 : row > starts.back();
    if (!is_ascending || row >= row_count) return {};
    starts.push_back(row);
  }
  if (!starts.empty()) starts.push_back(row_count);
  return starts;
}

// Statistics of the pages of a column that the filter tests.
struct IndexedLeaf {
  const FilterLeaf* leaf = nullptr;
  parquet::Type::type physical{};
  std::vector<int64_t> starts;
  std::shared_ptr<parquet::ColumnIndex> index;
};

void AddPageMetrics(const IndexedLeaf& leaf, size_t page, FileMetrics& metrics) {
  const parquet::ColumnIndex& index = *leaf.index;
  const int32_t id = leaf.leaf->field_id;
  const int64_t rows = leaf.starts[page + 1] - leaf.starts[page];
  metrics.value_counts.emplace_back(id, rows);
  if (index.null_pages()[page]) {
    metrics.null_value_counts.emplace_back(id, rows);
    return;
  }
  if (index.has_null_counts()) {
    metrics.null_value_counts.emplace_back(id, index.null_counts()[page]);
  }
  auto lower =
      BoundFromStatistics(*leaf.leaf, leaf.physical, index.encoded_min_values()[page], false);
  auto upper =
      BoundFromStatistics(*leaf.leaf, leaf.physical, index.encoded_max_values()[page], true);
  if (lower) metrics.lower_bounds.emplace_back(id, std::move(*lower));
  if (upper) metrics.upper_bounds.emplace_back(id, std::move(*upper));
}

bool IsConsistent(const IndexedLeaf& leaf) {
  if (leaf.index == nullptr || leaf.starts.empty()) return false;
  const size_t pages = leaf.starts.size() - 1;
  return leaf.index->null_pages().size() == pages &&
         leaf.index->encoded_min_values().size() == pages &&
         leaf.index->encoded_max_values().size() == pages &&
         (!leaf.index->has_null_counts() || leaf.index->null_counts().size() == pages);
}

// Cut the rows wherever a page of any tested column begins, and keep the cuts that may match.
std::vector<RowRange> MatchingRows(const std::vector<IndexedLeaf>& leaves,
                                   const RowGroupFilter& filter, int64_t row_count) {
  std::set<int64_t> cuts = {0, row_count};
  for (const IndexedLeaf& leaf : leaves)
    cuts.insert(leaf.starts.begin(), leaf.starts.end());
  std::vector<RowRange> rows;
  for (auto cut = cuts.begin(); *cut != row_count; ++cut) {
    const RowRange range{*cut, *std::next(cut)};
    FileMetrics metrics;
    for (const IndexedLeaf& leaf : leaves) {
      const auto page = std::upper_bound(leaf.starts.begin(), leaf.starts.end(), range.begin);
      AddPageMetrics(leaf, static_cast<size_t>(page - leaf.starts.begin()) - 1, metrics);
    }
    if (!filter.MightMatch(metrics, range.end - range.begin)) continue;
    if (!rows.empty() && rows.back().end == range.begin) {
      rows.back().end = range.end;
    } else {
      rows.push_back(range);
    }
  }
  return rows;
}

LeafPages SelectLeafPages(const std::vector<int64_t>& starts, const std::vector<RowRange>& rows) {
  LeafPages pages;
  for (size_t page = 0; page + 1 < starts.size(); ++page) {
    const RowRange range{starts[page], starts[page + 1]};
    const bool is_wanted = std::any_of(rows.begin(), rows.end(), [&](const RowRange& wanted) {
      return wanted.begin < range.end && range.begin < wanted.end;
    });
    pages.row_counts.push_back(range.end - range.begin);
    pages.is_skipped.push_back(!is_wanted);
    if (is_wanted) pages.kept.push_back(range);
  }
  return pages;
}

class SkippingRowGroup final : public parquet::RowGroupReader::Contents {
 public:
  SkippingRowGroup(std::shared_ptr<parquet::RowGroupReader> row_group,
                   const parquet::ReaderProperties* properties, const PageSelection& selection)
      : row_group_(std::move(row_group)), properties_(properties), selection_(selection) {}

  std::unique_ptr<parquet::PageReader> GetColumnPageReader(int leaf) override {
    auto pages = row_group_->GetColumnPageReader(leaf);
    const auto found = selection_.leaves.find(leaf);
    if (found != selection_.leaves.end()) {
      pages->set_data_page_filter(
          [&leaf_pages = found->second, &is_wrong = *selection_.is_wrong,
           page = size_t{0}](const parquet::DataPageStats& page_header) mutable {
            const size_t current = page++;
            if (current >= leaf_pages.is_skipped.size() ||
                page_header.num_values != leaf_pages.row_counts[current]) {
              is_wrong = true;
              return false;
            }
            return bool{leaf_pages.is_skipped[current]};
          });
    }
    return pages;
  }
  const parquet::RowGroupMetaData* metadata() const override { return row_group_->metadata(); }
  const parquet::ReaderProperties* properties() const override { return properties_; }

 private:
  std::shared_ptr<parquet::RowGroupReader> row_group_;
  const parquet::ReaderProperties* properties_;
  const PageSelection& selection_;
};

class SkippingFile final : public parquet::ParquetFileReader::Contents {
 public:
  SkippingFile(std::unique_ptr<Contents> file, parquet::ReaderProperties properties,
               const PageSelection& selection)
      : file_(std::move(file)), properties_(std::move(properties)), selection_(selection) {}

  void Close() override { file_->Close(); }
  std::shared_ptr<parquet::RowGroupReader> GetRowGroup(int i) override {
    return std::make_shared<parquet::RowGroupReader>(
        std::make_unique<SkippingRowGroup>(file_->GetRowGroup(i), &properties_, selection_));
  }
  std::shared_ptr<parquet::FileMetaData> metadata() const override { return file_->metadata(); }
  std::shared_ptr<parquet::PageIndexReader> GetPageIndexReader() override {
    return file_->GetPageIndexReader();
  }
  parquet::BloomFilterReader& GetBloomFilterReader() override {
    return file_->GetBloomFilterReader();
  }

 private:
  std::unique_ptr<Contents> file_;
  parquet::ReaderProperties properties_;
  const PageSelection& selection_;
};

// Hands out rows of one column by their place in the row group.
class ColumnCursor {
 public:
  explicit ColumnCursor(PagedColumn column) : column_(std::move(column)) {}

  // Rows [begin, end), which must be among the kept ones and behind all rows taken before.
  arrow::Result<std::shared_ptr<arrow::Array>> Take(int64_t begin, int64_t end) {
    arrow::ArrayVector pieces;
    while (begin < end) {
      if (next_ == chunk_length()) {
        ARROW_RETURN_NOT_OK(ReadChunk());
        continue;
      }
      // The run of rows that chunk and kept range have in common.
      const RowRange& range = column_.kept[range_];
      const int64_t run = std::min(chunk_length() - next_, range.end - row_);
      if (row_ + run <= begin) {
        Advance(run);
        continue;
      }
      const int64_t skip = begin - row_;
      const int64_t length = std::min(run - skip, end - begin);
      pieces.push_back(chunk_->Slice(next_ + skip, length));
      Advance(skip + length);
      begin += length;
    }
    if (pieces.size() == 1) return pieces[0];
    return arrow::Concatenate(pieces);
  }

  const std::shared_ptr<arrow::Field>& field() const { return column_.field; }

 private:
  int64_t chunk_length() const { return chunk_ == nullptr ? 0 : chunk_->length(); }

  arrow::Status ReadChunk() {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(column_.batches->ReadNext(&batch));
    if (batch == nullptr || range_ == column_.kept.size()) {
      return arrow::Status::Invalid("the pages of column '", column_.field->name(),
                                    "' do not have the rows that the page index tells");
    }
    if (!has_begun_) row_ = column_.kept[0].begin;
    has_begun_ = true;
    chunk_ = batch->column(0);
    next_ = 0;
    return arrow::Status::OK();
  }

  void Advance(int64_t rows) {
    next_ += rows;
    row_ += rows;
    if (row_ == column_.kept[range_].end && ++range_ < column_.kept.size()) {
      row_ = column_.kept[range_].begin;
    }
  }

  PagedColumn column_;
  std::shared_ptr<arrow::Array> chunk_;
  int64_t next_ = 0;  // In the chunk.
  int64_t row_ = 0;   // In the row group: of chunk row `next_`.
  size_t range_ = 0;  // The kept range that `row_` is in.
  bool has_begun_ = false;
};

class PagedSource final : public BatchSource {
 public:
  PagedSource(std::vector<PagedColumn> columns, std::shared_ptr<const PageSelection> selection,
              int64_t first_row, int64_t batch_rows, std::shared_ptr<void> owner)
      : selection_(std::move(selection)),
        owner_(std::move(owner)),
        rows_(selection_->rows),
        first_row_(first_row),
        batch_rows_(batch_rows) {
    arrow::FieldVector fields;
    for (PagedColumn& column : columns) {
      fields.push_back(column.field);
      columns_.emplace_back(std::move(column));
    }
    type_ = arrow::struct_(std::move(fields));
  }

  Result<std::optional<FileBatch>> Next() override {
    if (range_ == rows_.size()) return std::optional<FileBatch>();
    const int64_t begin = rows_[range_].begin + done_;
    const int64_t end = std::min(begin + batch_rows_, rows_[range_].end);
    FileBatch batch{.first_position = first_row_ + begin};
    std::vector<std::shared_ptr<arrow::ArrayData>> children;
    for (ColumnCursor& column : columns_) {
      FIRN_ASSIGN(const auto array,
                  GuardArrowResult(ErrorCode::kCorrupt, [&] { return column.Take(begin, end); }));
      children.push_back(array->data());
    }
    if (*selection_->is_wrong) {
      return MakeError(ErrorCode::kCorrupt,
                       "a page has another number of rows than the page index tells");
    }
    batch.rows = arrow::ArrayData::Make(type_, end - begin, {nullptr}, std::move(children), 0);
    done_ += end - begin;
    if (end == rows_[range_].end) {
      ++range_;
      done_ = 0;
    }
    return std::optional<FileBatch>(std::move(batch));
  }

 private:
  std::shared_ptr<const PageSelection> selection_;
  std::shared_ptr<void> owner_;  // The columns read through it.
  std::vector<ColumnCursor> columns_;
  std::shared_ptr<arrow::DataType> type_;
  const std::vector<RowRange>& rows_;
  int64_t first_row_;
  int64_t batch_rows_;
  size_t range_ = 0;
  int64_t done_ = 0;  // Rows of the current range.
};

}  // namespace

std::optional<PageSelection> SelectPages(parquet::ParquetFileReader& file, int index,
                                         const RowGroupFilter& filter,
                                         const std::set<int>& flat_leaves) {
  const auto page_index = file.GetPageIndexReader();
  if (filter.leaves().empty() || page_index == nullptr) return std::nullopt;
  const auto row_group_index = page_index->RowGroup(index);
  if (row_group_index == nullptr) return std::nullopt;
  const auto row_group = file.metadata()->RowGroup(index);
  const int64_t row_count = row_group->num_rows();
  std::vector<IndexedLeaf> tested;
  for (const FilterLeaf& leaf : filter.leaves()) {
    const auto offsets = row_group_index->GetOffsetIndex(leaf.leaf);
    if (offsets == nullptr) continue;
    IndexedLeaf indexed{.leaf = &leaf,
                        .physical = row_group->ColumnChunk(leaf.leaf)->type(),
                        .starts = PageStarts(*offsets, row_count),
                        .index = row_group_index->GetColumnIndex(leaf.leaf)};
    if (IsConsistent(indexed)) tested.push_back(std::move(indexed));
  }
  if (tested.empty()) return std::nullopt;
  PageSelection selection{.rows = MatchingRows(tested, filter, row_count)};
  int64_t wanted = 0;
  for (const RowRange& range : selection.rows)
    wanted += range.end - range.begin;
  if (static_cast<double>(wanted) > kRowShareMax * static_cast<double>(row_count)) {
    return std::nullopt;
  }
  for (const int leaf : flat_leaves) {
    const auto offsets = row_group_index->GetOffsetIndex(leaf);
    if (offsets == nullptr) continue;
    const std::vector<int64_t> starts = PageStarts(*offsets, row_count);
    if (!starts.empty()) selection.leaves.emplace(leaf, SelectLeafPages(starts, selection.rows));
  }
  return selection;
}

std::unique_ptr<parquet::ParquetFileReader> OpenSkippingPages(
    std::shared_ptr<arrow::io::RandomAccessFile> input, const parquet::ReaderProperties& properties,
    std::shared_ptr<parquet::FileMetaData> metadata, const PageSelection& selection) {
  auto file = std::make_unique<parquet::ParquetFileReader>();
  file->Open(std::make_unique<SkippingFile>(
      parquet::ParquetFileReader::Contents::Open(std::move(input), properties, std::move(metadata)),
      properties, selection));
  return file;
}

std::unique_ptr<BatchSource> MakePagedSource(std::vector<PagedColumn> columns,
                                             std::shared_ptr<const PageSelection> selection,
                                             int64_t first_row, int64_t batch_rows,
                                             std::shared_ptr<void> owner) {
  return std::make_unique<PagedSource>(std::move(columns), std::move(selection), first_row,
                                       batch_rows, std::move(owner));
}

}  // namespace firn
