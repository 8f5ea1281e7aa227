#pragma once

#include "firn/base/result.h"

namespace firn {

/// What breaks the spec in a file (kCorrupt) is a wrong request where somebody asks for it.
inline Status AsRequest(const Status& status) {
  if (status.ok() || status.error().code() != ErrorCode::kCorrupt) return status;
  return Error(ErrorCode::kInvalidInput, status.error().message());
}

}  // namespace firn
