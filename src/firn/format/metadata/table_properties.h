#pragma once

#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// Check values of properties that Iceberg knows, before they are stored: one that no engine can
/// follow would show much later, when something is written or maintained. Unknown names are fine.
/// Errors: kInvalidInput: every property with an impossible value, with what was expected.
Status CheckTableProperties(const Properties& properties);

}  // namespace firn
