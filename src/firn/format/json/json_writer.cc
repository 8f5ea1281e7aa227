#include "firn/format/json/json_writer.h"

#include <array>

#include "firn/base/utf8.h"

namespace firn {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// What to do with each byte of a string: 0 copy, 1 multi-byte UTF-8, otherwise the letter after
// the backslash ('u': the \u00XX form).
constexpr std::array<char, 256> MakeEscapes() {
  std::array<char, 256> escapes{};
  for (size_t i = 0; i < 0x20; ++i)
    escapes[i] = 'u';
  for (size_t i = 0x80; i < 0x100; ++i)
    escapes[i] = 1;
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  return escapes;
}
constexpr std::array<char, 256> kEscapes = MakeEscapes();

void AppendEscape(std::string& out, char byte, char escape) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '\\';
  out += escape;
  if (escape != 'u') return;
  out += "00";
  out += kDigits[static_cast<unsigned char>(byte) >> 4U];
  out += kDigits[static_cast<unsigned char>(byte) & 0xFU];
}

}  // namespace

bool AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  size_t copied = 0;  // text[0, copied) is in `out`.
  size_t at = 0;
  bool is_valid = true;
  while (at < text.size()) {
    const char escape = kEscapes[static_cast<unsigned char>(text[at])];
    if (escape == 0) {
      ++at;
      continue;
    }
    if (escape == 1) {
      if (const auto code_point = DecodeUtf8(text.substr(at))) {
        at += code_point->size;
        continue;
      }
    }
    out.append(text, copied, at - copied);
    if (escape == 1) {
      out += kReplacement;
      is_valid = false;
    } else {
      AppendEscape(out, text[at], escape);
    }
    copied = ++at;
  }
  out.append(text, copied, at - copied);
  out += '"';
  return is_valid;
}

}  // namespace firn
