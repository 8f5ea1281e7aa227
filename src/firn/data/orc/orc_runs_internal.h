#pragma once

#include <array>
#include <cstdint>

#include "firn/data/orc/orc_bytes_internal.h"

/// Values of streams, that are stored as runs. Where a stream ends too early or is damaged, zeros
/// come out, and the status of the bytes tells; ask it before the values are used.

namespace firn {

/// Bytes, run-length encoded.
class OrcByteRuns {
 public:
  OrcByteRuns(const OrcInput& input, ByteRange range) : bytes_(input, range) {}

  void Read(std::span<uint8_t> out);
  /// Whether no value is left, or something failed.
  bool AtEnd() { return left_ == 0 && bytes_.AtEnd(); }
  OrcBytes& bytes() { return bytes_; }

 private:
  OrcBytes bytes_;
  size_t left_ = 0;  // Of the run.
  bool repeats_ = false;
  uint8_t value_ = 0;
};

/// Booleans: bits in run-length encoded bytes.
class OrcBits {
 public:
  OrcBits(const OrcInput& input, ByteRange range) : runs_(input, range) {}

  /// Bytes that are 0 or 1.
  void Read(std::span<uint8_t> out);
  /// Whether no value is left but what fills the last byte, or something failed.
  bool AtEnd() { return runs_.AtEnd(); }
  OrcBytes& bytes() { return runs_.bytes(); }

 private:
  OrcByteRuns runs_;
  uint8_t byte_ = 0;
  unsigned bits_left_ = 0;  // Of `byte_`, from the lowest.
};

struct OrcIntegerForm {
  bool is_signed = true;
  bool is_version_2 = true;  ///< Of the run-length encoding.
};

/// Integers, run-length encoded in either version.
class OrcIntegers {
 public:
  OrcIntegers(const OrcInput& input, ByteRange range, OrcIntegerForm form)
      : bytes_(input, range), form_(form) {}

  void Read(std::span<int64_t> out);
  bool AtEnd() { return at_ == count_ && bytes_.AtEnd(); }
  OrcBytes& bytes() { return bytes_; }

 private:
  static constexpr size_t kRunMax = 512;

  void ReadRun();
  void ReadRunOfVersion1();
  void ReadShortRepeat(uint8_t head);
  void ReadDirect(uint8_t head);
  void ReadPatchedBase(uint8_t head);
  void ReadDelta(uint8_t head);
  size_t RunLength(uint8_t head);
  bool ApplyPatches(std::span<const uint64_t> patches, unsigned patch_bits, unsigned value_bits);
  void Unpack(uint64_t* out, size_t count, unsigned bits);
  uint64_t BigEndian(unsigned byte_count);
  uint64_t Varint();
  int64_t Value(uint64_t stored) const;

  OrcBytes bytes_;
  OrcIntegerForm form_;
  std::array<uint64_t, kRunMax> run_;
  size_t at_ = 0;
  size_t count_ = 0;
};

/// `stored` is twice the number, or twice what a negative one lacks to -1, plus 1.
inline int64_t DecodeZigzag(uint64_t stored) {
  return static_cast<int64_t>(stored >> 1) ^ -static_cast<int64_t>(stored & 1);
}

}  // namespace firn
