#include <cstring>

#include "firn/data/orc/orc_decompressor_internal.h"

// LZO1X. Each instruction copies bytes from what was written before (a match), then up to three
// bytes of the input (literals), or a longer run of literals alone. What an instruction below 16
// means depends on how many literals came before it.

namespace firn {
namespace {

constexpr size_t kManyLiterals = 4;  // Stands for all counts from 4 on.
constexpr size_t kFarMatch = 16384;

struct Match {
  size_t distance = 0;
  size_t length = 0;
  size_t literals = 0;  // That follow it.
};

class LzoBlocks {
 public:
  LzoBlocks(std::span<const uint8_t> in, std::span<uint8_t> out) : in_(in), out_(out) {}

  int64_t Decompress() {
    while (in_at_ < in_.size() && is_sound_)
      Block();
    return is_sound_ ? static_cast<int64_t>(out_at_) : -1;
  }

 private:
  void Block() {
    size_t literals = 0;  // Before the instruction.
    if (in_[in_at_] > 17) {
      const size_t count = size_t{in_[in_at_++]} - 17;
      CopyLiterals(count);
      literals = count < kManyLiterals ? count : kManyLiterals;
    }
    while (is_sound_) {
      const size_t code = Byte();
      if (code < 16 && literals == 0) {
        CopyLiterals(3 + (code != 0 ? code : 15 + More()));
        literals = kManyLiterals;
        continue;
      }
      const Match match = ReadMatch(code, literals);
      if (match.distance == 0) return;  // The end of the block.
      CopyMatch(match);
      CopyLiterals(match.literals);
      literals = match.literals;
    }
  }

  Match ReadMatch(size_t code, size_t literals) {
    if (code < 16) {
      const size_t near = (Byte() << 2) + (code >> 2) + 1;
      const bool is_near = literals < kManyLiterals;
      return {is_near ? near : near + 2048, is_near ? size_t{2} : size_t{3}, code & 3};
    }
    if (code < 64) {
      const bool is_far = code < 32;
      const size_t mask = is_far ? 7 : 31;
      const size_t length = 2 + ((code & mask) != 0 ? code & mask : mask + More());
      const size_t low = Byte();
      const size_t pair = low | (Byte() << 8);
      if (!is_far) return {(pair >> 2) + 1, length, pair & 3};
      const size_t distance = ((code & 8) << 11) + (pair >> 2);
      return {distance == 0 ? 0 : kFarMatch + distance, length, pair & 3};
    }
    const size_t length = code < 128 ? 3 + ((code >> 5) & 1) : 5 + ((code >> 5) & 3);
    return {(Byte() << 3) + ((code >> 2) & 7) + 1, length, code & 3};
  }

  size_t Byte() {
    if (in_at_ < in_.size()) return in_[in_at_++];
    is_sound_ = false;
    return 1;  // Ends what counts zeros.
  }

  // The rest of a length that its instruction has no room for.
  size_t More() {
    size_t length = 0;
    while (true) {
      const size_t byte = Byte();
      if (byte != 0) return length + byte;
      length += 255;
    }
  }

  void CopyLiterals(size_t count) {
    is_sound_ = is_sound_ && count <= in_.size() - in_at_ && count <= out_.size() - out_at_;
    if (!is_sound_ || count == 0) return;
    std::memcpy(out_.data() + out_at_, in_.data() + in_at_, count);
    in_at_ += count;
    out_at_ += count;
  }

  void CopyMatch(const Match& match) {
    is_sound_ = is_sound_ && match.distance <= out_at_ && match.length <= out_.size() - out_at_;
    if (!is_sound_) return;
    for (size_t i = 0; i < match.length; ++i, ++out_at_)  // It may overlap itself.
      out_[out_at_] = out_[out_at_ - match.distance];
  }

  std::span<const uint8_t> in_;
  std::span<uint8_t> out_;
  size_t in_at_ = 0;
  size_t out_at_ = 0;
  bool is_sound_ = true;
};

}  // namespace

int64_t DecompressLzo(std::span<const uint8_t> in, std::span<uint8_t> out) {
  return LzoBlocks(in, out).Decompress();
}

}  // namespace firn
