#pragma once

#include "firn/change/replace_rows.h"

namespace firn {

/// Look in `request.head` for the files that may have rows for which `request.condition` is true,
/// and fill in `whole_files` and `files`, by metadata alone. Errors: as FindRows.
Status FindFiles(const ChangeContext& context, const Table& table, ReplaceRowsRequest& request);

/// Look in `request.head` for the rows for which `request.condition` is true, and fill in
/// `whole_files`, `files` and `positions`. Files of which metadata tells that every row matches, or
/// none, are not read. Errors: kInvalidInput: the condition; those of reading.
Status FindRows(const ChangeContext& context, const Table& table, ReplaceRowsRequest& request);

}  // namespace firn
