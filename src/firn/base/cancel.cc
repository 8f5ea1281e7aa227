#include "firn/base/cancel.h"

namespace firn {

Status CancelToken::Check() const {
  if (is_cancelled()) return Error(ErrorCode::kCancelled, "stopped on request");
  return {};
}

}  // namespace firn
