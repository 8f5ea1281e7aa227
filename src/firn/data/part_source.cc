#include <algorithm>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/type.h>

#include "firn/data/part_source_internal.h"

namespace firn {
namespace {

bool IsForArrow(const Error& error) {
  return error.code() == ErrorCode::kCorrupt || error.code() == ErrorCode::kUnsupported;
}

// Rows of a batch from `position` (of the file) on, which are some.
FileBatch CutBefore(FileBatch batch, int64_t position) {
  const int64_t skip = position - batch.first_position;
  if (skip <= 0) return batch;
  const auto rows = batch.rows->Copy();
  rows->length -= skip;
  for (auto& child : rows->child_data)
    child = child->Slice(skip, rows->length);
  return {.first_position = position, .rows = rows};
}

class PartSource final : public BatchSource {
 public:
  explicit PartSource(PartColumns part) : part_(std::move(part)) {}

  Result<std::optional<FileBatch>> Next() override {
    if (arrow_ != nullptr) return NextOfArrow();
    if (range_ == part_.rows.size()) return std::optional<FileBatch>();
    auto batch = Decode();
    if (batch.ok() || !IsForArrow(batch.error())) return batch;
    part_.sets.clear();
    FIRN_ASSIGN(arrow_, part_.open_with_arrow());
    return NextOfArrow();
  }

 private:
  int64_t next_row() const { return part_.rows[range_].begin + done_; }

  Result<std::optional<FileBatch>> Decode() {
    const int64_t begin = next_row();
    FIRN_ASSIGN(const int64_t end, EndOfBatch(begin));
    FIRN_ASSIGN(FileBatch batch, DecodeRows(begin, end));
    done_ += end - begin;
    if (end == part_.rows[range_].end) {
      ++range_;
      done_ = 0;
    }
    return std::optional<FileBatch>(std::move(batch));
  }

  Result<int64_t> EndOfBatch(int64_t begin) {
    int64_t rows = std::min(part_.batch_rows, part_.rows[range_].end - begin);
    for (PlacedColumns& set : part_.sets) {
      if (!set.is_tested) continue;
      FIRN_RETURN_IF_ERROR(set.columns->Skip(begin - set.reached));
      set.reached = begin;
      FIRN_ASSIGN(rows, set.columns->CountTestable(rows));
    }
    return begin + rows;
  }

  // First the columns that decide which rows stay, then those rows of the others.
  Result<FileBatch> DecodeRows(int64_t begin, int64_t end) {
    const int64_t rows = end - begin;
    ColumnSet::Columns children(static_cast<size_t>(part_.type->num_fields()));
    FileBatch batch{.first_position = part_.first_row + begin};
    std::vector<uint32_t> picks;
    int64_t kept = rows;
    if (part_.chooser != nullptr) {
      FIRN_RETURN_IF_ERROR(ReadSets(true, begin, rows, nullptr, children));
      batch.rows = MakeRows(rows, children);
      FIRN_ASSIGN(const RowMask mask, part_.chooser->Choose(batch));
      for (size_t i = 0; i < mask.size(); ++i) {
        if (mask[i] != 0) picks.push_back(static_cast<uint32_t>(i));
      }
      kept = static_cast<int64_t>(picks.size());
      batch.is_chosen = true;
    }
    if (kept == rows) {
      FIRN_RETURN_IF_ERROR(ReadSets(false, begin, rows, nullptr, children));
    } else if (kept > 0) {
      FIRN_RETURN_IF_ERROR(PickChildren(picks, children));
      FIRN_RETURN_IF_ERROR(ReadSets(false, begin, rows, &picks, children));
      for (const uint32_t pick : picks)
        batch.positions.push_back(batch.first_position + pick);
    }
    batch.rows = MakeRows(kept, std::move(children));
    return batch;
  }

  std::shared_ptr<arrow::ArrayData> MakeRows(int64_t rows, ColumnSet::Columns children) const {
    return arrow::ArrayData::Make(part_.type, rows, {nullptr}, std::move(children), 0);
  }

  // Rows from `begin` on of the sets that are tested, or of the others; `picks` (null: all `rows`)
  // are counted from there.
  Status ReadSets(bool is_tested, int64_t begin, int64_t rows, const std::vector<uint32_t>* picks,
                  ColumnSet::Columns& children) {
    const auto read = [&](size_t i) -> Status {
      PlacedColumns& set = part_.sets[i];
      if (set.is_tested != is_tested) return {};
      FIRN_RETURN_IF_ERROR(set.columns->Skip(begin - set.reached));
      ColumnSet::Columns columns;
      if (is_tested) {
        FIRN_ASSIGN(columns, set.columns->ReadToTest(rows));
      } else if (picks == nullptr) {
        FIRN_ASSIGN(columns, set.columns->Read(rows));
      } else {
        FIRN_ASSIGN(columns, set.columns->Pick(rows, *picks));
      }
      set.reached = begin + rows;
      for (size_t j = 0; j < columns.size(); ++j)
        children[set.places[j]] = std::move(columns[j]);
      return {};
    };
    return ForEachSet(read);
  }

  // Of columns that are decoded, the rows that stay.
  Status PickChildren(const std::vector<uint32_t>& picks, ColumnSet::Columns& children) const {
    for (std::shared_ptr<arrow::ArrayData>& child : children) {
      if (child == nullptr) continue;
      FIRN_ASSIGN(child, PickRows(child, picks, part_.pool));
    }
    return {};
  }

  Status ForEachSet(const std::function<Status(size_t)>& body) {
    if (part_.executor != nullptr) return ParallelFor(*part_.executor, part_.sets.size(), body);
    for (size_t i = 0; i < part_.sets.size(); ++i)
      FIRN_RETURN_IF_ERROR(body(i));
    return {};
  }

  // Without the rows that were handed out before.
  Result<std::optional<FileBatch>> NextOfArrow() {
    while (range_ < part_.rows.size()) {
      FIRN_ASSIGN(auto batch, arrow_->Next());
      if (!batch) return batch;
      const int64_t position = part_.first_row + next_row();
      if (batch->first_position + batch->rows->length <= position) continue;
      range_ = part_.rows.size();  // The rest follows as it comes.
      return std::optional<FileBatch>(CutBefore(*std::move(batch), position));
    }
    return arrow_->Next();
  }

  PartColumns part_;
  std::unique_ptr<BatchSource> arrow_;
  size_t range_ = 0;
  int64_t done_ = 0;  // Rows of the current range.
};

}  // namespace

std::unique_ptr<BatchSource> MakePartSource(PartColumns part) {
  return std::make_unique<PartSource>(std::move(part));
}

}  // namespace firn
