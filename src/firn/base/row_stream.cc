#include "firn/base/row_stream.h"

#include <cerrno>
#include <string>
#include <string_view>

#include "firn/base/row_stream_error.h"

// The layout of the public ABI; the guard is the one that the interface prescribes.
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream* stream, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream* stream, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream* stream);
  void (*release)(ArrowArrayStream* stream);
  void* private_data;
};
#endif

namespace firn {
namespace {

constexpr ErrorCode kErrorCodes[] = {
    ErrorCode::kInvalidInput,     ErrorCode::kNotFound,          ErrorCode::kAlreadyExists,
    ErrorCode::kPermissionDenied, ErrorCode::kUnsupported,       ErrorCode::kCorrupt,
    ErrorCode::kUnavailable,      ErrorCode::kResourceExhausted, ErrorCode::kCommitConflict,
    ErrorCode::kCommitUnknown,    ErrorCode::kCancelled,         ErrorCode::kInternal};

// The error whose `Format` is `text`.
Error ParseErrorText(std::string_view text) {
  for (const ErrorCode code : kErrorCodes) {
    const std::string prefix = std::string(FormatErrorCode(code)) + ": ";
    if (text.starts_with(prefix)) return Error(code, std::string(text.substr(prefix.size())));
  }
  return Error(ErrorCode::kInternal,
               text.empty() ? "a row stream failed without saying why" : std::string(text));
}

}  // namespace

void RowStreamDeleter::operator()(ArrowArrayStream* stream) const {
  if (stream->release != nullptr) stream->release(stream);  // Null once it was moved from.
  delete stream;
}

Error StreamError(ArrowArrayStream& stream) {
  const char* text = stream.get_last_error(&stream);
  return ParseErrorText(text == nullptr ? "" : text);
}

int ErrnoOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
    case ErrorCode::kCorrupt:
      return EINVAL;
    case ErrorCode::kNotFound:
      return ENOENT;
    case ErrorCode::kAlreadyExists:
      return EEXIST;
    case ErrorCode::kPermissionDenied:
      return EACCES;
    case ErrorCode::kUnsupported:
      return ENOSYS;
    case ErrorCode::kResourceExhausted:
      return ENOMEM;
    case ErrorCode::kCancelled:
      return ECANCELED;
    case ErrorCode::kUnavailable:
    case ErrorCode::kCommitConflict:
    case ErrorCode::kCommitUnknown:
    case ErrorCode::kInternal:
      return EIO;
  }
  return EIO;
}

}  // namespace firn
