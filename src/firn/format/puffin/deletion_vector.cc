#include "firn/format/puffin/deletion_vector.h"

#include <array>
#include <cstring>

#include "firn/base/bytes.h"
#include "firn/base/hash.h"

namespace firn {
namespace {

constexpr std::string_view kMagic("\xD1\xD3\x39\x64", 4);
constexpr size_t kLengthBytes = 4;
constexpr size_t kCrcBytes = 4;

void AppendBigEndian(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift & 0xFF);
}

uint32_t ReadBigEndian(std::span<const std::byte> bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i)
    value = value << 8 | std::to_integer<uint32_t>(bytes[i]);
  return value;
}

}  // namespace

std::string FormatDeletionVector(const PositionSet& positions) {
  PositionSet optimized = positions;
  optimized.Optimize();
  const std::string bitmap = optimized.Serialize();
  std::string blob;
  blob.reserve(kLengthBytes + kMagic.size() + bitmap.size() + kCrcBytes);
  AppendBigEndian(blob, static_cast<uint32_t>(kMagic.size() + bitmap.size()));
  blob += kMagic;
  blob += bitmap;
  AppendBigEndian(blob, HashCrc32(AsBytes(blob).subspan(kLengthBytes)));
  return blob;
}

Result<PositionSet> ParseDeletionVector(std::span<const std::byte> blob) {
  constexpr size_t kAround = kLengthBytes + kCrcBytes;
  if (blob.size() < kAround + kMagic.size()) {
    return MakeError(ErrorCode::kCorrupt, "deletion vector of {} bytes, expected at least {}",
                     blob.size(), kAround + kMagic.size());
  }
  const size_t length = ReadBigEndian(blob);
  if (length != blob.size() - kAround) {
    return MakeError(ErrorCode::kCorrupt,
                     "deletion vector: its length says {} bytes, the blob holds {}", length,
                     blob.size() - kAround);
  }
  const auto body = blob.subspan(kLengthBytes, length);
  if (!AsText(body).starts_with(kMagic)) {
    return MakeError(ErrorCode::kCorrupt, "deletion vector: magic {}, expected d1d33964",
                     FormatHex(body.first(kMagic.size())));
  }
  const uint32_t stored = ReadBigEndian(blob.last(kCrcBytes));
  const uint32_t computed = HashCrc32(body);
  if (stored != computed) {
    return MakeError(ErrorCode::kCorrupt,
                     "deletion vector: its CRC is {:08x}, its content has {:08x}", stored,
                     computed);
  }
  FIRN_ASSIGN(PositionSet positions, PositionSet::Deserialize(body.subspan(kMagic.size())),
              "deletion vector");
  return positions;
}

}  // namespace firn
