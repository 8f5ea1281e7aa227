#pragma once

#include <memory>
#include <vector>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/changes/changelog.h"
#include "firn/data/sort/sort_keys.h"

namespace firn {

/// Columns behind those of the table.
inline constexpr int kChangeColumns = 3;

/// All rows that one snapshot deleted and then those that it added, equal ones too, with the
/// columns of `schema` (see ChangelogSchema).
Result<std::unique_ptr<BatchStream>> ReadSnapshotChanges(const ReadContext& context,
                                                         const SchemaPtr& schema,
                                                         SnapshotChanges changes,
                                                         SnapshotId snapshot_id, int32_t ordinal);

/// Which columns decide that rows are the same row, or versions of one.
struct RowIdentity {
  std::vector<int> row_columns;         ///< Places of all columns of the table.
  std::vector<int> identifier_columns;  ///< Places; empty: updates are not looked for.
  bool is_net = false;                  ///< Rows of several snapshots are compared.
};

/// Keys that bring rows together that CancelChanges has to compare.
std::unique_ptr<RowKeyEncoder> MakeChangeKeys(RowIdentity identity);

/// Of `rows`, sorted by those keys, what remains when equal rows that were deleted and added have
/// cancelled each other; and images of updates.
std::unique_ptr<BatchStream> CancelChanges(std::unique_ptr<BatchStream> rows, RowIdentity identity,
                                           std::shared_ptr<arrow::MemoryPool> pool);

}  // namespace firn
