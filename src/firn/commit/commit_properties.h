#pragma once

#include "firn/base/result.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// Whether the table properties can be understood that every commit of a snapshot reads. To be
/// asked before the work that is to be committed. Errors: kInvalidInput naming the property.
Status CheckCommitProperties(const TableMetadata& metadata);

}  // namespace firn
