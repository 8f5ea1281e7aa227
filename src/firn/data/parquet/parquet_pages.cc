#include <algorithm>
#include <utility>

#include <parquet/column_reader.h>
#include <parquet/page_index.h>

#include "firn/data/parquet/parquet_pages_internal.h"

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

}  // namespace firn
