#include <cstring>
#include <vector>

#include "firn/parquet/bits_internal.h"
#include "firn/parquet/value_decoder_internal.h"

namespace firn {
namespace {

class BitDecoder final : public ValueDecoder {
 public:
  // Booleans have none; one that is there is not referred to.
  Status SetDictionary(const PageBody*) override { return {}; }

  Status SetPage(ParquetEncoding encoding, std::span<const std::byte> values) override {
    is_plain_ = encoding == ParquetEncoding::kPlain;
    if (is_plain_) {
      plain_ = values.data();
      next_ = 0;
      left_ = values.size() * 8;
      return {};
    }
    if (encoding != ParquetEncoding::kRle) return UnsupportedEncoding(encoding);
    uint32_t length = 0;
    if (values.size() >= sizeof(length)) std::memcpy(&length, values.data(), sizeof(length));
    if (values.size() < sizeof(length) || length > values.size() - sizeof(length)) {
      return MakeError(ErrorCode::kCorrupt, "a page of booleans ends too early");
    }
    return runs_.Begin(values.subspan(sizeof(length), length), 1);
  }

  Status Read(size_t count, FlatOutput& out) override {
    return CopyTo(count, out.values, out.row_count);
  }

  Status Pick(size_t count, std::span<const uint32_t> picks, FlatOutput& out) override {
    scratch_.resize(count / 8 + 1 + ByteStore::kSlack);
    FIRN_RETURN_IF_ERROR(CopyTo(count, scratch_.data(), 0));
    for (size_t i = 0; i < picks.size(); ++i)
      PutBit(out.values, out.row_count + i, TestBit(scratch_.data(), picks[i]));
    return {};
  }

  Status Skip(size_t count) override {
    if (!is_plain_) return runs_.Skip(count);
    FIRN_RETURN_IF_ERROR(CheckLeft(count));
    next_ += count;
    left_ -= count;
    return {};
  }

  std::span<const std::byte> Rest() const override {
    if (!is_plain_) return {};
    return {plain_ + (next_ + 7) / 8, left_ / 8};
  }

  void Spread(size_t rows, size_t count, FlatOutput& out) override {
    FillBits(false, out.values, out.row_count + count, rows - count);
    for (size_t i = rows; i-- > 0 && count <= i;) {
      count -= static_cast<size_t>(TestBit(out.validity, out.row_count + i));
      PutBit(out.values, out.row_count + i, TestBit(out.values, out.row_count + count));
    }
  }

 private:
  Status CopyTo(size_t count, std::byte* out, size_t out_bit) {
    if (!is_plain_) {
      FIRN_ASSIGN([[maybe_unused]] const size_t set, runs_.ReadBits(count, out, out_bit));
      return {};
    }
    FIRN_RETURN_IF_ERROR(CheckLeft(count));
    (void)CopyBits(plain_, next_, out, out_bit, count);
    next_ += count;
    left_ -= count;
    return {};
  }

  Status CheckLeft(size_t count) const {
    if (count <= left_) return {};
    return MakeError(ErrorCode::kCorrupt, "{} booleans are missing in a page", count - left_);
  }

  bool is_plain_ = true;
  const std::byte* plain_ = nullptr;
  size_t next_ = 0;  // Bit of `plain_`.
  size_t left_ = 0;
  NumberStream runs_;
  std::vector<std::byte> scratch_;
};

}  // namespace

std::unique_ptr<ValueDecoder> MakeBitDecoder() { return std::make_unique<BitDecoder>(); }

}  // namespace firn
