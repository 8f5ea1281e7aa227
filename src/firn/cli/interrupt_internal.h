#pragma once

#include "firn/base/cancel.h"

namespace firn {

/// Cancelled by the first SIGINT or SIGTERM; a second one ends the process at once. A closed pipe
/// on standard output becomes an error instead of a signal.
CancelToken CatchInterrupts();

}  // namespace firn
