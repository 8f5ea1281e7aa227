#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array/data.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "firn/data/parquet/part_source_internal.h"

namespace firn {
namespace {

// Not what is damaged: Arrow may make values of it.
bool IsForArrow(const Error& error) { return error.code() == ErrorCode::kUnsupported; }

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
  explicit PartSource(PartColumns part) : part_(std::move(part)) {
    std::map<size_t, std::vector<size_t>> groups;
    for (size_t i = 0; i < part_.sets.size(); ++i)
      groups[part_.sets[i].group].push_back(i);
    for (auto& [group, sets] : groups)
      groups_.push_back(std::move(sets));
  }

  Result<std::optional<FileBatch>> Next() override {
    if (arrow_ != nullptr) return NextOfArrow();
    if (range_ == part_.rows.size()) return std::optional<FileBatch>();
    auto batch = Decode();
    if (batch.ok() || !IsForArrow(batch.error())) return batch;
    part_.sets.clear();
    stretch_ = {};
    FIRN_ASSIGN(arrow_, part_.open_with_arrow());
    return NextOfArrow();
  }

 private:
  // Rows that were looked at together, of which those that stay are handed out in pieces: as many
  // as each column has. Columns of large values come in small steps.
  struct Stretch {
    int64_t begin = 0;
    int64_t rows = 0;
    int64_t kept = 0;
    int64_t given = 0;            // Of those that stay.
    bool is_whole = true;         // All stay, and `picks` is empty.
    std::vector<uint32_t> picks;  // Counted from `begin`.
    ColumnSet::Columns tested;    // The rows that stay; without the columns that are not tested.
  };

  int64_t next_row() const { return part_.rows[range_].begin + done_; }

  Result<std::optional<FileBatch>> Decode() {
    if (stretch_.given == stretch_.kept) FIRN_RETURN_IF_ERROR(BeginStretch());
    FIRN_ASSIGN(FileBatch batch, TakePiece());
    Advance();
    return std::optional<FileBatch>(std::move(batch));
  }

  // To the first row that was not handed out.
  void Advance() {
    const bool is_over = stretch_.given == stretch_.kept;
    int64_t row = stretch_.begin + (is_over ? stretch_.rows : stretch_.given);
    if (!is_over && !stretch_.is_whole) {
      row = stretch_.begin + stretch_.picks[static_cast<size_t>(stretch_.given)];
    }
    done_ = row - part_.rows[range_].begin;
    if (row < part_.rows[range_].end) return;
    ++range_;
    done_ = 0;
  }

  // The columns that decide which rows stay.
  Status BeginStretch() {
    stretch_ = {.begin = next_row()};
    FIRN_ASSIGN(stretch_.rows, RowsToTest());
    stretch_.kept = stretch_.rows;
    if (part_.chooser == nullptr) return {};
    FIRN_RETURN_IF_ERROR(ForEachSet(true, [this](PlacedColumns& set) -> Status {
      if (set.held_rows > 0) return {};
      FIRN_ASSIGN(set.held, set.columns->ReadToTest(stretch_.rows));
      return Hold(set);
    }));
    for (const PlacedColumns& set : part_.sets) {
      if (set.is_tested) stretch_.rows = std::min(stretch_.rows, set.held_rows);
    }
    stretch_.tested = TakeHeld(true, stretch_.rows);
    const FileBatch batch{.first_position = part_.first_row + stretch_.begin,
                          .rows = MakeRows(stretch_.rows, stretch_.tested)};
    FIRN_ASSIGN(const RowMask mask, part_.chooser->Choose(batch));
    for (size_t i = 0; i < mask.size(); ++i) {
      if (mask[i] != 0) stretch_.picks.push_back(static_cast<uint32_t>(i));
    }
    stretch_.kept = std::ssize(stretch_.picks);
    stretch_.is_whole = stretch_.kept == stretch_.rows;
    if (!stretch_.is_whole && stretch_.kept > 0) return PickTested();
    return {};
  }

  Result<int64_t> RowsToTest() {
    int64_t rows = std::min(part_.batch_rows, part_.rows[range_].end - stretch_.begin);
    for (PlacedColumns& set : part_.sets) {
      if (!set.is_tested) continue;
      if (set.held_rows > 0) {
        rows = std::min(rows, set.held_rows);
        continue;
      }
      FIRN_RETURN_IF_ERROR(set.columns->Skip(stretch_.begin - set.reached));
      set.reached = stretch_.begin;
      FIRN_ASSIGN(rows, set.columns->CountTestable(rows));
    }
    return rows;
  }

  // The rows that were read.
  static Status Hold(PlacedColumns& set) {
    set.held_rows = set.held[0]->length;
    set.reached += set.held_rows;
    return {};
  }

  Status PickTested() {
    for (std::shared_ptr<arrow::ArrayData>& child : stretch_.tested) {
      if (child == nullptr) continue;
      FIRN_ASSIGN(child, PickRows(child, stretch_.picks, part_.pool));
    }
    return {};
  }

  // The next of the rows that stay, with all columns.
  Result<FileBatch> TakePiece() {
    const int64_t given = stretch_.given;
    const int64_t left = stretch_.kept - given;
    FileBatch batch{.first_position = part_.first_row + stretch_.begin,
                    .is_chosen = part_.chooser != nullptr};
    if (left == 0) {
      batch.rows = MakeRows(0, stretch_.tested);
      return batch;
    }
    FIRN_RETURN_IF_ERROR(stretch_.is_whole ? ReadOthers() : PickOthers());
    int64_t rows = left;
    for (const PlacedColumns& set : part_.sets) {
      if (!set.is_tested) rows = std::min(rows, set.held_rows);
    }
    ColumnSet::Columns children = TakeHeld(false, rows);
    for (size_t i = 0; i < children.size(); ++i) {
      if (children[i] == nullptr) children[i] = SliceOf(stretch_.tested[i], given, rows);
    }
    if (stretch_.is_whole) batch.first_position += given;
    const auto first = stretch_.picks.begin() + given;
    for (auto pick = first; !stretch_.is_whole && pick != first + rows; ++pick)
      batch.positions.push_back(batch.first_position + *pick);
    batch.rows = MakeRows(rows, std::move(children));
    stretch_.given += rows;
    return batch;
  }

  Status ReadOthers() {
    const int64_t begin = stretch_.begin + stretch_.given;
    return ForEachSet(false, [&](PlacedColumns& set) -> Status {
      if (set.held_rows > 0) return {};
      FIRN_RETURN_IF_ERROR(set.columns->Skip(begin - set.reached));
      set.reached = begin;
      FIRN_ASSIGN(set.held, set.columns->Read(stretch_.kept - stretch_.given));
      return Hold(set);
    });
  }

  Status PickOthers() {
    const std::span<const uint32_t> all = stretch_.picks;
    std::span<const uint32_t> picks = all.subspan(static_cast<size_t>(stretch_.given));
    std::vector<uint32_t> shifted;  // Counted from the first one.
    int64_t begin = stretch_.begin;
    if (stretch_.given > 0) {
      begin += picks[0];
      for (const uint32_t pick : picks)
        shifted.push_back(pick - picks[0]);
      picks = shifted;
    }
    const int64_t end = stretch_.begin + stretch_.rows;
    return ForEachSet(false, [&](PlacedColumns& set) -> Status {
      if (set.held_rows > 0) return {};
      FIRN_RETURN_IF_ERROR(set.columns->Skip(begin - set.reached));
      FIRN_ASSIGN(set.held, set.columns->Pick(end - begin, picks));
      set.held_rows = set.held[0]->length;
      const auto taken = static_cast<size_t>(set.held_rows);
      set.reached = taken == picks.size() ? end : begin + picks[taken];
      return {};
    });
  }

  // The first `rows` rows that sets of the kind hold, by their places.
  ColumnSet::Columns TakeHeld(bool are_tested, int64_t rows) {
    ColumnSet::Columns children(static_cast<size_t>(part_.type->num_fields()));
    for (PlacedColumns& set : part_.sets) {
      if (set.is_tested != are_tested) continue;
      const int64_t rest = set.held_rows - rows;
      for (size_t i = 0; i < set.held.size(); ++i) {
        children[set.places[i]] = SliceOf(set.held[i], 0, rows);
        set.held[i] = rest == 0 ? nullptr : SliceOf(set.held[i], rows, rest);
      }
      set.held_rows = rest;
    }
    return children;
  }

  static std::shared_ptr<arrow::ArrayData> SliceOf(const std::shared_ptr<arrow::ArrayData>& column,
                                                   int64_t begin, int64_t rows) {
    return begin == 0 && rows == column->length ? column : column->Slice(begin, rows);
  }

  std::shared_ptr<arrow::ArrayData> MakeRows(int64_t rows, ColumnSet::Columns children) const {
    return arrow::ArrayData::Make(part_.type, rows, {nullptr}, std::move(children), 0);
  }

  // Of the sets that are tested, or of the others.
  Status ForEachSet(bool are_tested, const std::function<Status(PlacedColumns&)>& body) {
    const auto visit = [&](size_t i) -> Status {
      PlacedColumns& set = part_.sets[i];
      if (set.is_tested != are_tested) return {};
      Status status = body(set);
      if (status.ok() || set.places.size() != 1) return status;
      const std::string& name = part_.type->field(static_cast<int>(set.places[0]))->name();
      return status.error().Within(fmt::format("column '{}'", name));
    };
    const auto visit_group = [&](size_t group) -> Status {
      for (const size_t i : groups_[group])
        FIRN_RETURN_IF_ERROR(visit(i));
      return {};
    };
    if (part_.executor != nullptr) {
      return ParallelFor(*part_.executor, groups_.size(), visit_group);
    }
    for (size_t i = 0; i < groups_.size(); ++i)
      FIRN_RETURN_IF_ERROR(visit_group(i));
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
  std::vector<std::vector<size_t>> groups_;  // Of its sets.
  std::unique_ptr<BatchSource> arrow_;
  Stretch stretch_;
  size_t range_ = 0;
  int64_t done_ = 0;  // Rows of the current range.
};

}  // namespace

std::unique_ptr<BatchSource> MakePartSource(PartColumns part) {
  return std::make_unique<PartSource>(std::move(part));
}

}  // namespace firn
