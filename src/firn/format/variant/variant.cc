#include "firn/format/variant/variant.h"

#include <bit>
#include <iterator>

namespace firn {
namespace {

constexpr unsigned kVersion = 1;
constexpr size_t kHeaderBytes = 1;
constexpr size_t kUuidBytes = 16;
constexpr size_t kLengthBytes = 4;
constexpr int32_t kScaleMax = 38;

unsigned ByteAt(std::string_view bytes, size_t at) { return static_cast<unsigned char>(bytes[at]); }

// Unsigned, little-endian, of 1 to 4 bytes that are there.
uint32_t ReadUnsigned(std::string_view bytes, size_t at, size_t width) {
  uint32_t value = 0;
  for (size_t i = 0; i < width; ++i)
    value |= static_cast<uint32_t>(ByteAt(bytes, at + i)) << (8 * i);
  return value;
}

// Two's complement, little-endian, of 1 to 16 bytes.
Int128 ReadSigned(std::string_view bytes) {
  UInt128 value = (ByteAt(bytes, bytes.size() - 1) & 0x80U) != 0 ? ~UInt128{0} : UInt128{0};
  for (size_t i = bytes.size(); i > 0; --i)
    value = (value << 8) | ByteAt(bytes, i - 1);
  return static_cast<Int128>(value);
}

template <typename Real, typename Bits>
double ReadReal(std::string_view bytes) {
  return std::bit_cast<Real>(static_cast<Bits>(ReadSigned(bytes)));
}

Error Truncated(std::string_view what, size_t found, size_t expected) {
  return MakeError(ErrorCode::kCorrupt, "a variant {} has {} bytes, expected {} or more", what,
                   found, expected);
}

// How a primitive type is stored.
struct Primitive {
  VariantKind kind;
  size_t width;  // Of the value; 0: none.
};

// By type id; decimals have their scale in front.
constexpr Primitive kPrimitives[] = {{VariantKind::kNull, 0},
                                     {VariantKind::kBoolean, 0},
                                     {VariantKind::kBoolean, 0},
                                     {VariantKind::kInt8, 1},
                                     {VariantKind::kInt16, 2},
                                     {VariantKind::kInt32, 4},
                                     {VariantKind::kInt64, 8},
                                     {VariantKind::kDouble, 8},
                                     {VariantKind::kDecimal, 4},
                                     {VariantKind::kDecimal, 8},
                                     {VariantKind::kDecimal, 16},
                                     {VariantKind::kDate, 4},
                                     {VariantKind::kTimestamptz, 8},
                                     {VariantKind::kTimestamp, 8},
                                     {VariantKind::kFloat, 4},
                                     {VariantKind::kBinary, 0},
                                     {VariantKind::kString, 0},
                                     {VariantKind::kTime, 8},
                                     {VariantKind::kTimestamptzNanos, 8},
                                     {VariantKind::kTimestampNanos, 8},
                                     {VariantKind::kUuid, 0}};
constexpr unsigned kTrueType = 1;

}  // namespace

Result<VariantMetadata> VariantMetadata::Parse(std::string_view bytes) {
  if (bytes.empty()) return Truncated("dictionary", 0, kHeaderBytes);
  const unsigned header = ByteAt(bytes, 0);
  if ((header & 0x0FU) != kVersion) {
    return MakeError(ErrorCode::kCorrupt, "a variant has encoding version {}, expected {}",
                     header & 0x0FU, kVersion);
  }
  VariantMetadata metadata;
  metadata.bytes_ = bytes;
  metadata.is_sorted_ = (header & 0x10U) != 0;
  metadata.offset_bytes_ = (header >> 6U) + 1;
  const size_t width = metadata.offset_bytes_;
  if (bytes.size() < kHeaderBytes + width) {
    return Truncated("dictionary", bytes.size(), kHeaderBytes + width);
  }
  metadata.name_count_ = ReadUnsigned(bytes, kHeaderBytes, width);
  metadata.names_begin_ =
      kHeaderBytes + width + (static_cast<size_t>(metadata.name_count_) + 1) * width;
  if (bytes.size() < metadata.names_begin_) {
    return Truncated("dictionary", bytes.size(), metadata.names_begin_);
  }
  metadata.size_ = metadata.names_begin_ + metadata.OffsetAt(metadata.name_count_);
  if (bytes.size() < metadata.size_) return Truncated("dictionary", bytes.size(), metadata.size_);
  return metadata;
}

size_t VariantMetadata::OffsetAt(uint32_t index) const {
  return ReadUnsigned(bytes_, kHeaderBytes + offset_bytes_ * (static_cast<size_t>(index) + 1),
                      offset_bytes_);
}

Result<std::string_view> VariantMetadata::Name(uint32_t id) const {
  if (id >= name_count_) {
    return MakeError(ErrorCode::kCorrupt, "a variant names field {}, its dictionary has {} names",
                     id, name_count_);
  }
  const size_t begin = OffsetAt(id);
  const size_t end = OffsetAt(id + 1);
  if (begin > end || end > size_ - names_begin_) {
    return MakeError(ErrorCode::kCorrupt,
                     "name {} of a variant's dictionary lies at {} to {} of {} bytes", id, begin,
                     end, size_ - names_begin_);
  }
  return bytes_.substr(names_begin_ + begin, end - begin);
}

Result<uint32_t> VariantMetadata::Find(std::string_view name) const {
  uint32_t begin = 0;
  uint32_t end = name_count_;
  while (is_sorted_ && begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    FIRN_ASSIGN(const std::string_view found, Name(middle));
    if (found == name) return middle;
    (found < name ? begin : end) = found < name ? middle + 1 : middle;
  }
  for (uint32_t id = 0; !is_sorted_ && id < name_count_; ++id) {
    FIRN_ASSIGN(const std::string_view found, Name(id));
    if (found == name) return id;
  }
  return MakeError(ErrorCode::kCorrupt, "field '{}' is not in the dictionary of its variant", name);
}

Result<VariantValue> VariantValue::Parse(std::string_view bytes) {
  if (bytes.empty()) return Truncated("value", 0, kHeaderBytes);
  const unsigned header = ByteAt(bytes, 0) >> 2U;
  VariantValue value;
  switch (ByteAt(bytes, 0) & 3U) {
    case 0:
      FIRN_RETURN_IF_ERROR(value.ParsePrimitive(header, bytes));
      break;
    case 1:
      value.kind_ = VariantKind::kString;
      value.own_size_ = kHeaderBytes + header;
      if (bytes.size() < value.own_size_) return Truncated("text", bytes.size(), value.own_size_);
      value.text_ = bytes.substr(kHeaderBytes, header);
      value.bytes_ = bytes.substr(0, value.own_size_);
      break;
    case 2:
      FIRN_RETURN_IF_ERROR(value.ParseContainer(header, bytes, /*is_object=*/true));
      break;
    default:
      FIRN_RETURN_IF_ERROR(value.ParseContainer(header, bytes, /*is_object=*/false));
  }
  return value;
}

Status VariantValue::ParsePrimitive(unsigned type, std::string_view bytes) {
  if (type >= std::size(kPrimitives)) {
    return MakeError(ErrorCode::kCorrupt, "a variant has values of type {}, known are 0 to {}",
                     type, std::size(kPrimitives) - 1);
  }
  const Primitive& primitive = kPrimitives[type];
  kind_ = primitive.kind;
  size_t begin = kHeaderBytes;
  size_t width = primitive.width;
  if (kind_ == VariantKind::kDecimal) ++begin;
  if (kind_ == VariantKind::kUuid) width = kUuidBytes;
  if (kind_ == VariantKind::kString || kind_ == VariantKind::kBinary) {
    begin += kLengthBytes;
    if (bytes.size() < begin) return Truncated("value", bytes.size(), begin);
    width = ReadUnsigned(bytes, kHeaderBytes, kLengthBytes);
  }
  own_size_ = begin + width;
  if (bytes.size() < own_size_) return Truncated("value", bytes.size(), own_size_);
  bytes_ = bytes.substr(0, own_size_);
  const std::string_view stored = bytes.substr(begin, width);
  if (kind_ == VariantKind::kString || kind_ == VariantKind::kBinary ||
      kind_ == VariantKind::kUuid) {
    text_ = stored;
  } else if (kind_ == VariantKind::kBoolean) {
    number_ = type == kTrueType ? 1 : 0;
  } else if (kind_ == VariantKind::kFloat) {
    real_ = ReadReal<float, uint32_t>(stored);
  } else if (kind_ == VariantKind::kDouble) {
    real_ = ReadReal<double, uint64_t>(stored);
  } else if (kind_ != VariantKind::kNull) {
    number_ = ReadSigned(stored);
  }
  if (kind_ != VariantKind::kDecimal) return {};
  scale_ = static_cast<int32_t>(ByteAt(bytes, kHeaderBytes));
  const Int128 limit = PowerOfTen(kScaleMax);
  if (scale_ <= kScaleMax && number_ < limit && number_ > -limit) return {};
  return MakeError(ErrorCode::kCorrupt, "a variant has a decimal {} of scale {}, beyond {} digits",
                   FormatInt128(number_), scale_, kScaleMax);
}

Status VariantValue::ParseContainer(unsigned header, std::string_view bytes, bool is_object) {
  kind_ = is_object ? VariantKind::kObject : VariantKind::kArray;
  const bool is_large = (header & (is_object ? 0x10U : 0x04U)) != 0;
  const size_t count_bytes = is_large ? 4 : 1;
  offset_bytes_ = (header & 3U) + 1;
  id_bytes_ = is_object ? ((header >> 2U) & 3U) + 1 : 0;
  ids_begin_ = kHeaderBytes + count_bytes;
  if (bytes.size() < ids_begin_) return Truncated("value", bytes.size(), ids_begin_);
  element_count_ = ReadUnsigned(bytes, kHeaderBytes, count_bytes);
  const size_t count = element_count_;
  offsets_begin_ = ids_begin_ + count * id_bytes_;
  own_size_ = offsets_begin_ + (count + 1) * offset_bytes_;
  if (bytes.size() < own_size_) return Truncated("value", bytes.size(), own_size_);
  const size_t size = own_size_ + ReadUnsigned(bytes, own_size_ - offset_bytes_, offset_bytes_);
  if (bytes.size() < size) return Truncated("value", bytes.size(), size);
  bytes_ = bytes.substr(0, size);
  return {};
}

uint32_t VariantValue::NameId(uint32_t index) const {
  return ReadUnsigned(bytes_, ids_begin_ + index * id_bytes_, id_bytes_);
}

Result<std::string_view> VariantValue::Element(uint32_t index) const {
  const size_t offset = ReadUnsigned(bytes_, offsets_begin_ + index * offset_bytes_, offset_bytes_);
  if (offset < bytes_.size() - own_size_) return bytes_.substr(own_size_ + offset);
  return MakeError(ErrorCode::kCorrupt, "element {} of a variant lies at {} of {} bytes", index,
                   offset, bytes_.size() - own_size_);
}

std::string JoinVariant(std::string_view metadata, std::string_view value) {
  std::string joined(metadata);
  joined += value;
  return joined;
}

Result<VariantParts> SplitVariant(std::string_view joined) {
  FIRN_ASSIGN(const VariantMetadata metadata, VariantMetadata::Parse(joined));
  return VariantParts{.metadata = joined.substr(0, metadata.size()),
                      .value = joined.substr(metadata.size())};
}

}  // namespace firn
