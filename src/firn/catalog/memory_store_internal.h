#pragma once

#include <memory>

#include "firn/catalog/pointer_store_internal.h"

namespace firn {

/// Names live as long as the process.
std::unique_ptr<PointerStore> MakeMemoryStore();

}  // namespace firn
