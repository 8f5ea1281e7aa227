#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "firn/base/check.h"

/// The one error type of firn. A function that can fail returns `Result<T>` (or `Status`, which is
/// `Result<void>`); nothing in firn throws. A code exists only where callers react differently.

namespace firn {

enum class ErrorCode {
  kInvalidInput,       ///< The request is wrong: change it.
  kNotFound,           ///< The name is missing.
  kAlreadyExists,      ///< The name is taken.
  kPermissionDenied,   ///< Credentials are missing or too weak.
  kUnsupported,        ///< Legal in the spec, not done by firn.
  kCorrupt,            ///< Stored bytes break the spec: never retry, report the file.
  kUnavailable,        ///< An outside service failed: retry with backoff.
  kResourceExhausted,  ///< Memory, disk or quota ran out.
  kCommitConflict,     ///< Another writer won: reload, reapply, retry.
  kCommitUnknown,      ///< The commit may have happened: delete nothing, look again.
  kCancelled,          ///< Stopped on request.
  kInternal,           ///< A bug in firn.
};

/// The code as users see it: "invalid-input", "commit-unknown", ...
std::string_view FormatErrorCode(ErrorCode code);

/// The exit code of the process for this error (2 to 11, 70).
int ExitCode(ErrorCode code);

/// Code and message. The message says where, what was found and what was expected.
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  /// The same error with "where: " before its message.
  Error Within(std::string_view where) const;

  /// "corrupt: loading table ...".
  std::string Format() const;

 private:
  ErrorCode code_;
  std::string message_;
};

/// Make an error from a format string: `return MakeError(ErrorCode::kCorrupt, "...", ...)`.
template <typename... Args>
Error MakeError(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  return Error(code, fmt::format(text, std::forward<Args>(args)...));
}

/// A value or an error. Reading the value of an error aborts, so test `ok()` first.
template <typename T>
class [[nodiscard]] Result {
 public:
  using ValueType = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit
  /// From a value of another type that converts to T, such as unique_ptr<Derived>.
  template <typename U>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error> &&
             !std::is_same_v<std::remove_cvref_t<U>, Result>)
  Result(U&& value)  // NOLINT: implicit
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool ok() const { return state_.index() == 0; }
  const Error& error() const {
    FIRN_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }
  T& value() & {
    FIRN_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    FIRN_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    FIRN_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using ValueType = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return !error_.has_value(); }
  const Error& error() const {
    FIRN_CHECK(!ok());
    return *error_;
  }
  void value() const { FIRN_CHECK(ok()); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

namespace internal {
inline Error AddWhere(const Error& error) { return error; }
template <typename... Args>
Error AddWhere(const Error& error, fmt::format_string<Args...> where, Args&&... args) {
  return error.Within(fmt::format(where, std::forward<Args>(args)...));
}
}  // namespace internal

}  // namespace firn

#define FIRN_CONCAT_INNER(a, b) a##b
#define FIRN_CONCAT(a, b) FIRN_CONCAT_INNER(a, b)

/// Return the error of `expr`, if it is one, with "where" before its message:
/// `FIRN_RETURN_IF_ERROR(Check(x), "entry {}", n)`.
#define FIRN_RETURN_IF_ERROR(expr, ...)                                                  \
  do {                                                                                   \
    if (auto firn_status = (expr); !firn_status.ok()) {                                  \
      return ::firn::internal::AddWhere(firn_status.error() __VA_OPT__(, ) __VA_ARGS__); \
    }                                                                                    \
  } while (false)

/// Assign the value of `expr` to `lhs` (a declaration or a variable) or return its error:
/// `FIRN_ASSIGN(const auto size, file.Size(), "reading {}", uri)`.
#define FIRN_ASSIGN(lhs, expr, ...) \
  FIRN_ASSIGN_INNER(FIRN_CONCAT(firn_result_, __LINE__), lhs, expr __VA_OPT__(, ) __VA_ARGS__)
#define FIRN_ASSIGN_INNER(result, lhs, expr, ...)                                 \
  auto result = (expr);                                                           \
  if (!result.ok()) {                                                             \
    return ::firn::internal::AddWhere(result.error() __VA_OPT__(, ) __VA_ARGS__); \
  }                                                                               \
  lhs = std::move(result).value()
