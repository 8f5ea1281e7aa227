#pragma once

#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// The part of `ValidateTableMetadata` that other checks of a file stand on. Errors: kCorrupt.
Status CheckCurrentSchemaId(const TableMetadata& metadata);

}  // namespace firn
