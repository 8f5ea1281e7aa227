#include <cstring>
#include <numeric>
#include <utility>

#include "firn/data/orc/orc_column_internal.h"

namespace firn {

const OrcStream* OrcStripeSource::FindStream(size_t column, OrcStreamKind kind) const {
  const std::pair wanted(column, kind);
  const auto found = std::ranges::lower_bound(
      footer->streams, wanted, {},
      [](const OrcStream& stream) { return std::pair(stream.column, stream.kind); });
  const bool is_it =
      found != footer->streams.end() && found->column == column && found->kind == kind;
  return is_it ? &*found : nullptr;
}

ByteRange OrcStripeSource::Find(size_t column, OrcStreamKind kind) const {
  const OrcStream* const stream = FindStream(column, kind);
  if (stream == nullptr) return {};
  return {.offset = stream->offset, .length = stream->length};
}

Result<OrcIntegerForm> OrcStripeSource::IntegerForm(size_t column, bool is_signed) const {
  const OrcEncodingKind kind = footer->encodings[column].kind;
  if (kind != OrcEncodingKind::kDirect && kind != OrcEncodingKind::kDirectV2) {
    return MakeError(ErrorCode::kCorrupt, "its encoding is {}, expected 0 or 2",
                     static_cast<int>(kind));
  }
  return OrcIntegerForm{.is_signed = is_signed, .is_version_2 = kind == OrcEncodingKind::kDirectV2};
}

OrcColumn::OrcColumn(const OrcStripeSource& stripe, size_t column,
                     std::shared_ptr<arrow::DataType> type)
    : pool_(stripe.input.pool), type_(std::move(type)), marks_(stripe.input.pool) {
  if (stripe.FindStream(column, OrcStreamKind::kPresent) != nullptr) {
    present_.emplace(stripe.input, stripe.Find(column, OrcStreamKind::kPresent));
  }
}

Result<std::shared_ptr<arrow::ArrayData>> OrcColumn::Read(const OrcSlots& slots) {
  FIRN_ASSIGN(const OrcSlots own, ReadPresence(slots));
  std::shared_ptr<arrow::Buffer> validity;
  if (own.present != nullptr) {
    FIRN_ASSIGN(validity, PackOrcBits(own.present, own.count, pool_));
  }
  auto out =
      arrow::ArrayData::Make(type_, own.count, {std::move(validity)}, own.count - own.value_count);
  FIRN_RETURN_IF_ERROR(ReadValues(own, *out));
  return out;
}

Status OrcColumn::CheckEnd() {
  if (present_) FIRN_RETURN_IF_ERROR(CheckOrcEnd(*present_));
  return CheckValuesEnd();
}

Result<OrcSlots> OrcColumn::ReadPresence(const OrcSlots& slots) {
  if (!present_) return slots;
  OrcSlots own = slots;
  FIRN_RETURN_IF_ERROR(FillOrcValues<uint8_t>(slots, marks_, [&](uint8_t* first, int64_t count) {
    present_->Read({first, static_cast<size_t>(count)});
    return present_->bytes().status();
  }));
  own.present = marks_.data();
  own.value_count = std::accumulate(own.present, own.present + own.count, int64_t{0});
  if (own.value_count == own.count) own.present = nullptr;
  return own;
}

Result<std::shared_ptr<arrow::Buffer>> PackOrcBits(const uint8_t* bytes, int64_t count,
                                                   arrow::MemoryPool* pool) {
  OrcBuffer buffer(pool);
  FIRN_RETURN_IF_ERROR(buffer.Resize((count + 7) / 8));
  uint8_t* const out = buffer.data();
  const int64_t whole = count / 8;
  for (int64_t i = 0; i < whole; ++i) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + i * 8, sizeof(word));
    out[i] = static_cast<uint8_t>((word * 0x0102040810204080) >> 56);
  }
  if (whole * 8 == count) return buffer.Take();
  out[whole] = 0;
  for (int64_t i = whole * 8; i < count; ++i)
    out[whole] = static_cast<uint8_t>(out[whole] | bytes[i] << (i - whole * 8));
  return buffer.Take();
}

bool IsOrcFieldRead(const FileField& field, const std::set<int>& leaves) {
  const auto leaf = leaves.lower_bound(field.first_leaf);
  return leaf != leaves.end() && *leaf < field.leaf_end;
}

Result<std::unique_ptr<OrcColumn>> MakeOrcColumn(const OrcStripeSource& stripe, size_t column,
                                                 const FileField& field,
                                                 const std::set<int>& leaves) {
  switch (stripe.tail->types[column].kind) {
    case OrcKind::kBoolean:
    case OrcKind::kByte:
    case OrcKind::kShort:
    case OrcKind::kInt:
    case OrcKind::kLong:
    case OrcKind::kFloat:
    case OrcKind::kDouble:
    case OrcKind::kDate:
    case OrcKind::kDecimal:
      return MakeOrcNumberColumn(stripe, column, field);
    case OrcKind::kString:
    case OrcKind::kVarchar:
    case OrcKind::kChar:
    case OrcKind::kBinary:
      return MakeOrcTextColumn(stripe, column, field);
    case OrcKind::kTimestamp:
    case OrcKind::kTimestampInstant:
      return MakeOrcTimestampColumn(stripe, column, field);
    case OrcKind::kList:
    case OrcKind::kMap:
    case OrcKind::kStruct:
      return MakeOrcNestedColumn(stripe, column, field, leaves);
    case OrcKind::kUnion:
    case OrcKind::kGeometry:
    case OrcKind::kGeography:
      break;
  }
  return Error(ErrorCode::kUnsupported, "columns of its kind are not read from ORC files");
}

}  // namespace firn
