#pragma once

#include <string_view>

#include "firn/base/result.h"

namespace firn {

/// How the characters of a text file are stored.
enum class TextEncoding {
  kMarked,  ///< As its byte order mark says, UTF-8 without one.
  kUtf8,
  kUtf16Le,
  kUtf16Be,
  kLatin1,
  kWindows1252,
};

/// "utf-8", "latin1", "iso-8859-1", "windows-1252", "cp1252", "utf-16le", "utf-16be", "utf-16" (as
/// the mark says); case, '-' and '_' do not count. Errors: kInvalidInput, with the known ones.
Result<TextEncoding> ParseTextEncoding(std::string_view name);
std::string_view FormatTextEncoding(TextEncoding encoding);

}  // namespace firn
