#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "firn/parquet/bits_internal.h"
#include "firn/parquet/number_stream_internal.h"

namespace firn {
namespace {

constexpr int kBitWidthMax = 32;
constexpr size_t kGroup = 8;
constexpr size_t kHeadBytesMax = 5;

// One for all streams of a thread: tables of thousands of columns have thousands of streams.
std::span<uint32_t> Block() {
  thread_local std::array<uint32_t, NumberStream::kBlock> block;
  return block;
}

}  // namespace

Status NumberStream::Begin(std::span<const std::byte> in, int bit_width) {
  if (bit_width < 0 || bit_width > kBitWidthMax) {
    return MakeError(ErrorCode::kCorrupt, "numbers of {} bits", bit_width);
  }
  in_ = in;
  width_ = static_cast<size_t>(bit_width);
  left_ = 0;
  if (bit_width > 0) return {};
  is_packed_ = false;
  number_ = 0;
  left_ = std::numeric_limits<size_t>::max();
  return {};
}

Status NumberStream::BeginRun() {
  while (left_ == 0) {
    uint64_t head = 0;
    size_t bytes = 0;
    bool is_last = false;
    while (!is_last) {
      if (bytes == kHeadBytesMax || bytes == in_.size()) {
        return MakeError(ErrorCode::kCorrupt, "the runs of a page end too early");
      }
      const auto byte = static_cast<uint8_t>(in_[bytes]);
      head |= static_cast<uint64_t>(byte & 0x7F) << (7 * bytes++);
      is_last = (byte & 0x80) == 0;
    }
    in_ = in_.subspan(bytes);
    if (head < 2) return MakeError(ErrorCode::kCorrupt, "a run of no numbers");
    is_packed_ = (head & 1) != 0;
    if (is_packed_) {
      // The last run may be cut short.
      const size_t size = std::min<uint64_t>((head >> 1) * width_, in_.size());
      packed_ = in_.data();
      next_ = 0;
      left_ = std::min<size_t>((head >> 1) * kGroup, size * 8 / width_);
      in_ = in_.subspan(size);
      continue;
    }
    const size_t size = (width_ + 7) / 8;
    if (size > in_.size()) return MakeError(ErrorCode::kCorrupt, "a run without its number");
    number_ = 0;
    std::memcpy(&number_, in_.data(), size);
    if (width_ < kBitWidthMax && number_ >> width_ != 0) {
      return MakeError(ErrorCode::kCorrupt, "a run of {}, which has more than {} bits", number_,
                       width_);
    }
    in_ = in_.subspan(size);
    left_ = head >> 1;
  }
  return {};
}

Result<NumberBlock> NumberStream::Next(size_t max) {
  if (left_ == 0) FIRN_RETURN_IF_ERROR(BeginRun());
  NumberBlock block{.count = std::min(max, left_), .is_run = !is_packed_, .number = number_};
  if (is_packed_) {
    block.count = std::min(block.count, kBlock);
    uint32_t* const numbers = Block().data();
    UnpackNumbers(packed_, static_cast<int>(width_), next_, block.count, numbers);
    block.numbers = numbers;
    next_ += block.count;
  }
  left_ -= block.count;
  return block;
}

Status NumberStream::Skip(size_t count) {
  while (count > 0) {
    if (left_ == 0) FIRN_RETURN_IF_ERROR(BeginRun());
    const size_t step = std::min(count, left_);
    next_ += step;
    left_ -= step;
    count -= step;
  }
  return {};
}

Result<size_t> NumberStream::ReadBits(size_t count, std::byte* out, size_t out_bit) {
  size_t set = 0;
  while (count > 0) {
    if (left_ == 0) FIRN_RETURN_IF_ERROR(BeginRun());
    const size_t step = std::min(count, left_);
    if (is_packed_) {
      set += CopyBits(packed_, next_, out, out_bit, step);
      next_ += step;
    } else {
      FillBits(number_ != 0, out, out_bit, step);
      set += number_ != 0 ? step : 0;
    }
    left_ -= step;
    out_bit += step;
    count -= step;
  }
  return set;
}

}  // namespace firn
