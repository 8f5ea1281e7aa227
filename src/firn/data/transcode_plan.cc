#include <algorithm>
#include <cmath>
#include <utility>

#include "firn/data/transcode_plan_internal.h"

namespace firn {
namespace {

// Larger row groups of the input are read as rows, which streams them.
constexpr int64_t kInputRowGroupShare = 4;
// Row groups of this size, or half as large as the table asks for, stay as they are.
constexpr int64_t kCopiedBytesMin = int64_t{8} << 20;
// What is kept of the inputs between the look at their footers and their turn.
constexpr int64_t kKeptShare = 8;
constexpr int64_t kChunkFooterBytes = 400;
// Nulls take next to no bytes: without a limit there would be no end of them.
constexpr int64_t kRowGroupRowsMax = int64_t{1} << 27;

int64_t LargestChunk(const RowGroup& row_group) {
  int64_t largest = 0;
  for (const ColumnChunk& chunk : row_group.columns)
    largest = std::max(largest, chunk.total_compressed_size);
  return largest;
}

}  // namespace

TranscodePlan::TranscodePlan(const WriteContext& context, const ParquetLayout& layout,
                             const std::vector<FileScanTask>& tasks, const PositionsByFile& dropped,
                             const Limits& limits)
    : context_(context), layout_(layout), tasks_(tasks), dropped_(dropped), limits_(limits) {}

Result<bool> TranscodePlan::Open() {
  inputs_.resize(tasks_.size());
  deleted_.resize(tasks_.size());
  const ReadContext read{.io = context_.io,
                         .metadata = context_.metadata,
                         .executor = context_.executor,
                         .budget = context_.budget,
                         .cancel = context_.cancel};
  PositionDeletes deletes(read, BudgetPool::Make(context_.budget->total_bytes()), tasks_);
  std::atomic<bool> fits = true;
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *context_.executor, tasks_.size(),
      [&](size_t i) -> Status {
        if (!fits) return {};
        FIRN_ASSIGN(deleted_[i], deletes.Load(tasks_[i]));
        if (const auto more = dropped_.find(tasks_[i].file.file_path); more != dropped_.end()) {
          auto all = std::make_shared<PositionSet>(more->second);
          if (deleted_[i] != nullptr) all->Union(*deleted_[i]);
          deleted_[i] = std::move(all);
        }
        FIRN_ASSIGN(const bool input_fits, Look(i));
        if (!input_fits) fits = false;
        return {};
      },
      context_.cancel));
  return fits.load();
}

// Open an input, and keep it if there is room. False: its rows must be read.
Result<bool> TranscodePlan::Look(size_t index) {
  FIRN_ASSIGN(auto input,
              OpenTranscodeInput(context_, layout_, tasks_[index], deleted_[index].get()));
  if (input == nullptr) return false;
  auto bytes = static_cast<int64_t>(input->bytes.size());
  for (size_t i = 0; i < input->footer.row_groups.size(); ++i) {
    const int64_t stored = input->stored_bytes(i);
    remaining_bytes_ += stored;
    const int64_t bytes_at_once =
        IsWorthCopying({input, i}) ? LargestChunk(input->footer.row_groups[i]) : stored;
    if (bytes_at_once > context_.budget->total_bytes() / kInputRowGroupShare ||
        input->footer.row_groups[i].num_rows > kRowGroupRowsMax || IsTooLarge(stored)) {
      return false;
    }
    bytes += static_cast<int64_t>(layout_.leaves.size()) * kChunkFooterBytes;
  }
  input->file = nullptr;  // Opened again when it is its turn: there may be very many.
  if ((kept_bytes_ += bytes) <= context_.budget->total_bytes() / kKeptShare) {
    inputs_[index] = std::move(input);
  }
  return true;
}

Result<std::shared_ptr<TranscodeInput>> TranscodePlan::TakeInput(size_t index) {
  const DataFile& file = tasks_[index].file;
  std::shared_ptr<TranscodeInput> input = std::move(inputs_[index]);
  if (input == nullptr) {
    FIRN_ASSIGN(input, OpenTranscodeInput(context_, layout_, tasks_[index], deleted_[index].get()));
    if (input == nullptr) {
      return MakeError(ErrorCode::kCorrupt, "'{}' has changed while it was read", file.file_path);
    }
  } else if (input->bytes.empty()) {
    FIRN_ASSIGN(input->file, context_.io->Open(file.file_path, file.file_size_in_bytes));
  }
  deleted_[index] = nullptr;
  return input;
}

// Row groups are not cut here: files of such ones would be as much too large as before.
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
  for (size_t leaf = 0; leaf < layout_.leaves.size(); ++leaf) {
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

Result<std::unique_ptr<OutputRowGroup>> TranscodePlan::Next() {
  auto group = std::make_unique<OutputRowGroup>();
  const int64_t bytes_max = NextBytes();
  while (true) {
    FIRN_ASSIGN(const bool has_part, FindPart());
    if (!has_part) break;
    const int64_t bytes = next_.input->stored_bytes(next_.row_group);
    const int64_t rows = next_.input->kept_rows(next_.row_group);
    const bool stays_alone = IsWorthCopying(next_);
    const bool is_full =
        group->bytes + bytes / 2 > bytes_max || group->rows + rows > kRowGroupRowsMax;
    if (group->rows > 0 && (stays_alone || is_full)) break;
    remaining_bytes_ -= bytes;
    if (rows > 0) {
      group->parts.push_back(next_);
      group->rows += rows;
      group->bytes += bytes;
    }
    ++next_.row_group;
    if (stays_alone) break;
  }
  if (group->rows == 0) return std::unique_ptr<OutputRowGroup>();
  file_bytes_left_ -= group->bytes;
  // Whole row groups of the input leave a rest.
  if (file_bytes_left_ < bytes_max / 2) file_bytes_left_ = 0;
  group->ends_file = file_bytes_left_ <= 0;
  return group;
}

void TranscodePlan::Learn(int64_t bytes_in, int64_t bytes_out) {
  bytes_in_ += bytes_in;
  bytes_out_ += bytes_out;
}

}  // namespace firn
