#include "firn/base/result.h"

namespace firn {

std::string_view FormatErrorCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return "invalid-input";
    case ErrorCode::kNotFound:
      return "not-found";
    case ErrorCode::kAlreadyExists:
      return "already-exists";
    case ErrorCode::kPermissionDenied:
      return "permission-denied";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kResourceExhausted:
      return "resource-exhausted";
    case ErrorCode::kCommitConflict:
      return "commit-conflict";
    case ErrorCode::kCommitUnknown:
      return "commit-unknown";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kInternal:
      break;
  }
  return "internal";
}

int ExitCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return 2;
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
      return 3;
    case ErrorCode::kPermissionDenied:
      return 4;
    case ErrorCode::kUnsupported:
      return 5;
    case ErrorCode::kCorrupt:
      return 6;
    case ErrorCode::kUnavailable:
      return 7;
    case ErrorCode::kResourceExhausted:
      return 8;
    case ErrorCode::kCommitConflict:
      return 9;
    case ErrorCode::kCommitUnknown:
      return 10;
    case ErrorCode::kCancelled:
      return 11;
    case ErrorCode::kInternal:
      break;
  }
  return 70;
}

Error Error::Within(std::string_view where) const {
  return Error(code_, fmt::format("{}: {}", where, message_));
}

std::string Error::Format() const {
  return fmt::format("{}: {}", FormatErrorCode(code_), message_);
}

}  // namespace firn
