#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>

#include "firn/base/result.h"

/// Where Arrow's errors become firn's. Arrow and Parquet report by `arrow::Status` and, in places,
/// by exceptions; both end here. A firn error that passes through Arrow (from a file below it, or a
/// stream above it) comes back unchanged.

namespace firn {

/// Carry a firn error through Arrow.
arrow::Status ToArrowStatus(const Error& error);

/// The error of a failed status. `invalid_means` is what Arrow's Invalid, TypeError and decoding
/// errors mean to the caller: kCorrupt where bytes are read, kInternal where they are written.
Error FromArrowStatus(const arrow::Status& status, ErrorCode invalid_means);

/// Run `body` with Arrow's exceptions caught.
Status GuardArrow(ErrorCode invalid_means, const std::function<arrow::Status()>& body);

/// The value that `body`, which returns an `arrow::Result`, makes.
template <typename Body>
auto GuardArrowResult(ErrorCode invalid_means, Body&& body)
    -> Result<typename decltype(body())::ValueType> {
  using T = typename decltype(body())::ValueType;
  std::optional<T> value;
  FIRN_RETURN_IF_ERROR(GuardArrow(invalid_means, [&]() -> arrow::Status {
    auto result = body();
    if (!result.ok()) return result.status();
    value.emplace(std::move(result).ValueUnsafe());
    return arrow::Status::OK();
  }));
  return std::move(*value);
}

/// Register Arrow's compute functions once; call before the first use of one.
Status InitializeArrowCompute();

}  // namespace firn
