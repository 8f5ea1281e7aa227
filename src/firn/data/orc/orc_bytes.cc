#include <algorithm>
#include <cstring>

#include "firn/data/orc/orc_bytes_internal.h"

namespace firn {
namespace {

constexpr int64_t kWindowBytes = 256 << 10;
constexpr int64_t kHeaderBytes = 3;

}  // namespace

OrcBytes::OrcBytes(const OrcInput& input, ByteRange range)
    : input_(input),
      file_at_(range.offset),
      file_end_(range.offset + range.length),
      window_(input.pool),
      chunk_(input.pool) {}

void OrcBytes::Fail(std::string_view what) {
  if (!ok()) return;
  status_ = MakeError(ErrorCode::kCorrupt, "{}", what);
  at_ = end_ = nullptr;
}

// Have `size` bytes in the window, which the stream has.
bool OrcBytes::FillWindow(int64_t size) {
  const int64_t held = window_end_ - window_at_;
  if (held >= size) return true;
  if (held > 0 && window_at_ > 0) {
    std::memmove(window_.data(), window_.data() + window_at_, static_cast<size_t>(held));
  }
  window_at_ = 0;
  window_end_ = held;
  const int64_t wanted = std::min(file_end_ - file_at_, std::max(size - held, kWindowBytes - held));
  status_ = window_.Grow(held + wanted, held + wanted);
  if (!ok()) return false;
  auto* const out = reinterpret_cast<std::byte*>(window_.data() + held);
  const auto read = input_.file->ReadAt(file_at_, {out, static_cast<size_t>(wanted)});
  if (!read.ok()) {
    status_ = read.error();
    return false;
  }
  if (*read < wanted) {
    Fail("the file ends within it");
    return false;
  }
  file_at_ += wanted;
  window_end_ += wanted;
  return true;
}

bool OrcBytes::LoadChunk() {
  if (file_end_ - file_at_ + window_end_ - window_at_ < kHeaderBytes) {
    Fail("it ends within the head of a chunk");
    return false;
  }
  if (!FillWindow(kHeaderBytes)) return false;
  const uint8_t* const head = window_.data() + window_at_;
  const uint32_t code = head[0] | uint32_t{head[1]} << 8 | uint32_t{head[2]} << 16;
  const bool is_stored = (code & 1) != 0;
  const int64_t size = code >> 1;
  window_at_ += kHeaderBytes;
  if (size > file_end_ - file_at_ + window_end_ - window_at_) {
    Fail("it ends within a chunk");
    return false;
  }
  if (!FillWindow(size)) return false;
  const uint8_t* const stored = window_.data() + window_at_;
  window_at_ += size;
  if (is_stored) {
    at_ = stored;
    end_ = stored + size;
    return true;
  }
  auto decompressed = input_.decompressor->Decompress(
      input_.codec, {stored, static_cast<size_t>(size)}, input_.chunk_bytes_max, chunk_);
  if (!decompressed.ok()) {
    status_ = decompressed.error();
    return false;
  }
  at_ = chunk_.data();
  end_ = at_ + *decompressed;
  return true;
}

// Get more bytes, if there are.
bool OrcBytes::Load() {
  while (ok() && at_ == end_ && (file_at_ < file_end_ || window_at_ < window_end_)) {
    if (input_.codec != OrcCodec::kNone) {
      if (!LoadChunk()) at_ = end_ = nullptr;
      continue;
    }
    if (!FillWindow(1)) break;
    at_ = window_.data() + window_at_;
    end_ = window_.data() + window_end_;
    window_at_ = window_end_;
  }
  return at_ != end_;
}

bool OrcBytes::Refill() {
  if (Load()) return true;
  Fail("it ends before its last value");
  return false;
}

bool OrcBytes::AtEnd() { return at_ == end_ && !Load(); }

void OrcBytes::Read(std::span<uint8_t> out) {
  while (!out.empty()) {
    const std::span<const uint8_t> some = Some(out.size());
    if (some.empty()) {
      std::memset(out.data(), 0, out.size());
      return;
    }
    std::memcpy(out.data(), some.data(), some.size());
    out = out.subspan(some.size());
  }
}

std::span<const uint8_t> OrcBytes::Some(size_t count_max) {
  if (at_ == end_ && !Refill()) return {};
  const std::span<const uint8_t> some(at_, std::min(count_max, static_cast<size_t>(end_ - at_)));
  at_ += some.size();
  return some;
}

int64_t OrcBytes::SizeMax() const {
  const int64_t stored = file_end_ - file_at_ + window_end_ - window_at_;
  return (end_ - at_) + stored * OrcExpansionMax(input_.codec);
}

}  // namespace firn
