#include "firn/base/bytes.h"
#include "firn/data/orc/orc_message_internal.h"

namespace firn {
namespace {

constexpr uint64_t kWireVarint = 0;
constexpr uint64_t kWireFixed64 = 1;
constexpr uint64_t kWireBytes = 2;
constexpr uint64_t kWireFixed32 = 5;
constexpr uint64_t kFieldMax = (uint64_t{1} << 29) - 1;

}  // namespace

void OrcMessage::Fail() {
  has_failed_ = true;
  rest_ = {};
  bytes_ = {};
  number_ = 0;
}

uint64_t OrcMessage::Varint(std::span<const std::byte>& bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = std::to_integer<uint64_t>(bytes.front());
    bytes = bytes.subspan(1);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  Fail();
  return 0;
}

void OrcMessage::Skip(size_t size) {
  if (size > rest_.size()) return Fail();
  rest_ = rest_.subspan(size);
}

bool OrcMessage::Next() {
  if (rest_.empty()) return false;
  const uint64_t tag = Varint(rest_);
  const uint64_t field = tag >> 3;
  if (has_failed_ || field == 0 || field > kFieldMax) {
    Fail();
    return false;
  }
  field_ = static_cast<int>(field);
  form_ = Form::kOther;
  switch (tag & 7) {
    case kWireVarint:
      form_ = Form::kNumber;
      number_ = Varint(rest_);
      break;
    case kWireBytes: {
      form_ = Form::kBytes;
      const uint64_t size = Varint(rest_);
      if (size > rest_.size()) {
        Fail();
        break;
      }
      bytes_ = rest_.first(size);
      Skip(size);
      break;
    }
    case kWireFixed64:
      Skip(8);
      break;
    case kWireFixed32:
      Skip(4);
      break;
    default:  // Groups, which ORC does not use.
      Fail();
  }
  return ok();
}

uint64_t OrcMessage::Number() {
  if (form_ == Form::kNumber) return number_;
  Fail();
  return 0;
}

int64_t OrcMessage::NumberBelow(int64_t end) {
  const uint64_t number = Number();
  if (number < static_cast<uint64_t>(end)) return static_cast<int64_t>(number);
  Fail();
  return 0;
}

std::span<const std::byte> OrcMessage::Bytes() {
  if (form_ == Form::kBytes) return bytes_;
  Fail();
  return {};
}

std::string_view OrcMessage::Text() { return AsText(Bytes()); }

void OrcMessage::AppendNumbers(std::vector<uint64_t>& numbers) {
  if (form_ == Form::kNumber) {
    numbers.push_back(number_);
    return;
  }
  std::span<const std::byte> packed = Bytes();
  while (!packed.empty() && ok()) {
    const uint64_t number = Varint(packed);
    if (ok()) numbers.push_back(number);
  }
}

}  // namespace firn
