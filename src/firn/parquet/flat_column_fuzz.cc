#include <algorithm>
#include <cstring>
#include <vector>

#include "firn/base/check.h"
#include "firn/parquet/bits_internal.h"
#include "firn/parquet/flat_column.h"

// Any bytes as the chunk of a flat column: the first ones choose leaf, codec and what the footer
// claims. What can be read is the same whether rows are read at once, in pieces or picked.

namespace firn {
namespace {

constexpr size_t kHead = 8;

class SpanFile final : public InputFile {
 public:
  explicit SpanFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  const std::string& uri() const override { return uri_; }
  Result<int64_t> Size() override { return static_cast<int64_t>(bytes_.size()); }
  Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) override {
    const auto begin = std::min(static_cast<size_t>(offset), bytes_.size());
    const size_t size = std::min(out.size(), bytes_.size() - begin);
    if (size > 0) std::memcpy(out.data(), bytes_.data() + begin, size);
    return static_cast<int64_t>(size);
  }

 private:
  const std::string uri_ = "fuzz";
  std::span<const std::byte> bytes_;
};

// Rows as they were decoded.
class Rows {
 public:
  Rows(const FlatLeaf& leaf, size_t rows)
      : leaf_(leaf),
        validity_(rows / 8 + 1 + ByteStore::kSlack),
        values_((rows + 1) * std::max<size_t>(leaf.width(), sizeof(int32_t)) + ByteStore::kSlack) {
    if (leaf.is_optional) out_.validity = validity_.data();
    out_.values = values_.data();
    if (leaf.form != ValueForm::kText) return;
    out_.offsets = reinterpret_cast<int32_t*>(values_.data());
    out_.text = text_.get();
  }

  FlatOutput& out() { return out_; }

  bool IsNull(size_t row) const { return leaf_.is_optional && !TestBit(validity_.data(), row); }

  std::string At(size_t row) {
    if (leaf_.form == ValueForm::kBits) return TestBit(values_.data(), row) ? "1" : "0";
    const auto* bytes = reinterpret_cast<const char*>(values_.data());
    if (leaf_.form == ValueForm::kFixed || leaf_.form == ValueForm::kDecimal) {
      return {bytes + row * leaf_.width(), leaf_.width()};
    }
    const auto begin = static_cast<size_t>(out_.offsets[row]);
    const auto end = static_cast<size_t>(out_.offsets[row + 1]);
    FIRN_CHECK(begin <= end && end <= out_.text_bytes);
    const auto text = text_->Hold(out_.text_bytes, out_.text_bytes);
    return {reinterpret_cast<const char*>(*text) + begin, end - begin};
  }

 private:
  const FlatLeaf leaf_;
  std::vector<std::byte> validity_;
  std::vector<std::byte> values_;
  std::unique_ptr<ByteStore> text_ = MakeHeapStore();
  FlatOutput out_;
};

FlatLeaf LeafOf(uint8_t choice) {
  FlatLeaf leaf{.type = static_cast<PhysicalType>(choice % 8),
                .type_length = 5,
                .is_optional = choice / 8 % 2 != 0};
  if (leaf.type == PhysicalType::kBoolean) leaf.form = ValueForm::kBits;
  if (leaf.type == PhysicalType::kByteArray) leaf.form = ValueForm::kText;
  if (choice >= 128 && leaf.form == ValueForm::kFixed) leaf.form = ValueForm::kDecimal;
  return leaf;
}

void Decode(std::span<const std::byte> head, std::span<const std::byte> bytes) {
  const auto at = [head](size_t i) { return static_cast<uint8_t>(head[i]); };
  const FlatLeaf leaf = LeafOf(at(0));
  const FlatChunk chunk{.range = {0, static_cast<int64_t>(bytes.size())},
                        .codec = static_cast<ParquetCodec>(at(1) % 8),
                        .row_count = at(2) | at(3) << 8};
  if (!CanReadFlat(leaf, chunk.codec)) return;
  SpanFile file(bytes);
  const FlatReadOptions options{.file = &file, .read_bytes = 1 + size_t{at(4)}};
  const auto scratch = std::make_shared<FlatScratch>();
  const auto rows = static_cast<size_t>(chunk.row_count);

  Rows all(leaf, rows);
  FlatColumnReader reader(leaf, {chunk}, options, scratch);
  const bool is_read = reader.Read(rows, all.out()).ok();

  // Of each step some rows are left out, some read, and of some each other one picked.
  FlatColumnReader again(leaf, {chunk}, options, scratch);
  const size_t step = 1 + size_t{at(5)};
  for (size_t row = 0, turn = at(6); row < rows; row += step, ++turn) {
    const size_t count = std::min(step, rows - row);
    std::vector<uint32_t> picks;
    for (size_t i = 0; i < count; i += turn % 3 == 0 ? size_t{2} : size_t{1})
      picks.push_back(static_cast<uint32_t>(i));
    Rows some(leaf, count);
    Status status;
    if (turn % 3 == 0) status = again.Pick(count, picks, some.out());
    if (turn % 3 == 1) status = again.Read(count, some.out());
    if (turn % 3 == 2) status = again.Skip(count);
    FIRN_CHECK(status.ok() || !is_read);
    if (!status.ok()) return;
    if (turn % 3 == 2 || !is_read) continue;
    for (size_t i = 0; i < picks.size(); ++i) {
      const size_t place = row + picks[i];
      FIRN_CHECK(some.IsNull(i) == all.IsNull(place));
      FIRN_CHECK(some.IsNull(i) || some.At(i) == all.At(place));
    }
  }
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < firn::kHead) return 0;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  firn::Decode(bytes.first(firn::kHead), bytes.subspan(firn::kHead));
  return 0;
}
