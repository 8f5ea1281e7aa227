#include <bit>
#include <cstring>
#include <limits>

#include "firn/parquet/thrift_compact_internal.h"

namespace firn {
namespace {

constexpr int kDepthMax = 64;
constexpr int kVarintBytesMax = 10;

ThriftType TypeOf(uint8_t bits) {
  return bits <= static_cast<uint8_t>(ThriftType::kStruct) ? static_cast<ThriftType>(bits)
                                                           : ThriftType::kStop;
}

}  // namespace

void ThriftReader::Fail(std::string_view what) {
  if (error_ != nullptr) return;
  error_ = what.data();  // Literals only.
  error_position_ = position_;
}

Status ThriftReader::status() const {
  if (error_ == nullptr) return {};
  return MakeError(ErrorCode::kCorrupt, "byte {} of {}: {}", error_position_, bytes_.size(),
                   error_);
}

uint8_t ThriftReader::NextByte() {
  if (error_ != nullptr) return 0;
  if (position_ == bytes_.size()) {
    Fail("the structure ends too early");
    return 0;
  }
  return static_cast<uint8_t>(bytes_[position_++]);
}

uint64_t ThriftReader::ReadVarint() {
  uint64_t value = 0;
  for (int i = 0; i < kVarintBytesMax; ++i) {
    const uint8_t byte = NextByte();
    if (i == kVarintBytesMax - 1 && byte > 1) break;
    value |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if ((byte & 0x80) == 0) return error_ == nullptr ? value : 0;
  }
  Fail("a number has more than 64 bits");
  return 0;
}

int64_t ThriftReader::ReadI64() {
  const uint64_t bits = ReadVarint();
  return static_cast<int64_t>(bits >> 1) ^ -static_cast<int64_t>(bits & 1);
}

int32_t ThriftReader::ReadI32() {
  const int64_t value = ReadI64();
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    Fail("a number does not fit in 32 bits");
    return 0;
  }
  return static_cast<int32_t>(value);
}

int8_t ThriftReader::ReadByte() { return static_cast<int8_t>(NextByte()); }

bool ThriftReader::ReadBool(const ThriftField& field) {
  if (field.type != ThriftType::kFalse && field.type != ThriftType::kTrue) Skip(field.type);
  return field.type == ThriftType::kTrue;
}

double ThriftReader::ReadDouble() {
  uint64_t bits = 0;
  for (int i = 0; i < 8; ++i)
    bits |= static_cast<uint64_t>(NextByte()) << (8 * i);
  return std::bit_cast<double>(bits);
}

std::string_view ThriftReader::ReadBinary() {
  const uint64_t size = ReadVarint();
  if (size > bytes_.size() - position_) {
    Fail("a text is longer than the structure");
    return {};
  }
  const auto* start = reinterpret_cast<const char*>(bytes_.data()) + position_;
  position_ += size;
  return {start, size};
}

ThriftList ThriftReader::ReadList() {
  const uint8_t head = NextByte();
  uint64_t size = head >> 4;
  if (size == 15) size = ReadVarint();
  if (size > bytes_.size() - position_) {
    Fail("a list is longer than the structure");
    return {};
  }
  return {.element = TypeOf(head & 0x0F), .size = static_cast<uint32_t>(size)};
}

int16_t ThriftReader::EnterStruct() {
  const int16_t outer = last_id_;
  last_id_ = 0;
  return outer;
}

ThriftField ThriftReader::NextField() {
  const uint8_t head = NextByte();
  if (error_ != nullptr || head == 0) return {};
  ThriftField field{.type = TypeOf(head & 0x0F)};
  if (field.is_stop()) {
    Fail("a field has an unknown type");
    return {};
  }
  const int delta = head >> 4;
  const int64_t id = delta == 0 ? ReadI64() : last_id_ + delta;
  if (id < std::numeric_limits<int16_t>::min() || id > std::numeric_limits<int16_t>::max()) {
    Fail("a field has an impossible id");
    return {};
  }
  field.id = last_id_ = static_cast<int16_t>(id);
  return error_ == nullptr ? field : ThriftField{};
}

bool ThriftReader::Expect(const ThriftField& field, ThriftType type) {
  if (field.type == type) return true;
  Skip(field.type);
  return false;
}

void ThriftReader::SkipElements(ThriftType type, uint64_t count) {
  // An element of a list of booleans is a byte, a field is none.
  for (uint64_t i = 0; i < count && error_ == nullptr; ++i) {
    if (type == ThriftType::kTrue || type == ThriftType::kFalse) {
      (void)NextByte();
    } else {
      Skip(type);
    }
  }
}

void ThriftReader::Skip(ThriftType type) {
  if (++depth_ > kDepthMax) Fail("structures are nested too deeply");
  switch (error_ == nullptr ? type : ThriftType::kTrue) {
    case ThriftType::kStop:
      Fail("an element has an unknown type");
      break;
    case ThriftType::kTrue:
    case ThriftType::kFalse:
      break;
    case ThriftType::kByte:
      (void)NextByte();
      break;
    case ThriftType::kI16:
    case ThriftType::kI32:
    case ThriftType::kI64:
      (void)ReadVarint();
      break;
    case ThriftType::kDouble:
      (void)ReadDouble();
      break;
    case ThriftType::kBinary:
      (void)ReadBinary();
      break;
    case ThriftType::kList:
    case ThriftType::kSet: {
      const ThriftList list = ReadList();
      SkipElements(list.element, list.size);
      break;
    }
    case ThriftType::kMap: {
      const uint64_t size = ReadVarint();
      if (size == 0) break;
      const uint8_t types = NextByte();
      for (uint64_t i = 0; i < size && error_ == nullptr; ++i) {
        SkipElements(TypeOf(types >> 4), 1);
        SkipElements(TypeOf(types & 0x0F), 1);
      }
      break;
    }
    case ThriftType::kStruct: {
      const int16_t outer = EnterStruct();
      for (ThriftField field = NextField(); !field.is_stop(); field = NextField())
        Skip(field.type);
      LeaveStruct(outer);
      break;
    }
  }
  --depth_;
}

int16_t ThriftWriter::EnterStruct() {
  const int16_t outer = last_id_;
  last_id_ = 0;
  return outer;
}

void ThriftWriter::LeaveStruct(int16_t outer_id) {
  bytes_.push_back('\0');
  last_id_ = outer_id;
}

void ThriftWriter::WriteVarint(uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes_.push_back(static_cast<char>(value));
}

void ThriftWriter::WriteZigZag(int64_t value) {
  WriteVarint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

void ThriftWriter::WriteField(ThriftType type, int16_t id) {
  const int delta = id - last_id_;
  if (delta > 0 && delta <= 15) {
    bytes_.push_back(static_cast<char>((delta << 4) | static_cast<int>(type)));
  } else {
    bytes_.push_back(static_cast<char>(type));
    WriteZigZag(id);
  }
  last_id_ = id;
}

void ThriftWriter::WriteBool(int16_t id, bool value) {
  WriteField(value ? ThriftType::kTrue : ThriftType::kFalse, id);
}

void ThriftWriter::WriteByte(int16_t id, int8_t value) {
  WriteField(ThriftType::kByte, id);
  bytes_.push_back(static_cast<char>(value));
}

void ThriftWriter::WriteI32(int16_t id, int32_t value) {
  WriteField(ThriftType::kI32, id);
  WriteZigZag(value);
}

void ThriftWriter::WriteI64(int16_t id, int64_t value) {
  WriteField(ThriftType::kI64, id);
  WriteZigZag(value);
}

void ThriftWriter::WriteBinary(int16_t id, std::string_view value) {
  WriteField(ThriftType::kBinary, id);
  WriteElement(value);
}

void ThriftWriter::WriteElement(std::string_view value) {
  WriteVarint(value.size());
  bytes_ += value;
}

void ThriftWriter::BeginList(int16_t id, ThriftType element, size_t size) {
  WriteField(ThriftType::kList, id);
  const auto type = static_cast<uint8_t>(element);
  if (size < 15) {
    bytes_.push_back(static_cast<char>((size << 4) | type));
    return;
  }
  bytes_.push_back(static_cast<char>(0xF0 | type));
  WriteVarint(size);
}

}  // namespace firn
