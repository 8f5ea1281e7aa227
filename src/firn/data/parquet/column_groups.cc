#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/parquet/parquet_pages_internal.h"

namespace firn {
namespace {

// Hands out rows of one group of columns by their place in the run.
class GroupCursor {
 public:
  explicit GroupCursor(ColumnGroup group) : group_(std::move(group)) {}

  // Rows [begin, end), which must be among the kept ones and behind all rows taken before.
  arrow::Result<arrow::ArrayVector> Take(int64_t begin, int64_t end) {
    std::vector<std::shared_ptr<arrow::RecordBatch>> pieces;
    while (begin < end) {
      if (next_ == chunk_rows()) {
        ARROW_RETURN_NOT_OK(ReadChunk());
        continue;
      }
      // The run of rows that chunk and kept range have in common.
      const RowRange& range = group_.kept[range_];
      const int64_t run = std::min(chunk_rows() - next_, range.end - row_);
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
    return Join(pieces);
  }

  const std::vector<size_t>& places() const { return group_.places; }
  arrow::FieldVector fields() const { return group_.batches->schema()->fields(); }

 private:
  int64_t chunk_rows() const { return chunk_ == nullptr ? 0 : chunk_->num_rows(); }

  static arrow::Result<arrow::ArrayVector> Join(
      const std::vector<std::shared_ptr<arrow::RecordBatch>>& pieces) {
    if (pieces.size() == 1) return pieces[0]->columns();
    arrow::ArrayVector columns;
    for (int i = 0; i < pieces[0]->num_columns(); ++i) {
      arrow::ArrayVector parts;
      for (const auto& piece : pieces)
        parts.push_back(piece->column(i));
      ARROW_ASSIGN_OR_RAISE(auto column, arrow::Concatenate(parts));
      columns.push_back(std::move(column));
    }
    return columns;
  }

  arrow::Status ReadChunk() {
    ARROW_RETURN_NOT_OK(group_.batches->ReadNext(&chunk_));
    if (chunk_ == nullptr || range_ == group_.kept.size()) {
      return arrow::Status::Invalid("column '", group_.batches->schema()->field(0)->name(),
                                    "' does not have the rows that the footer tells");
    }
    if (!has_begun_) row_ = group_.kept[0].begin;
    has_begun_ = true;
    next_ = 0;
    return arrow::Status::OK();
  }

  void Advance(int64_t rows) {
    next_ += rows;
    row_ += rows;
    if (row_ == group_.kept[range_].end && ++range_ < group_.kept.size()) {
      row_ = group_.kept[range_].begin;
    }
  }

  ColumnGroup group_;
  std::shared_ptr<arrow::RecordBatch> chunk_;
  int64_t next_ = 0;  // In the chunk.
  int64_t row_ = 0;   // In the run: of chunk row `next_`.
  size_t range_ = 0;  // The kept range that `row_` is in.
  bool has_begun_ = false;
};

class ColumnGroupSource final : public BatchSource {
 public:
  explicit ColumnGroupSource(ColumnGroups groups)
      : owner_(std::move(groups.owner)),
        selection_(std::move(groups.selection)),
        rows_(std::move(groups.rows)),
        first_row_(groups.first_row),
        batch_rows_(groups.batch_rows),
        executor_(groups.executor) {
    arrow::FieldVector fields;
    for (ColumnGroup& group : groups.groups) {
      cursors_.emplace_back(std::move(group));
      const arrow::FieldVector read = cursors_.back().fields();
      for (size_t i = 0; i < read.size(); ++i) {
        const size_t place = cursors_.back().places()[i];
        fields.resize(std::max(fields.size(), place + 1));
        fields[place] = read[i];
      }
    }
    type_ = arrow::struct_(std::move(fields));
  }

  Result<std::optional<FileBatch>> Next() override {
    if (range_ == rows_.size()) return std::optional<FileBatch>();
    const int64_t begin = rows_[range_].begin + done_;
    const int64_t end = std::min(begin + batch_rows_, rows_[range_].end);
    FIRN_ASSIGN(auto children, TakeAll(begin, end));
    if (selection_ != nullptr && *selection_->is_wrong) {
      return MakeError(ErrorCode::kCorrupt,
                       "a page has another number of rows than the page index tells");
    }
    FileBatch batch{
        .first_position = first_row_ + begin,
        .rows = arrow::ArrayData::Make(type_, end - begin, {nullptr}, std::move(children), 0)};
    done_ += end - begin;
    if (end == rows_[range_].end) {
      ++range_;
      done_ = 0;
    }
    return std::optional<FileBatch>(std::move(batch));
  }

 private:
  Result<std::vector<std::shared_ptr<arrow::ArrayData>>> TakeAll(int64_t begin, int64_t end) {
    std::vector<std::shared_ptr<arrow::ArrayData>> children(
        static_cast<size_t>(type_->num_fields()));
    const auto take = [&](size_t i) -> Status {
      FIRN_ASSIGN(const arrow::ArrayVector columns, GuardArrowResult(ErrorCode::kCorrupt, [&] {
                    return cursors_[i].Take(begin, end);
                  }));
      for (size_t j = 0; j < columns.size(); ++j) {
        children[cursors_[i].places()[j]] = columns[j]->data();
      }
      return {};
    };
    if (executor_ != nullptr) {
      FIRN_RETURN_IF_ERROR(ParallelFor(*executor_, cursors_.size(), take));
      return children;
    }
    for (size_t i = 0; i < cursors_.size(); ++i)
      FIRN_RETURN_IF_ERROR(take(i));
    return children;
  }

  std::shared_ptr<void> owner_;
  std::shared_ptr<const PageSelection> selection_;
  std::vector<GroupCursor> cursors_;
  std::shared_ptr<arrow::DataType> type_;
  std::vector<RowRange> rows_;
  int64_t first_row_;
  int64_t batch_rows_;
  Executor* executor_;
  size_t range_ = 0;
  int64_t done_ = 0;  // Rows of the current range.
};

}  // namespace

std::unique_ptr<BatchSource> MakeColumnGroupSource(ColumnGroups groups) {
  return std::make_unique<ColumnGroupSource>(std::move(groups));
}

}  // namespace firn
