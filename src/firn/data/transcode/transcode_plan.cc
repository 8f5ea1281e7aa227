#include <algorithm>
#include <cmath>
#include <utility>

#include "firn/data/transcode/transcode_plan_internal.h"

namespace firn {
namespace {

// Larger row groups of the input are read as rows, which streams them.
constexpr int64_t kInputRowGroupShare = 4;
// Row groups of this size, or half as large as the table asks for, stay as they are.
constexpr int64_t kCopiedBytesMin = int64_t{8} << 20;
// What is kept of the inputs between the look at their footers and their turn: small files as a
// whole, and of others the footers, of which there can be many.
constexpr int64_t kKeptShare = 16;
constexpr int64_t kKeptTailsShare = 64;
// Footers, parsed, that a row group of the output may hold. Where row groups get as small as this
// for it, rows are read instead, one file after the other.
constexpr int64_t kFootersShare = 16;
constexpr int64_t kRowGroupRowsMin = 5000;
// Nulls take next to no bytes: without a limit there would be no end of them.
constexpr int64_t kRowGroupRowsMax = int64_t{1} << 27;

int64_t LargestChunk(const RowGroup& row_group) {
  int64_t largest = 0;
  for (const ColumnChunk& chunk : row_group.columns)
    largest = std::max(largest, chunk.total_compressed_size);
  return largest;
}

}  // namespace

TranscodePlan::TranscodePlan(const TranscodeContext& context,
                             const std::vector<FileScanTask>& tasks, const PositionsByFile& dropped,
                             const Limits& limits)
    : context_(context), tasks_(tasks), dropped_(dropped), limits_(limits) {}

Status TranscodePlan::Open() {
  kept_.resize(tasks_.size());
  deleted_.resize(tasks_.size());
  const WriteContext& write = context_.write;
  const ReadContext read{.io = write.io,
                         .metadata = write.metadata,
                         .executor = write.executor,
                         .budget = write.budget,
                         .cancel = write.cancel};
  PositionDeletes deletes(read, BudgetPool::Make(write.budget->total_bytes()), tasks_);
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *write.executor, tasks_.size(),
      [&](size_t i) -> Status {
        FIRN_ASSIGN(deleted_[i], deletes.Load(tasks_[i]));
        if (const auto more = dropped_.find(tasks_[i].file.file_path); more != dropped_.end()) {
          auto all = std::make_shared<PositionSet>(more->second);
          if (deleted_[i] != nullptr) all->Union(*deleted_[i]);
          deleted_[i] = std::move(all);
        }
        return Look(i);
      },
      write.cancel));
  return CheckFooters();
}

// Of tiny files there are so many in a row group that what tells of their rows takes more memory
// than the rows do.
Status TranscodePlan::CheckFooters() const {
  const int64_t row_groups = footers_bytes_ / FootersMax();
  int64_t rows = 0;
  for (const FileScanTask& task : tasks_)
    rows += task.file.record_count;
  if (row_groups == 0 || rows / row_groups >= kRowGroupRowsMin) return {};
  return MakeError(ErrorCode::kUnsupported, "the footers of {} small files take too much memory",
                   tasks_.size());
}

int64_t TranscodePlan::FootersMax() const {
  return std::max<int64_t>(context_.write.budget->total_bytes() / kFootersShare, 1);
}

// Open an input, and keep its bytes if there is room.
Status TranscodePlan::Look(size_t index) {
  const int64_t budget_bytes = context_.write.budget->total_bytes();
  FIRN_ASSIGN(auto input, OpenTranscodeInput(context_, tasks_[index], deleted_[index].get()));
  for (size_t i = 0; i < input->footer.row_groups.size(); ++i) {
    const int64_t stored = input->stored_bytes(i);
    remaining_bytes_ += stored;
    const bool is_copied = !IsTooLarge(stored) && IsWorthCopying({input, i, nullptr});
    const int64_t bytes_at_once = is_copied ? LargestChunk(input->footer.row_groups[i]) : stored;
    if (bytes_at_once > budget_bytes / kInputRowGroupShare ||
        input->footer.row_groups[i].num_rows > kRowGroupRowsMax) {
      return MakeError(ErrorCode::kUnsupported, "'{}': row group {} of {} bytes is too large",
                       tasks_[index].file.file_path, i, stored);
    }
  }
  footers_bytes_ += input->footer_memory();
  const bool is_small = !input->bytes.empty();
  Buffer& bytes = is_small ? input->bytes : input->tail;
  const int64_t kept_max = budget_bytes / (is_small ? kKeptShare : kKeptTailsShare);
  if ((kept_bytes_ += std::ssize(bytes.span())) <= kept_max) kept_[index] = std::move(bytes);
  return {};
}

Result<std::shared_ptr<TranscodeInput>> TranscodePlan::TakeInput(size_t index) {
  FIRN_ASSIGN(auto input, OpenTranscodeInput(context_, tasks_[index], deleted_[index].get(),
                                             std::exchange(kept_[index], {})));
  input->tail = {};
  deleted_[index] = nullptr;
  return input;
}

// Files of such row groups would be as much too large as before: they are cut.
bool TranscodePlan::IsTooLarge(int64_t row_group_bytes) const {
  return limits_.file_bytes > 0 && row_group_bytes > limits_.file_bytes / 2 * 3;
}

// Large, and with all its rows: a row group of the output by itself.
bool TranscodePlan::IsWorthCopying(const InputPart& part) const {
  const TranscodeInput& input = *part.input;
  if (input.stored_bytes(part.row_group) < std::min(kCopiedBytesMin, limits_.row_group_bytes / 2)) {
    return false;
  }
  if (input.kept_rows(part.row_group) != input.footer.row_groups[part.row_group].num_rows) {
    return false;
  }
  for (size_t leaf = 0; leaf < context_.layout.leaves.size(); ++leaf) {
    const ColumnChunk* chunk = part.FindChunk(leaf);
    if (chunk != nullptr && chunk->codec != limits_.codec) return false;
  }
  return true;
}

int64_t TranscodePlan::NextBytes() {
  if (file_bytes_left_ <= 0) {
    // What is left is dealt out evenly, so that the last file is not a small one.
    const auto remaining = static_cast<double>(remaining_bytes_);
    const double ratio =
        bytes_in_ == 0 ? 1 : static_cast<double>(bytes_out_) / static_cast<double>(bytes_in_);
    const auto target = static_cast<double>(limits_.file_bytes);
    const double files = target > 0 ? std::max(1.0, std::round(remaining * ratio / target)) : 1.0;
    file_bytes_left_ = static_cast<int64_t>(remaining / files);
  }
  // Evenly too.
  const int64_t groups = std::max<int64_t>(
      1, (file_bytes_left_ + limits_.row_group_bytes - 1) / limits_.row_group_bytes);
  return file_bytes_left_ / groups;
}

// Let `next_` stand at a row group. False: there is none left.
Result<bool> TranscodePlan::FindPart() {
  while (next_input_ < tasks_.size()) {
    if (next_.input == nullptr) {
      FIRN_ASSIGN(next_.input, TakeInput(next_input_));
      next_.row_group = 0;
    }
    if (next_.row_group < next_.input->footer.row_groups.size()) return true;
    next_.input = nullptr;
    ++next_input_;
  }
  return false;
}

TranscodePlan::NextPart TranscodePlan::PeekPart(int64_t bytes_max) {
  const TranscodeInput& input = *next_.input;
  NextPart next{.part = next_,
                .rows = input.kept_rows(next_.row_group),
                .bytes = input.stored_bytes(next_.row_group)};
  if (IsTooLarge(next.bytes)) {
    CutPiece(next, bytes_max);
  } else {
    next.stays_alone = IsWorthCopying(next_);
  }
  return next;
}

// Pieces have about as many rows each.
void TranscodePlan::CutPiece(NextPart& next, int64_t bytes_max) {
  if (cut_ == nullptr) {
    cut_ = std::make_shared<CutRowGroup>(context_.layout.leaves.size());
    auto memory = context_.write.budget->TryReserve(next.bytes);
    if (memory.ok()) cut_->memory = std::move(*memory);
    piece_ = 0;
    pieces_ = std::max<int64_t>((next.bytes + bytes_max / 2) / std::max<int64_t>(bytes_max, 1), 1);
  }
  const int64_t all = next_.input->footer.row_groups[next_.row_group].num_rows;
  const RowSpan rows{all / pieces_ * piece_ + std::min(all % pieces_, piece_),
                     all / pieces_ * (piece_ + 1) + std::min(all % pieces_, piece_ + 1)};
  auto piece = std::make_shared<RowGroupPiece>();
  piece->cut = cut_;
  const std::vector<RowSpan> whole = {{0, all}};
  const std::vector<RowSpan>* kept = next_.kept();
  next.rows = 0;
  for (const RowSpan& span : kept == nullptr ? whole : *kept) {
    const RowSpan both{std::max(span.begin, rows.begin), std::min(span.end, rows.end)};
    if (both.begin >= both.end) continue;
    piece->kept.push_back(both);
    next.rows += both.end - both.begin;
  }
  next.bytes /= pieces_;
  next.part.piece = std::move(piece);
  next.stays_alone = true;
}

// Go on behind it.
void TranscodePlan::TakePart(const NextPart& next) {
  remaining_bytes_ -= next.bytes;
  if (next.part.piece != nullptr && ++piece_ < pieces_) return;
  cut_ = nullptr;
  ++next_.row_group;
}

Result<std::unique_ptr<OutputRowGroup>> TranscodePlan::Next() {
  auto group = std::make_unique<OutputRowGroup>();
  const int64_t bytes_max = NextBytes();
  int64_t footers_bytes = 0;
  while (true) {
    FIRN_ASSIGN(const bool has_part, FindPart());
    if (!has_part) break;
    NextPart next = PeekPart(bytes_max);
    const bool is_full = group->bytes + next.bytes / 2 > bytes_max ||
                         group->rows + next.rows > kRowGroupRowsMax || footers_bytes > FootersMax();
    if (group->rows > 0 && (next.stays_alone || is_full)) break;
    TakePart(next);
    if (next.rows == 0) continue;
    group->rows += next.rows;
    group->bytes += next.bytes;
    footers_bytes += next.part.input->footer_memory();
    group->parts.push_back(std::move(next.part));
    if (next.stays_alone) break;
  }
  if (group->rows == 0) return std::unique_ptr<OutputRowGroup>();
  file_bytes_left_ -= group->bytes;
  // Whole row groups of the input leave a rest.
  if (file_bytes_left_ < std::min(bytes_max, group->bytes) / 2) file_bytes_left_ = 0;
  group->ends_file = file_bytes_left_ <= 0;
  return group;
}

void TranscodePlan::Learn(int64_t bytes_in, int64_t bytes_out) {
  bytes_in_ += bytes_in;
  bytes_out_ += bytes_out;
}

}  // namespace firn
