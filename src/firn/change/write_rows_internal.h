#pragma once

#include <vector>

#include "firn/base/row_stream.h"
#include "firn/change/change_context.h"

namespace firn {

/// Write rows of the current schema into new data files of the default partition spec.
Result<std::vector<DataFile>> WriteTableRows(const ChangeContext& context, const Table& table,
                                             RowStream rows);

}  // namespace firn
