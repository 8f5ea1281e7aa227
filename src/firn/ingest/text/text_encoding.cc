#include "firn/ingest/text/text_encoding.h"

#include <string>

#include "firn/base/text.h"

namespace firn {
namespace {

struct Name {
  std::string_view text;  ///< In lower case, without '-' and '_'.
  TextEncoding encoding;
};
constexpr Name kNames[] = {
    {"utf8", TextEncoding::kUtf8},          {"utf16le", TextEncoding::kUtf16Le},
    {"utf16be", TextEncoding::kUtf16Be},    {"utf16", TextEncoding::kMarked},
    {"latin1", TextEncoding::kLatin1},      {"iso88591", TextEncoding::kLatin1},
    {"cp1252", TextEncoding::kWindows1252}, {"windows1252", TextEncoding::kWindows1252}};

}  // namespace

Result<TextEncoding> ParseTextEncoding(std::string_view name) {
  std::string plain = LowerAscii(name);
  std::erase_if(plain, [](char c) { return c == '-' || c == '_'; });
  for (const Name& known : kNames) {
    if (plain == known.text) return known.encoding;
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "encoding '{}' is not known, expected utf-8, latin1, windows-1252, utf-16, "
                   "utf-16le or utf-16be",
                   name);
}

std::string_view FormatTextEncoding(TextEncoding encoding) {
  switch (encoding) {
    case TextEncoding::kMarked:
    case TextEncoding::kUtf8:
      return "utf-8";
    case TextEncoding::kUtf16Le:
      return "utf-16le";
    case TextEncoding::kUtf16Be:
      return "utf-16be";
    case TextEncoding::kLatin1:
      return "latin1";
    case TextEncoding::kWindows1252:
      return "windows-1252";
  }
  return "";
}

}  // namespace firn
