#pragma once

/// Invariants of firn's own code. A failed check prints place and condition and aborts, in release
/// builds too; never use it for input.

namespace firn::internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace firn::internal

#define FIRN_CHECK(condition)                                        \
  do {                                                               \
    if (!(condition)) [[unlikely]] {                                 \
      ::firn::internal::CheckFailed(__FILE__, __LINE__, #condition); \
    }                                                                \
  } while (false)
