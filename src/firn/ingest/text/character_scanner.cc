#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "firn/ingest/text/character_scanner_internal.h"

namespace firn {
namespace {

constexpr size_t kWindowBytes = 64;
constexpr uint64_t kOnes = 0x0101010101010101ULL;
constexpr uint64_t kHighs = kOnes << 7;

uint64_t Repeat(char c) { return static_cast<unsigned char>(c) * kOnes; }

// The highest bit of each byte that is zero.
uint64_t ZeroBytes(uint64_t bytes) { return ~(((bytes & ~kHighs) + ~kHighs) | bytes | ~kHighs); }

// The highest bits of eight bytes, that of the lowest one first.
uint64_t GatherHighs(uint64_t highs) { return (highs >> 7) * 0x0102040810204080ULL >> 56; }

uint64_t FindInWindow(const char* text, const char* wanted) {
#ifdef __SSE2__
  const __m128i a = _mm_set1_epi8(wanted[0]);
  const __m128i b = _mm_set1_epi8(wanted[1]);
  const __m128i c = _mm_set1_epi8(wanted[2]);
  const __m128i d = _mm_set1_epi8(wanted[3]);
  uint64_t found = 0;
  for (size_t i = 0; i < kWindowBytes; i += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    const __m128i left = _mm_or_si128(_mm_cmpeq_epi8(bytes, a), _mm_cmpeq_epi8(bytes, b));
    const __m128i right = _mm_or_si128(_mm_cmpeq_epi8(bytes, c), _mm_cmpeq_epi8(bytes, d));
    const int bits = _mm_movemask_epi8(_mm_or_si128(left, right));
    found |= static_cast<uint64_t>(static_cast<uint32_t>(bits)) << i;
  }
  return found;
#else
  return CharacterScanner::FindInPortably({text, kWindowBytes}, wanted);
#endif
}

}  // namespace

uint64_t CharacterScanner::FindInPortably(std::string_view text, const char* wanted) {
  uint64_t found = 0;
  for (size_t i = 0; i < text.size(); i += sizeof(uint64_t)) {
    const size_t count = std::min(sizeof(uint64_t), text.size() - i);
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, count);
    uint64_t highs = 0;
    for (size_t j = 0; j < 4; ++j)
      highs |= ZeroBytes(bytes ^ Repeat(wanted[j]));
    uint64_t bits = GatherHighs(highs);
    if (count < sizeof(uint64_t)) bits &= (uint64_t{1} << count) - 1;
    found |= bits << i;
  }
  return found;
}

uint64_t CharacterScanner::FindIn(std::string_view text, const char* wanted) {
  return text.size() == kWindowBytes ? FindInWindow(text.data(), wanted)
                                     : FindInPortably(text, wanted);
}

void CharacterScanner::Look(size_t at) {
  const size_t begin = at - at % kWindow;
  found_ = FindIn(text_.substr(begin, kWindow), wanted_);
  window_end_ = begin + kWindow;
}

}  // namespace firn
