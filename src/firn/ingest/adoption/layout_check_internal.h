#pragma once

#include "firn/ingest/ingest.h"

namespace firn {

/// Options for a table that is made say nothing to one that is there: what it has must be what they
/// ask for. Of `schema`, columns that the table has as well. Errors: kInvalidInput: everything that
/// differs.
Status CheckLayout(const NewTableLayout& layout, const TableMetadata& metadata);

}  // namespace firn
