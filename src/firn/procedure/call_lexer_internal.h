#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

namespace firn {

/// A piece of a CALL statement.
struct CallToken {
  enum class Kind {
    kEnd,
    kName,    ///< Bare or in backquotes, which are removed.
    kText,    ///< A string literal, quotes and escapes removed.
    kNumber,  ///< With its sign, without a suffix such as L.
    kSymbol,  ///< One of ( ) , . ; =>
  };
  Kind kind = Kind::kEnd;
  std::string text;
  size_t position = 0;  ///< Of its first character, from 1.
  bool is_quoted = false;

  bool IsSymbol(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  /// Keywords ignore case.
  bool IsKeyword(std::string_view keyword) const;
};

/// Split a statement; comments (`--` to the end of the line, `/* */`) and blanks are left out. The
/// last token is kEnd. Errors: kInvalidInput with the position.
Result<std::vector<CallToken>> SplitCall(std::string_view text);

/// A token as messages show it: "'table'", "the end of the statement".
std::string DescribeToken(const CallToken& token);

}  // namespace firn
