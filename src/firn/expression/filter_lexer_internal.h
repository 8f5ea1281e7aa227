#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

/// Text of a filter into tokens. For this module only.

namespace firn {

enum class TokenKind { kEnd, kName, kQuotedName, kText, kNumber, kBytes, kSymbol };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;         ///< Without quotes and escapes; a number without its type suffix.
  size_t offset = 0;        ///< Of the first byte in the filter.
  size_t length = 0;        ///< Bytes in the filter.
  bool is_next_to = false;  ///< No blank before it.
};

/// Split `text`; the last token is kEnd. Errors: kInvalidInput: a quote that is not closed, a
/// malformed number, hex digits that are none, a character that starts no token.
Result<std::vector<Token>> TokenizeFilter(std::string_view text);

/// "filter, character 12": counted in code points from 1.
std::string FormatFilterPosition(std::string_view text, size_t offset);

/// True if `name` can stand in a filter without quotes.
bool IsPlainName(std::string_view name);

/// True for words with a meaning of their own, in any case: AND, NULL, ...
bool IsReservedWord(std::string_view word);

}  // namespace firn
