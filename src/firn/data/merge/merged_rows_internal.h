#pragma once

#include <memory>

#include "firn/data/keys/row_ids_internal.h"
#include "firn/data/merge/row_spool_internal.h"
#include "firn/format/puffin/deletion_vector.h"
#include "firn/format/schema/schema.h"

namespace firn {

/// What becomes of the rows of an input.
struct MergedRows {
  PositionSet dropped;  ///< Numbers of rows to leave out.
  RowIds row_ids;       ///< Of rows that were there before.
  SchemaPtr schema;     ///< With the columns of row lineage, if rows are to have them, else null.
};

/// The rows of `rows` that are not dropped, with their row ids. Errors: those of `rows`.
Result<RowStream> StreamMergedRows(std::unique_ptr<BatchStream> rows, MergedRows merged,
                                   std::shared_ptr<BudgetPool> pool);

}  // namespace firn
