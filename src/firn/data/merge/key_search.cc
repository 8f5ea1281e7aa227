#include <utility>

#include <arrow/array.h>

#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/merge/key_search_internal.h"
#include "firn/data/read/key_columns_internal.h"

namespace firn {

Status SearchKeys(const ReadContext& context, const std::vector<FileScanTask>& tasks,
                  const KeySearch& search, KeyTable& keys, PositionsByFile& found) {
  KeyColumns columns{
      .paths = {}, .condition = search.condition, .with_row_ids = search.with_row_ids};
  for (const int32_t id : search.key_ids) {
    FIRN_ASSIGN(NestedField path,
                FindFieldPath(*context.metadata, id,
                              context.metadata->current_schema()->FindField(id)->type.get()));
    MakeOptional(path);
    columns.paths.push_back(std::move(path));
  }
  const auto search_batch = [&](const KeyColumnBatch& batch,
                                std::vector<int64_t>& positions) -> Status {
    std::vector<int64_t> ordinals;
    keys.Find(KeyBatch(batch.columns, batch.rows), ordinals);
    for (int64_t i = 0; i < batch.rows; ++i) {
      const int64_t ordinal = ordinals[static_cast<size_t>(i)];
      if (ordinal == KeyTable::kNotFound) continue;
      positions.push_back(batch.positions->Value(i));
      const bool has_id = batch.row_ids != nullptr && !batch.row_ids->IsNull(i);
      keys.Match(static_cast<KeyOrdinal>(ordinal),
                 has_id ? batch.row_ids->Value(i) : KeyTable::kNoRowId);
    }
    return {};
  };
  return VisitKeyColumns(context, tasks, columns, search_batch, found);
}

}  // namespace firn
