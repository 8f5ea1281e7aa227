#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "firn/base/result.h"

namespace firn {

/// How test failures show a result.
template <typename T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  *out << (result.ok() ? "ok" : result.error().Format());
}
inline void PrintTo(ErrorCode code, std::ostream* out) { *out << FormatErrorCode(code); }

/// Matches a Result or Status that is no error.
MATCHER(IsOk, negation ? "is an error" : "is ok") { return arg.ok(); }

/// Matches a Result whose value matches `inner`.
MATCHER_P(IsOkAnd, inner, std::string(negation ? "is not " : "is ") + "ok with a matching value") {
  return arg.ok() && testing::ExplainMatchResult(inner, arg.value(), result_listener);
}

/// Matches an error with `code` whose message holds `part`.
MATCHER_P2(IsError, code, part,
           std::string(negation ? "is not " : "is ") + std::string(FormatErrorCode(code)) +
               " with \"" + std::string(part) + "\"") {
  return !arg.ok() && arg.error().code() == code &&
         arg.error().message().find(part) != std::string::npos;
}
inline auto IsError(ErrorCode code) { return IsError(code, std::string()); }

}  // namespace firn
