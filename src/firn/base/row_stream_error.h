#pragma once

#include "firn/base/result.h"
#include "firn/base/row_stream.h"

namespace firn {

/// What went wrong in a stream of which a call has just failed. A text that names a code of firn
/// ("corrupt: ...") gets it back; others are kInternal.
Error StreamError(ArrowArrayStream& stream);

/// The number that such a call returns for an error of this code.
int ErrnoOf(ErrorCode code);

}  // namespace firn
