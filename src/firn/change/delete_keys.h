#pragma once

#include <string>
#include <vector>

#include "firn/base/row_stream.h"
#include "firn/change/change_context.h"

namespace firn {

struct DeleteKeysRequest : SnapshotOptions {
  std::vector<int32_t> key_ids;  ///< See EqualityDeleteOptions.
};

/// Delete all rows that the branch has when the commit succeeds and have one of `keys` (rows of
/// EqualityDeleteSchema): by equality delete files, without reading a row. If the key holds the
/// source columns of the default partition spec, deletes go to the partitions of their keys; else
/// they apply everywhere, which takes an unpartitioned spec in the table. Without keys there is no
/// commit: the result then has snapshot id 0. Unless the outcome of the commit is unknown, an
/// error leaves no file behind.
///
/// Errors  kInvalidInput: the table has version 1, a column cannot be part of a key, or no spec
///         fits; those of the stream and of CommitChangeFiles.
Result<CommitResult> DeleteKeys(const ChangeContext& context, const Table& table, RowStream keys,
                                const DeleteKeysRequest& request);

}  // namespace firn
