#include <cstring>
#include <limits>
#include <utility>

#include "firn/data/orc/orc_column_internal.h"

namespace firn {
namespace {

constexpr int64_t kBytesMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kStepBytes = 1 << 20;

// Read `size` bytes to the front of `out`, which grows as they come.
Status ReadText(OrcBytes& bytes, int64_t size, OrcBuffer& out) {
  if (size > bytes.SizeMax()) {
    return MakeError(ErrorCode::kCorrupt, "texts of {} bytes are more than it has", size);
  }
  FIRN_RETURN_IF_ERROR(out.Grow(std::min(size, kStepBytes), size));
  for (int64_t done = 0; done < size;) {
    const int64_t step = std::min(kStepBytes, size - done);
    FIRN_RETURN_IF_ERROR(out.Grow(done + step, size));
    bytes.Read({out.data() + done, static_cast<size_t>(step)});
    FIRN_RETURN_IF_ERROR(bytes.status());
    done += step;
  }
  return {};
}

Error TooMuchText(int64_t size) {
  return MakeError(ErrorCode::kResourceExhausted,
                   "texts of {} bytes are more than the {} of one batch", size, kBytesMax);
}

// From lengths, dense, to the offsets of `slots`. Returns the sum.
Result<int64_t> ToOffsets(const OrcSlots& slots, const int64_t* lengths, int32_t* offsets) {
  int64_t sum = 0;
  for (int64_t i = 0; i < slots.count; ++i) {
    offsets[i] = static_cast<int32_t>(sum);
    if (slots.present != nullptr && slots.present[i] == 0) continue;
    const int64_t length = *lengths++;
    if (length < 0) return MakeError(ErrorCode::kCorrupt, "a text has {} bytes", length);
    if (length > kBytesMax - sum) return TooMuchText(sum + std::min(length, kBytesMax));
    sum += length;
  }
  offsets[slots.count] = static_cast<int32_t>(sum);
  return sum;
}

Status ReadIntegers(OrcIntegers& integers, int64_t count, OrcBuffer& out) {
  return FillOrcValues<int64_t>({.count = count, .value_count = count}, out,
                                [&](int64_t* first, int64_t step) {
                                  integers.Read({first, static_cast<size_t>(step)});
                                  return integers.bytes().status();
                                });
}

class DirectTextColumn final : public OrcColumn {
 public:
  DirectTextColumn(const OrcStripeSource& stripe, size_t column, const FileField& field,
                   OrcIntegerForm form)
      : OrcColumn(stripe, column, field.type),
        lengths_(stripe.input, stripe.Find(column, OrcStreamKind::kLength), form),
        bytes_(stripe.input, stripe.Find(column, OrcStreamKind::kData)),
        dense_(stripe.input.pool) {}

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    FIRN_RETURN_IF_ERROR(ReadIntegers(lengths_, slots.value_count, dense_));
    OrcBuffer offsets(pool());
    FIRN_RETURN_IF_ERROR(offsets.Resize((slots.count + 1) * int64_t{sizeof(int32_t)}));
    FIRN_ASSIGN(const int64_t size, ToOffsets(slots, dense_.as<int64_t>(), offsets.as<int32_t>()));
    OrcBuffer text(pool());
    FIRN_RETURN_IF_ERROR(ReadText(bytes_, size, text));
    out.buffers.push_back(offsets.Take());
    out.buffers.push_back(text.Take());
    return {};
  }
  Status CheckValuesEnd() override {
    FIRN_RETURN_IF_ERROR(CheckOrcEnd(lengths_));
    return CheckOrcEnd(*this);
  }

  bool AtEnd() { return bytes_.AtEnd(); }
  OrcBytes& bytes() { return bytes_; }

 private:
  OrcIntegers lengths_;
  OrcBytes bytes_;
  OrcBuffer dense_;
};

class DictionaryTextColumn final : public OrcColumn {
 public:
  DictionaryTextColumn(const OrcStripeSource& stripe, size_t column, const FileField& field,
                       OrcIntegerForm form)
      : OrcColumn(stripe, column, field.type),
        ids_(stripe.input, stripe.Find(column, OrcStreamKind::kData), form),
        offsets_(stripe.input.pool),
        text_(stripe.input.pool),
        dense_(stripe.input.pool) {}

  Status Open(const OrcStripeSource& stripe, size_t column, OrcIntegerForm form) {
    size_ = stripe.footer->encodings[column].dictionary_size;
    OrcIntegers lengths(stripe.input, stripe.Find(column, OrcStreamKind::kLength), form);
    OrcBuffer dense(pool());
    FIRN_RETURN_IF_ERROR(ReadIntegers(lengths, size_, dense), "its dictionary");
    FIRN_RETURN_IF_ERROR(offsets_.Resize((size_ + 1) * int64_t{sizeof(int64_t)}));
    int64_t end = 0;
    const ByteRange place = stripe.Find(column, OrcStreamKind::kDictionaryData);
    OrcBytes bytes(stripe.input, place);
    const int64_t size_max = bytes.SizeMax();
    for (int64_t i = 0; i < size_; ++i) {
      offsets_.as<int64_t>()[i] = end;
      const int64_t length = dense.as<int64_t>()[i];
      if (length < 0 || length > size_max - end) {
        return MakeError(ErrorCode::kCorrupt, "its dictionary has a text of {} bytes", length);
      }
      end += length;
    }
    offsets_.as<int64_t>()[size_] = end;
    FIRN_RETURN_IF_ERROR(ReadText(bytes, end, text_), "its dictionary");
    if (!stripe.tail->is_tight || (lengths.AtEnd() && bytes.AtEnd())) return {};
    return MakeError(ErrorCode::kCorrupt, "its dictionary has more than {} texts", size_);
  }

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    FIRN_RETURN_IF_ERROR(ReadIntegers(ids_, slots.value_count, dense_));
    OrcBuffer offsets(pool());
    FIRN_RETURN_IF_ERROR(offsets.Resize((slots.count + 1) * int64_t{sizeof(int32_t)}));
    int32_t* const ends = offsets.as<int32_t>();
    const int64_t* const ids = dense_.as<int64_t>();
    const int64_t* const starts = offsets_.as<int64_t>();
    int64_t sum = 0;
    int64_t next = 0;
    for (int64_t i = 0; i < slots.count; ++i) {
      ends[i] = static_cast<int32_t>(sum);
      if (slots.present != nullptr && slots.present[i] == 0) continue;
      const int64_t id = ids[next++];
      if (id < 0 || id >= size_) {
        return MakeError(ErrorCode::kCorrupt, "text {} of a dictionary of {}", id, size_);
      }
      sum += starts[id + 1] - starts[id];
      if (sum > kBytesMax) return TooMuchText(sum);
    }
    ends[slots.count] = static_cast<int32_t>(sum);
    OrcBuffer text(pool());
    FIRN_RETURN_IF_ERROR(text.Resize(sum));
    Gather({ids, static_cast<size_t>(slots.value_count)}, text.data());
    out.buffers.push_back(offsets.Take());
    out.buffers.push_back(text.Take());
    return {};
  }
  Status CheckValuesEnd() override { return CheckOrcEnd(ids_); }

 private:
  void Gather(std::span<const int64_t> ids, uint8_t* out) {
    const int64_t* const starts = offsets_.as<int64_t>();
    for (const int64_t id : ids) {
      const auto length = static_cast<size_t>(starts[id + 1] - starts[id]);
      if (length > 0) std::memcpy(out, text_.data() + starts[id], length);
      out += length;
    }
  }

  OrcIntegers ids_;
  int64_t size_ = 0;
  OrcBuffer offsets_;  // One more than there are texts, 64 bits each.
  OrcBuffer text_;
  OrcBuffer dense_;
};

}  // namespace

Result<std::unique_ptr<OrcColumn>> MakeOrcTextColumn(const OrcStripeSource& stripe, size_t column,
                                                     const FileField& field) {
  const OrcEncodingKind kind = stripe.footer->encodings[column].kind;
  const OrcIntegerForm form{
      .is_signed = false,
      .is_version_2 = kind == OrcEncodingKind::kDirectV2 || kind == OrcEncodingKind::kDictionaryV2};
  if (kind == OrcEncodingKind::kDirect || kind == OrcEncodingKind::kDirectV2) {
    return std::make_unique<DirectTextColumn>(stripe, column, field, form);
  }
  auto dictionary = std::make_unique<DictionaryTextColumn>(stripe, column, field, form);
  FIRN_RETURN_IF_ERROR(dictionary->Open(stripe, column, form));
  return dictionary;
}

}  // namespace firn
