#include <array>

#include <xxhash.h>

#include "firn/base/bytes.h"
#include "firn/parquet/bloom_filter_internal.h"
#include "firn/parquet/thrift_compact_internal.h"

namespace firn {
namespace {

constexpr size_t kWordsPerBlock = 8;
// The format's: each picks a bit of its word of a block.
constexpr std::array<uint32_t, kWordsPerBlock> kSalts = {0x47B6137BU, 0x44974D91U, 0x8824AD5BU,
                                                         0xA2B7289DU, 0x705495C7U, 0x2DF1424BU,
                                                         0x9EFC4947U, 0x5C6BFB31U};

// A union whose only member, an empty structure, is `member`.
void WriteUnion(int16_t id, int16_t member, ThriftWriter& out) {
  out.BeginStructField(id);
  const int16_t outer = out.EnterStruct();
  out.BeginStructField(member);
  out.LeaveStruct(out.EnterStruct());
  out.LeaveStruct(outer);
}

}  // namespace

void BloomFilter::Insert(std::string_view value) {
  const uint64_t hash = XXH64(value.data(), value.size(), 0);
  const uint64_t blocks = words_.size() / kWordsPerBlock;
  const size_t block = static_cast<size_t>(((hash >> 32) * blocks) >> 32) * kWordsPerBlock;
  const auto key = static_cast<uint32_t>(hash);
  for (size_t i = 0; i < kWordsPerBlock; ++i)
    words_[block + i] |= uint32_t{1} << ((key * kSalts[i]) >> 27);
}

std::string BloomFilter::Format() const {
  const std::string_view bits(reinterpret_cast<const char*>(words_.data()),
                              words_.size() * sizeof(uint32_t));
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  out.WriteI32(1, static_cast<int32_t>(bits.size()));
  WriteUnion(2, 1, out);  // In blocks.
  WriteUnion(3, 1, out);  // xxHash.
  WriteUnion(4, 1, out);  // Not compressed.
  out.LeaveStruct(outer);
  return out.Take() + std::string(bits);
}

}  // namespace firn
