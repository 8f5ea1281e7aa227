#include "firn/base/utf8.h"

#include "firn/base/check.h"

namespace firn {
namespace {

constexpr char32_t kLastCodePoint = 0x10FFFF;

bool IsScalarValue(char32_t value) {
  return value <= kLastCodePoint && (value < 0xD800 || value > 0xDFFF);
}

// Bytes of a sequence that starts with `lead`; 0 if none does.
size_t SequenceSize(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;  // A continuation, or an overlong form.
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

// Bytes to step over: a code point, or one byte that is not valid.
size_t StepSize(std::string_view text) {
  const std::optional<CodePoint> point = DecodeUtf8(text);
  return point ? point->size : 1;
}

}  // namespace

std::optional<CodePoint> DecodeUtf8(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t size = SequenceSize(lead);
  if (size == 0 || size > text.size()) return std::nullopt;
  if (size == 1) return CodePoint{.value = lead, .size = 1};
  char32_t value = lead & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return std::nullopt;
    value = value << 6 | (byte & 0x3FU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[size] || !IsScalarValue(value)) return std::nullopt;
  return CodePoint{.value = value, .size = size};
}

std::string EncodeUtf8(char32_t value) {
  FIRN_CHECK(IsScalarValue(value));
  if (value < 0x80) return {static_cast<char>(value)};
  const int rest = value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;  // Continuation bytes.
  std::string text;
  const unsigned lead_mark = 0xFF00U >> (rest + 1) & 0xFF;
  text.push_back(static_cast<char>(lead_mark | static_cast<unsigned>(value) >> (6 * rest)));
  for (int i = rest - 1; i >= 0; --i) {
    text.push_back(static_cast<char>(0x80U | (static_cast<unsigned>(value) >> (6 * i) & 0x3F)));
  }
  return text;
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::optional<CodePoint> point = DecodeUtf8(text);
    if (!point) return false;
    text.remove_prefix(point->size);
  }
  return true;
}

size_t CountCodePoints(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count)
    text.remove_prefix(StepSize(text));
  return count;
}

std::string_view TakeCodePoints(std::string_view text, size_t count) {
  size_t end = 0;
  for (; count > 0 && end < text.size(); --count)
    end += StepSize(text.substr(end));
  return text.substr(0, end);
}

}  // namespace firn
