#pragma once

#include <string>
#include <string_view>

#include "firn/base/result.h"

/// Patterns of LIKE: % is any text, _ any one character (code point), a backslash takes the meaning
/// from the character after it. For this module only.

namespace firn {

enum class LikeShape { kExact, kPrefix, kGeneral };

struct LikePattern {
  LikeShape shape = LikeShape::kGeneral;
  std::string prefix;  ///< Every matching text starts with it; kExact: is it.
};

/// `pattern` must be normal, see `NormalizeLikePattern`.
LikePattern AnalyzeLikePattern(std::string_view pattern);

/// The same pattern with the backslash as its escape character instead of `escape` (one code
/// point). Errors: kInvalidInput: the escape character stands before anything but %, _ and itself.
Result<std::string> NormalizeLikePattern(std::string_view pattern, std::string_view escape);

/// `text` as a pattern that matches just it.
std::string EscapeLikePattern(std::string_view text);

/// Does `text` match the normal `pattern`? Linear but for patterns with several %; never
/// exponential.
bool MatchesLikePattern(std::string_view text, std::string_view pattern);

}  // namespace firn
