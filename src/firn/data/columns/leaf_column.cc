#include <arrow/array.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/columns/leaf_column_internal.h"

namespace firn {

Result<std::shared_ptr<arrow::Array>> LeafColumn(
    const std::vector<std::shared_ptr<arrow::Array>>& columns, const std::vector<int>& places,
    arrow::MemoryPool* pool) {
  std::shared_ptr<arrow::Array> column = columns[static_cast<size_t>(places[0])];
  for (size_t depth = 1; depth < places.size(); ++depth) {
    FIRN_ASSIGN(column, GuardArrowResult(ErrorCode::kInternal, [&] {
                  return static_cast<const arrow::StructArray&>(*column).GetFlattenedField(
                      places[depth], pool);
                }));
  }
  return column;
}

Result<std::vector<std::shared_ptr<arrow::Array>>> LeafColumns(
    const std::vector<std::shared_ptr<arrow::Array>>& columns,
    const std::vector<std::vector<int>>& places, arrow::MemoryPool* pool) {
  std::vector<std::shared_ptr<arrow::Array>> leaves;
  for (const std::vector<int>& place : places) {
    FIRN_ASSIGN(auto column, LeafColumn(columns, place, pool));
    leaves.push_back(std::move(column));
  }
  return leaves;
}

}  // namespace firn
