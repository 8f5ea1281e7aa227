#include "firn/format/variant/variant_encode.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace firn {
namespace {

constexpr size_t kShortTextMax = 63;
constexpr size_t kSmallCountMax = 255;
constexpr size_t kSizeMax = std::numeric_limits<uint32_t>::max();
constexpr unsigned kObject = 2;
constexpr unsigned kArray = 3;

char ToByte(unsigned value) { return static_cast<char>(static_cast<unsigned char>(value)); }

void AppendHeader(std::string& out, unsigned type) { out += ToByte(type << 2U); }

template <typename T>
void AppendBytes(std::string& out, T value, size_t width) {
  for (size_t i = 0; i < width; ++i)
    out += ToByte(static_cast<unsigned>((value >> (8 * i)) & 0xFF));
}

// Of an unsigned number that fits 32 bits.
size_t BytesFor(size_t value) {
  if (value <= 0xFF) return 1;
  if (value <= 0xFFFF) return 2;
  return value <= 0xFFFFFF ? 3 : 4;
}

Error TooLarge() { return MakeError(ErrorCode::kInvalidInput, "a variant is larger than 4 GiB"); }

// Type id and width of what is stored as a number.
struct StoredNumber {
  unsigned type;
  size_t width;
};

StoredNumber StoredAs(VariantKind kind) {
  switch (kind) {
    case VariantKind::kInt8:
      return {3, 1};
    case VariantKind::kInt16:
      return {4, 2};
    case VariantKind::kInt32:
      return {5, 4};
    case VariantKind::kDate:
      return {11, 4};
    case VariantKind::kTimestamptz:
      return {12, 8};
    case VariantKind::kTimestamp:
      return {13, 8};
    case VariantKind::kTime:
      return {17, 8};
    case VariantKind::kTimestamptzNanos:
      return {18, 8};
    case VariantKind::kTimestampNanos:
      return {19, 8};
    case VariantKind::kInt64:
    case VariantKind::kNull:
    case VariantKind::kBoolean:
    case VariantKind::kFloat:
    case VariantKind::kDouble:
    case VariantKind::kDecimal:
    case VariantKind::kString:
    case VariantKind::kBinary:
    case VariantKind::kUuid:
    case VariantKind::kObject:
    case VariantKind::kArray:
      break;
  }
  return {6, 8};
}

bool HasDigits(Int128 value, int digits_max) {
  const Int128 limit = PowerOfTen(digits_max);
  return value < limit && value > -limit;
}

}  // namespace

Result<std::string> MakeVariantMetadata(std::span<const std::string_view> names) {
  size_t bytes = 0;
  for (const std::string_view name : names)
    bytes += name.size();
  const size_t largest = std::max(bytes, names.size());
  if (largest > kSizeMax) return TooLarge();
  const size_t width = BytesFor(largest);
  constexpr unsigned kVersionAndSorted = 0x11;
  std::string out;
  out.reserve(1 + (names.size() + 2) * width + bytes);
  out += ToByte(kVersionAndSorted | static_cast<unsigned>(width - 1) << 6U);
  AppendBytes(out, names.size(), width);
  size_t offset = 0;
  AppendBytes(out, offset, width);
  for (const std::string_view name : names)
    AppendBytes(out, offset += name.size(), width);
  for (const std::string_view name : names)
    out += name;
  return out;
}

void AppendVariantNull(std::string& out) { AppendHeader(out, 0); }
void AppendVariantBoolean(std::string& out, bool value) { AppendHeader(out, value ? 1 : 2); }

void AppendVariantInteger(std::string& out, int64_t value) {
  VariantKind kind = VariantKind::kInt64;
  if (value == static_cast<int32_t>(value)) kind = VariantKind::kInt32;
  if (value == static_cast<int16_t>(value)) kind = VariantKind::kInt16;
  if (value == static_cast<int8_t>(value)) kind = VariantKind::kInt8;
  AppendVariantNumber(out, kind, value);
}

void AppendVariantNumber(std::string& out, VariantKind kind, int64_t value) {
  const StoredNumber stored = StoredAs(kind);
  AppendHeader(out, stored.type);
  AppendBytes(out, value, stored.width);
}

void AppendVariantFloat(std::string& out, float value) {
  AppendHeader(out, 14);
  AppendBytes(out, std::bit_cast<uint32_t>(value), sizeof(value));
}

void AppendVariantDouble(std::string& out, double value) {
  AppendHeader(out, 7);
  AppendBytes(out, std::bit_cast<uint64_t>(value), sizeof(value));
}

void AppendVariantDecimal(std::string& out, Int128 unscaled, int32_t scale) {
  unsigned type = 10;
  if (scale <= 18 && HasDigits(unscaled, 18)) type = 9;
  if (scale <= 9 && HasDigits(unscaled, 9)) type = 8;
  AppendHeader(out, type);
  out += ToByte(static_cast<unsigned>(scale));
  AppendBytes(out, unscaled, size_t{4} << (type - 8));
}

void AppendVariantString(std::string& out, std::string_view text) {
  if (text.size() <= kShortTextMax) {
    out += ToByte(static_cast<unsigned>(text.size()) << 2U | 1U);
  } else {
    AppendHeader(out, 16);
    AppendBytes(out, text.size(), sizeof(uint32_t));
  }
  out += text;
}

void AppendVariantBinary(std::string& out, std::string_view bytes) {
  AppendHeader(out, 15);
  AppendBytes(out, bytes.size(), sizeof(uint32_t));
  out += bytes;
}

void AppendVariantUuid(std::string& out, std::string_view bytes) {
  AppendHeader(out, 20);
  out += bytes;
}

Status FinishVariantObject(std::string& out, size_t begin, std::vector<VariantField>& fields) {
  const size_t size = out.size() - begin;
  if (std::max(size, fields.size()) > kSizeMax) return TooLarge();
  std::sort(fields.begin(), fields.end(),
            [](const VariantField& a, const VariantField& b) { return a.name < b.name; });
  uint32_t id_max = 0;
  for (size_t i = 0; i < fields.size(); ++i) {
    id_max = std::max(id_max, fields[i].id);
    if (i == 0 || fields[i].name != fields[i - 1].name) continue;
    return MakeError(ErrorCode::kInvalidInput, "key '{}' stands twice in its object",
                     fields[i].name);
  }
  const bool is_large = fields.size() > kSmallCountMax;
  const size_t id_bytes = BytesFor(id_max);
  const size_t offset_bytes = BytesFor(size);
  std::string header;
  header += ToByte(kObject | static_cast<unsigned>(offset_bytes - 1) << 2U |
                   static_cast<unsigned>(id_bytes - 1) << 4U | (is_large ? 1U << 6U : 0U));
  AppendBytes(header, fields.size(), is_large ? 4 : 1);
  for (const VariantField& field : fields)
    AppendBytes(header, field.id, id_bytes);
  for (const VariantField& field : fields)
    AppendBytes(header, field.offset, offset_bytes);
  AppendBytes(header, size, offset_bytes);
  out.insert(begin, header);
  return {};
}

Status FinishVariantArray(std::string& out, size_t begin, std::span<const size_t> offsets) {
  const size_t size = out.size() - begin;
  if (std::max(size, offsets.size()) > kSizeMax) return TooLarge();
  const bool is_large = offsets.size() > kSmallCountMax;
  const size_t offset_bytes = BytesFor(size);
  std::string header;
  header +=
      ToByte(kArray | static_cast<unsigned>(offset_bytes - 1) << 2U | (is_large ? 1U << 4U : 0U));
  AppendBytes(header, offsets.size(), is_large ? 4 : 1);
  for (const size_t offset : offsets)
    AppendBytes(header, offset, offset_bytes);
  AppendBytes(header, size, offset_bytes);
  out.insert(begin, header);
  return {};
}

}  // namespace firn
