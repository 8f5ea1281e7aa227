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
    const int64_t end = std::min(begin + part_.batch_rows, part_.rows[range_].end);
    ColumnSet::Columns children(static_cast<size_t>(part_.type->num_fields()));
    const auto read = [&](size_t i) -> Status {
      PlacedColumns& set = part_.sets[i];
      FIRN_RETURN_IF_ERROR(set.columns->Skip(begin - reached_));
      FIRN_ASSIGN(auto columns, set.columns->Read(end - begin));
      for (size_t j = 0; j < columns.size(); ++j)
        children[set.places[j]] = std::move(columns[j]);
      return {};
    };
    FIRN_RETURN_IF_ERROR(ForEachSet(read));
    reached_ = end;
    done_ += end - begin;
    if (end == part_.rows[range_].end) {
      ++range_;
      done_ = 0;
    }
    return std::optional<FileBatch>(FileBatch{
        .first_position = part_.first_row + begin,
        .rows =
            arrow::ArrayData::Make(part_.type, end - begin, {nullptr}, std::move(children), 0)});
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
  int64_t done_ = 0;     // Rows of the current range.
  int64_t reached_ = 0;  // The row that all columns have come to.
};

}  // namespace

std::unique_ptr<BatchSource> MakePartSource(PartColumns part) {
  return std::make_unique<PartSource>(std::move(part));
}

}  // namespace firn
