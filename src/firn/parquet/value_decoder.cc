#include <algorithm>
#include <array>
#include <cstring>

#include "firn/parquet/bits_internal.h"
#include "firn/parquet/value_decoder_internal.h"

namespace firn {
namespace {

// Picks this far apart are reached by skipping.
constexpr size_t kGapMin = 16;
constexpr size_t kGroup = 8;

// From the end on, since values move up. `count` falls to where the values are in place.
template <typename Copy>
void SpreadDown(size_t rows, size_t count, const std::byte* validity, size_t row,
                const Copy& copy) {
  for (size_t i = rows; i-- > 0 && count <= i;) {
    count -= static_cast<size_t>(TestBit(validity, row + i));
    copy(i, count);
  }
}

template <size_t kWidth>
void SpreadWide(std::byte* first, size_t rows, size_t count, const std::byte* validity,
                size_t row) {
  SpreadDown(rows, count, validity, row, [first](size_t to, size_t from) {
    std::byte value[kWidth];
    std::memcpy(value, first + from * kWidth, kWidth);
    std::memcpy(first + to * kWidth, value, kWidth);
  });
}

}  // namespace

size_t ValueDecoder::CountWithin(size_t count, size_t) const { return count; }

Status ValueDecoder::ReadDictionary(FlatOutput&) const {
  return MakeError(ErrorCode::kInternal, "the dictionary of a column that is no text");
}

Status ValueDecoder::ReadIndices(size_t, FlatOutput&) {
  return MakeError(ErrorCode::kInternal, "the indices of a column that is no text");
}

bool HoldsIndices(ParquetEncoding encoding) {
  return encoding == ParquetEncoding::kPlainDictionary ||
         encoding == ParquetEncoding::kRleDictionary;
}

Error UnsupportedEncoding(ParquetEncoding encoding) {
  return MakeError(ErrorCode::kUnsupported, "values of encoding {}", static_cast<int>(encoding));
}

void SpreadValues(std::byte* first, size_t width, size_t rows, size_t count,
                  const std::byte* validity, size_t row) {
  std::memset(first + count * width, 0, (rows - count) * width);
  if (width == 4) return SpreadWide<4>(first, rows, count, validity, row);
  if (width == 8) return SpreadWide<8>(first, rows, count, validity, row);
  if (width == 16) return SpreadWide<16>(first, rows, count, validity, row);
  SpreadDown(rows, count, validity, row, [first, width](size_t to, size_t from) {
    std::memmove(first + to * width, first + from * width, width);
  });
}

Status IndexReader::Begin(std::span<const std::byte> values, size_t size) {
  size_ = size;
  // A page of nulls may have nothing.
  if (values.empty()) return numbers_.Begin(values, 1);
  return numbers_.Begin(values.subspan(1), static_cast<int>(values[0]));
}

Status IndexReader::Check(const NumberBlock& block) const {
  uint32_t largest = block.number;
  if (!block.is_run) {
    // Groups of a known size become wide instructions.
    std::array<uint32_t, kGroup> most{};
    size_t i = 0;
    for (; i + kGroup <= block.count; i += kGroup) {
      for (size_t j = 0; j < kGroup; ++j)
        most[j] = std::max(most[j], block.numbers[i + j]);
    }
    largest = *std::max_element(most.begin(), most.end());
    for (; i < block.count; ++i)
      largest = std::max(largest, block.numbers[i]);
  }
  if (largest < size_) return {};
  return MakeError(ErrorCode::kCorrupt, "dictionary index {}, the dictionary has {} values",
                   largest, size_);
}

// The next picked indices, one at least. `at` is how many of the page's indices are behind.
Result<NumberBlock> IndexReader::Collect(std::span<const uint32_t> picks, size_t& next,
                                         size_t& at) {
  // As in NumberStream, one for all readers of a thread.
  thread_local std::array<uint32_t, NumberStream::kBlock> picked;
  size_t count = 0;
  while (next < picks.size() && count < picked.size()) {
    const size_t gap = picks[next] - at;
    if (gap >= kGapMin) {
      FIRN_RETURN_IF_ERROR(numbers_.Skip(gap));
      at += gap;
    }
    const size_t wanted = gap >= kGapMin ? 1 : picks.back() + size_t{1} - at;
    FIRN_ASSIGN(const NumberBlock block, numbers_.Next(std::min(wanted, picked.size() - count)));
    for (; next < picks.size() && picks[next] - at < block.count; ++next) {
      picked[count++] = block.is_run ? block.number : block.numbers[picks[next] - at];
    }
    at += block.count;
  }
  return NumberBlock{.count = count, .numbers = picked.data()};
}

}  // namespace firn
