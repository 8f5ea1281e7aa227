#include <algorithm>
#include <cstring>
#include <limits>

#include "firn/parquet/bits_internal.h"
#include "firn/parquet/value_decoder_internal.h"

// Byte arrays. Copies of short ones take two moves of 16 bytes, which may run over the end.

namespace firn {
namespace {

constexpr size_t kPrefix = sizeof(uint32_t);
constexpr size_t kMove = 16;
constexpr size_t kTextBytesMax = std::numeric_limits<int32_t>::max();
// Indices of a dictionary that are looked at before it is asked whether there is room for more.
constexpr size_t kCountedAtOnce = 256;
static_assert(2 * kMove <= ByteStore::kSlack);

uint32_t LoadLength(const std::byte* in) {
  uint32_t length = 0;
  std::memcpy(&length, in, sizeof(length));
  return length;
}

inline void CopyText(const std::byte* in, size_t length, std::byte* out) {
  if (length > 2 * kMove) {
    std::memcpy(out, in, length);
    return;
  }
  std::byte head[kMove];
  std::memcpy(head, in, kMove);
  std::memcpy(out, head, kMove);
  if (length <= kMove) return;
  std::memcpy(head, in + kMove, kMove);
  std::memcpy(out + kMove, head, kMove);
}

// The end of the text, and how much fits there.
struct TextEnd {
  std::byte* bytes = nullptr;
  size_t size = 0;
  size_t capacity = 0;

  void Add(const std::byte* text, size_t length) {
    CopyText(text, length, bytes + size);
    size += length;
  }
};

// Room for `more` bytes of text and, where it has to grow, for `expected`.
Result<TextEnd> MakeRoom(FlatOutput& out, size_t more, size_t expected) {
  const size_t wanted = out.text_bytes + more;
  if (wanted > kTextBytesMax) {
    return MakeError(ErrorCode::kUnsupported, "{} bytes of text at one time", wanted);
  }
  size_t size = wanted;
  if (wanted > out.text->capacity()) {
    size = std::max({wanted, out.text_bytes + expected, out.text_bytes + out.text_bytes / 2});
    size = std::min(size, std::max(wanted, std::min(out.text_bytes_max, kTextBytesMax)));
  }
  FIRN_ASSIGN(std::byte * bytes, out.text->Hold(size, out.text_bytes));
  return TextEnd{.bytes = bytes,
                 .size = out.text_bytes,
                 .capacity = std::min(out.text->capacity(), kTextBytesMax)};
}

struct Entry {
  uint32_t offset = 0;  // In the dictionary page.
  uint32_t length = 0;
};

class TextDecoder final : public ValueDecoder {
 public:
  explicit TextDecoder(std::unique_ptr<ByteStore> store) : store_(std::move(store)) {}

  Status SetDictionary(const PageBody* dictionary) override {
    dictionary_size_ = dictionary_bytes_ = 0;
    longest_ = 0;
    if (dictionary == nullptr) return {};
    const std::span<const std::byte> bytes = dictionary->values;
    const size_t count = dictionary->value_count;
    if (bytes.size() / kPrefix < count) return EndsEarly();
    FIRN_ASSIGN(std::byte * memory, store_->Hold(count * sizeof(Entry), 0));
    Entry* const entries = reinterpret_cast<Entry*>(memory);
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
      if (bytes.size() - at < kPrefix) return EndsEarly();
      const uint32_t length = LoadLength(bytes.data() + at);
      at += kPrefix;
      if (length > bytes.size() - at) return EndsEarly();
      entries[i] = {static_cast<uint32_t>(at), length};
      at += length;
      longest_ = std::max(longest_, length);
    }
    dictionary_bytes_ = at;
    entries_ = entries;
    texts_ = bytes.data();
    dictionary_size_ = count;
    return {};
  }

  Status SetPage(ParquetEncoding encoding, std::span<const std::byte> values) override {
    is_indexed_ = HoldsIndices(encoding);
    if (is_indexed_) return indices_.Begin(values, dictionary_size_);
    if (encoding != ParquetEncoding::kPlain) return UnsupportedEncoding(encoding);
    plain_ = values.data();
    end_ = plain_ + values.size();
    return {};
  }

  Status Read(size_t count, FlatOutput& out) override {
    int32_t* ends = out.offsets + out.row_count + 1;
    if (is_indexed_) {
      return indices_.Read(count,
                           [&](const NumberBlock& block) { return Append(block, ends, out); });
    }
    FIRN_ASSIGN(TextEnd text, MakeRoom(out, 0, 0));
    for (size_t i = 0; i < count; ++i) {
      if (!BeginText()) return EndsEarly();
      if (length_ > text.capacity - text.size) {
        out.text_bytes = text.size;
        FIRN_ASSIGN(text, MakeRoom(out, length_, length_ + Expected(count - i)));
      }
      text.Add(plain_, length_);
      plain_ += length_;
      ends[i] = static_cast<int32_t>(text.size);
    }
    out.text_bytes = text.size;
    return {};
  }

  Status Pick(size_t count, std::span<const uint32_t> picks, FlatOutput& out) override {
    int32_t* ends = out.offsets + out.row_count + 1;
    if (is_indexed_) {
      return indices_.Pick(count, picks,
                           [&](const NumberBlock& block) { return Append(block, ends, out); });
    }
    size_t at = 0;
    for (size_t i = 0; i < picks.size(); ++i) {
      FIRN_RETURN_IF_ERROR(Skip(picks[i] - at));
      if (!BeginText()) return EndsEarly();
      FIRN_ASSIGN(TextEnd text, MakeRoom(out, length_, length_ * (picks.size() - i)));
      text.Add(plain_, length_);
      plain_ += length_;
      ends[i] = static_cast<int32_t>(text.size);
      out.text_bytes = text.size;
      at = picks[i] + size_t{1};
    }
    return Skip(count - at);
  }

  Status Skip(size_t count) override {
    if (is_indexed_) return indices_.Skip(count);
    for (size_t i = 0; i < count; ++i) {
      if (!BeginText()) return EndsEarly();
      plain_ += length_;
    }
    return {};
  }

  size_t CountWithin(size_t count, size_t bytes) const override {
    if (is_indexed_) {
      return uint64_t{longest_} * count <= bytes ? count : CountIndicesWithin(count, bytes);
    }
    if (static_cast<size_t>(end_ - plain_) <= bytes) return count;
    const std::byte* at = plain_;
    for (size_t i = 0; i < count; ++i) {
      if (static_cast<size_t>(end_ - at) < kPrefix) return count;  // Reading tells.
      const size_t length = LoadLength(at);
      if (length > bytes) return i;
      if (length > static_cast<size_t>(end_ - at) - kPrefix) return count;
      bytes -= length;
      at += kPrefix + length;
    }
    return count;
  }

  size_t dictionary_size() const override { return dictionary_size_; }
  size_t dictionary_bytes() const override { return dictionary_bytes_; }

  Status ReadDictionary(FlatOutput& out) const override {
    int32_t* ends = out.offsets + out.row_count + 1;
    for (uint32_t i = 0; i < dictionary_size_; ++i)
      FIRN_RETURN_IF_ERROR(Append({.count = 1, .is_run = true, .number = i}, ends, out));
    return {};
  }

  Status ReadIndices(size_t count, FlatOutput& out) override {
    if (!is_indexed_) return MakeError(ErrorCode::kCorrupt, "a page has no dictionary indices");
    std::byte* to = out.values + out.row_count * sizeof(uint32_t);
    return indices_.Read(count, [&to](const NumberBlock& block) -> Status {
      const size_t bytes = block.count * sizeof(uint32_t);
      if (block.is_run) {
        for (size_t i = 0; i < block.count; ++i)
          std::memcpy(to + i * sizeof(uint32_t), &block.number, sizeof(uint32_t));
      } else {
        std::memcpy(to, block.numbers, bytes);
      }
      to += bytes;
      return {};
    });
  }

  std::span<const std::byte> Rest() const override {
    if (is_indexed_) return {};
    return {plain_, end_};
  }

  void Spread(size_t rows, size_t count, FlatOutput& out) override {
    int32_t* ends = out.offsets + out.row_count + 1;
    for (size_t i = rows; i-- > 0 && count <= i;) {
      // The end of the last value up to this row; a null is empty.
      ends[i] = ends[static_cast<ptrdiff_t>(count) - 1];
      count -= static_cast<size_t>(TestBit(out.validity, out.row_count + i));
    }
  }

 private:
  static Error EndsEarly() {
    return MakeError(ErrorCode::kCorrupt, "a text is longer than its page");
  }

  // Go to the next text of the page: its first byte and its length. False if there is none.
  bool BeginText() {
    const auto left = static_cast<size_t>(end_ - plain_);
    if (left < kPrefix) return false;
    length_ = LoadLength(plain_);
    plain_ += kPrefix;
    return length_ <= left - kPrefix;
  }

  // Bytes that the next `count` texts of the page might have: as many as all that are left, if
  // they are about as long as the current one.
  size_t Expected(size_t count) const {
    const auto left = static_cast<size_t>(end_ - plain_);
    return std::min(left, count * (length_ + length_ / 4 + 1));
  }

  size_t CountIndicesWithin(size_t count, size_t bytes) const {
    IndexReader ahead = indices_;
    size_t fitting = 0;
    bool is_full = false;
    const auto count_block = [&](const NumberBlock& block) -> Status {
      for (size_t i = 0; i < block.count && !is_full; ++i) {
        const size_t length = entries_[block.is_run ? block.number : block.numbers[i]].length;
        is_full = length > bytes;
        if (is_full) break;
        bytes -= length;
        ++fitting;
      }
      return {};
    };
    // Where rows are null, the page has fewer values.
    for (size_t left = count; left > 0 && !is_full;) {
      const size_t step = std::min(left, kCountedAtOnce);
      if (!ahead.Read(step, count_block).ok()) break;
      left -= step;
    }
    return is_full ? fitting : count;  // Reading tells what is wrong.
  }

  Status Append(const NumberBlock& block, int32_t*& ends, FlatOutput& out) const {
    size_t bytes = 0;
    if (block.is_run) {
      bytes = block.count * size_t{entries_[block.number].length};
    } else {
      for (size_t i = 0; i < block.count; ++i)
        bytes += entries_[block.numbers[i]].length;
    }
    FIRN_ASSIGN(TextEnd text, MakeRoom(out, bytes, bytes));
    for (size_t i = 0; i < block.count; ++i) {
      const Entry entry = entries_[block.is_run ? block.number : block.numbers[i]];
      text.Add(texts_ + entry.offset, entry.length);
      *ends++ = static_cast<int32_t>(text.size);
    }
    out.text_bytes = text.size;
    return {};
  }

  std::unique_ptr<ByteStore> store_;
  const Entry* entries_ = nullptr;  // Of the dictionary, in `store_`.
  const std::byte* texts_ = nullptr;
  size_t dictionary_size_ = 0;
  size_t dictionary_bytes_ = 0;
  uint32_t longest_ = 0;  // Text of the dictionary.
  bool is_indexed_ = false;
  IndexReader indices_;
  const std::byte* plain_ = nullptr;  // The rest of the page.
  const std::byte* end_ = nullptr;
  size_t length_ = 0;
};

}  // namespace

std::unique_ptr<ValueDecoder> MakeTextDecoder(std::unique_ptr<ByteStore> dictionary) {
  return std::make_unique<TextDecoder>(std::move(dictionary));
}

}  // namespace firn
