#include <bit>
#include <cstring>

#include "firn/parquet/value_decoder_internal.h"

// Values of fixed width: copied, gathered from the dictionary, or made 128-bit decimals on the way.

namespace firn {
namespace {

constexpr size_t kDecimalBytes = 16;
constexpr size_t kWordBits = 64;

uint64_t LoadBigEndian(const std::byte* in) {
  uint64_t word = 0;
  std::memcpy(&word, in, sizeof(word));
  return __builtin_bswap64(word);
}

void StoreDecimal(std::byte* out, uint64_t low, int64_t high) {
  std::memcpy(out, &low, sizeof(low));
  std::memcpy(out + sizeof(low), &high, sizeof(high));
}

template <typename T>
void WidenIntegers(const std::byte* in, size_t count, std::byte* out) {
  for (size_t i = 0; i < count; ++i) {
    T number = 0;
    std::memcpy(&number, in + i * sizeof(T), sizeof(T));
    const int64_t wide = number;
    StoreDecimal(out + i * kDecimalBytes, static_cast<uint64_t>(wide), wide < 0 ? -1 : 0);
  }
}

// `width` is 1 to 16; whole words are read.
void WidenBytes(const std::byte* in, size_t width, size_t count, std::byte* out) {
  if (width <= sizeof(uint64_t)) {
    const size_t unused = kWordBits - width * 8;
    for (size_t i = 0; i < count; ++i) {
      const int64_t number = static_cast<int64_t>(LoadBigEndian(in + i * width)) >> unused;
      StoreDecimal(out + i * kDecimalBytes, static_cast<uint64_t>(number), number < 0 ? -1 : 0);
    }
    return;
  }
  const size_t unused = 2 * kWordBits - width * 8;  // Below 64.
  for (size_t i = 0; i < count; ++i) {
    const uint64_t first = LoadBigEndian(in + i * width);
    const uint64_t second = LoadBigEndian(in + i * width + sizeof(uint64_t));
    const uint64_t low = unused == 0 ? second : first << (kWordBits - unused) | second >> unused;
    StoreDecimal(out + i * kDecimalBytes, low, static_cast<int64_t>(first) >> unused);
  }
}

template <size_t kWidth>
void GatherWide(const std::byte* table, const uint32_t* places, size_t count, std::byte* out) {
  for (size_t i = 0; i < count; ++i)
    std::memcpy(out + i * kWidth, table + places[i] * kWidth, kWidth);
}

void Gather(const std::byte* table, size_t width, std::span<const uint32_t> places,
            std::byte* out) {
  if (width == 4) return GatherWide<4>(table, places.data(), places.size(), out);
  if (width == 8) return GatherWide<8>(table, places.data(), places.size(), out);
  if (width == 16) return GatherWide<16>(table, places.data(), places.size(), out);
  for (size_t i = 0; i < places.size(); ++i)
    std::memcpy(out + i * width, table + places[i] * width, width);
}

void Repeat(const std::byte* value, size_t width, size_t count, std::byte* out) {
  for (size_t i = 0; i < count; ++i)
    std::memcpy(out + i * width, value, width);
}

class FixedDecoder final : public ValueDecoder {
 public:
  FixedDecoder(const FlatLeaf& leaf, std::unique_ptr<ByteStore> store)
      : leaf_(leaf),
        stored_width_(leaf.stored_width()),
        width_(leaf.width()),
        store_(std::move(store)) {}

  Status SetDictionary(const PageBody* dictionary) override {
    dictionary_size_ = 0;
    if (dictionary == nullptr) return {};
    const size_t count = dictionary->value_count;
    if (dictionary->values.size() / stored_width_ < count) {
      return MakeError(ErrorCode::kCorrupt, "a dictionary of {} values has {} bytes", count,
                       dictionary->values.size());
    }
    dictionary_ = dictionary->values.data();
    if (leaf_.form == ValueForm::kDecimal) {
      FIRN_ASSIGN(std::byte * made, store_->Hold(count * width_, 0));
      Convert(dictionary_, count, made);
      dictionary_ = made;
    }
    dictionary_size_ = count;
    return {};
  }

  Status SetPage(ParquetEncoding encoding, std::span<const std::byte> values) override {
    is_indexed_ = HoldsIndices(encoding);
    if (is_indexed_) return indices_.Begin(values, dictionary_size_);
    if (encoding != ParquetEncoding::kPlain) return UnsupportedEncoding(encoding);
    plain_ = values.data();
    left_ = values.size() / stored_width_;
    rest_bytes_ = values.size() % stored_width_;
    return {};
  }

  Status Read(size_t count, FlatOutput& out) override {
    std::byte* to = out.values + out.row_count * width_;
    if (is_indexed_) {
      return indices_.Read(count, [&](const NumberBlock& block) { return Append(block, to); });
    }
    FIRN_RETURN_IF_ERROR(CheckLeft(count));
    Convert(plain_, count, to);
    Advance(count);
    return {};
  }

  Status Pick(size_t count, std::span<const uint32_t> picks, FlatOutput& out) override {
    std::byte* to = out.values + out.row_count * width_;
    if (is_indexed_) {
      return indices_.Pick(count, picks,
                           [&](const NumberBlock& block) { return Append(block, to); });
    }
    FIRN_RETURN_IF_ERROR(CheckLeft(count));
    if (leaf_.form == ValueForm::kDecimal) {
      for (size_t i = 0; i < picks.size(); ++i)
        Convert(plain_ + picks[i] * stored_width_, 1, to + i * width_);
    } else {
      Gather(plain_, width_, picks, to);
    }
    Advance(count);
    return {};
  }

  Status Skip(size_t count) override {
    if (is_indexed_) return indices_.Skip(count);
    FIRN_RETURN_IF_ERROR(CheckLeft(count));
    Advance(count);
    return {};
  }

  std::span<const std::byte> Rest() const override {
    if (is_indexed_) return {};
    return {plain_, left_ * stored_width_ + rest_bytes_};
  }

  void Spread(size_t rows, size_t count, FlatOutput& out) override {
    SpreadValues(out.values + out.row_count * width_, width_, rows, count, out.validity,
                 out.row_count);
  }

 private:
  void Convert(const std::byte* in, size_t count, std::byte* out) const {
    if (leaf_.form != ValueForm::kDecimal) {
      if (count > 0) std::memcpy(out, in, count * width_);
    } else if (leaf_.type == PhysicalType::kInt32) {
      WidenIntegers<int32_t>(in, count, out);
    } else if (leaf_.type == PhysicalType::kInt64) {
      WidenIntegers<int64_t>(in, count, out);
    } else {
      WidenBytes(in, stored_width_, count, out);
    }
  }

  Status Append(const NumberBlock& block, std::byte*& to) const {
    if (block.is_run) {
      Repeat(dictionary_ + block.number * width_, width_, block.count, to);
    } else {
      Gather(dictionary_, width_, {block.numbers, block.count}, to);
    }
    to += block.count * width_;
    return {};
  }

  Status CheckLeft(size_t count) const {
    if (count <= left_) return {};
    return MakeError(ErrorCode::kCorrupt, "{} values are missing in a page", count - left_);
  }

  void Advance(size_t count) {
    plain_ += count * stored_width_;
    left_ -= count;
  }

  const FlatLeaf leaf_;
  const size_t stored_width_;
  const size_t width_;
  std::unique_ptr<ByteStore> store_;
  const std::byte* dictionary_ = nullptr;
  size_t dictionary_size_ = 0;
  bool is_indexed_ = false;
  IndexReader indices_;
  const std::byte* plain_ = nullptr;
  size_t left_ = 0;        // Values at `plain_`.
  size_t rest_bytes_ = 0;  // Behind them.
};

}  // namespace

std::unique_ptr<ValueDecoder> MakeFixedDecoder(const FlatLeaf& leaf,
                                               std::unique_ptr<ByteStore> dictionary) {
  return std::make_unique<FixedDecoder>(leaf, std::move(dictionary));
}

}  // namespace firn
