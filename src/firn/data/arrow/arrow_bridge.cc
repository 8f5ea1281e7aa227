#include "firn/data/arrow/arrow_bridge.h"

#include <mutex>
#include <new>
#include <optional>
#include <string>

#include <arrow/compute/initialize.h>
#include <parquet/exception.h>

namespace firn {
namespace {

constexpr char kDetailTypeId[] = "firn::Error";

class ErrorDetail final : public arrow::StatusDetail {
 public:
  explicit ErrorDetail(Error error) : error_(std::move(error)) {}
  const char* type_id() const override { return kDetailTypeId; }
  std::string ToString() const override { return error_.Format(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

arrow::StatusCode StatusCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnsupported:
      return arrow::StatusCode::NotImplemented;
    case ErrorCode::kResourceExhausted:
      return arrow::StatusCode::OutOfMemory;
    case ErrorCode::kCancelled:
      return arrow::StatusCode::Cancelled;
    case ErrorCode::kCorrupt:
    case ErrorCode::kInvalidInput:
      return arrow::StatusCode::Invalid;
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kUnavailable:
    case ErrorCode::kCommitConflict:
    case ErrorCode::kCommitUnknown:
    case ErrorCode::kInternal:
      return arrow::StatusCode::IOError;
  }
  return arrow::StatusCode::UnknownError;
}

ErrorCode ErrorCodeOf(const arrow::Status& status, ErrorCode invalid_means) {
  switch (status.code()) {
    case arrow::StatusCode::NotImplemented:
      return ErrorCode::kUnsupported;
    case arrow::StatusCode::OutOfMemory:
    case arrow::StatusCode::CapacityError:
      return ErrorCode::kResourceExhausted;
    case arrow::StatusCode::Cancelled:
      return ErrorCode::kCancelled;
    case arrow::StatusCode::OK:
    case arrow::StatusCode::KeyError:
    case arrow::StatusCode::TypeError:
    case arrow::StatusCode::Invalid:
    case arrow::StatusCode::IOError:  // Damaged pages too; a file's own errors carry a detail.
    case arrow::StatusCode::IndexError:
    case arrow::StatusCode::UnknownError:
    case arrow::StatusCode::SerializationError:
    case arrow::StatusCode::RError:
    case arrow::StatusCode::CodeGenError:
    case arrow::StatusCode::ExpressionValidationError:
    case arrow::StatusCode::ExecutionError:
    case arrow::StatusCode::AlreadyExists:
      return invalid_means;
  }
  return invalid_means;
}

arrow::Status RunCaught(const std::function<arrow::Status()>& body) {
  try {
    return body();
  } catch (const parquet::ParquetStatusException& error) {
    return error.status();
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("allocation failed");
  } catch (const std::exception& error) {
    return arrow::Status::Invalid(error.what());
  }
}

// Arrow's texts may span lines and repeat the class of the error; messages are one line.
std::string OneLine(const std::string& text) {
  std::string line;
  for (const char c : text)
    line += (c == '\n' || c == '\r' || c == '\t') ? ' ' : c;
  return line;
}

}  // namespace

arrow::Status ToArrowStatus(const Error& error) {
  return arrow::Status(StatusCodeOf(error.code()), error.message(),
                       std::make_shared<ErrorDetail>(error));
}

Error FromArrowStatus(const arrow::Status& status, ErrorCode invalid_means) {
  const std::shared_ptr<arrow::StatusDetail>& detail = status.detail();
  if (detail != nullptr && std::string_view(detail->type_id()) == kDetailTypeId) {
    return static_cast<const ErrorDetail&>(*detail).error();
  }
  return Error(ErrorCodeOf(status, invalid_means), OneLine(status.message()));
}

Status GuardArrow(ErrorCode invalid_means, const std::function<arrow::Status()>& body) {
  const arrow::Status status = RunCaught(body);
  if (status.ok()) return {};
  return FromArrowStatus(status, invalid_means);
}

Status InitializeArrowCompute() {
  static const arrow::Status status = RunCaught([] { return arrow::compute::Initialize(); });
  if (status.ok()) return {};
  return FromArrowStatus(status, ErrorCode::kInternal);
}

}  // namespace firn
