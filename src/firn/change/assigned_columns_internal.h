#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/change/update_rows.h"

namespace firn {

/// An assignment whose column is found.
struct AssignedColumn {
  const NestedField* field = nullptr;  ///< Of the schema, which outlives it.
  std::vector<size_t> path;            ///< Positions from the root struct through structs.
  std::string name;
  std::string expression;
  std::string type_sql;  ///< The column's type as the engine calls it.
};

/// Errors: kInvalidInput, kUnsupported: see UpdateRows.
Result<std::vector<AssignedColumn>> FindAssigned(const Schema& schema,
                                                 const std::vector<Assignment>& assignments);

/// The columns of the table as the engine is to see them: UUIDs are marked as such.
/// Errors: kUnsupported: a column that cannot be written again.
Result<std::shared_ptr<arrow::Schema>> EngineSchema(const Schema& schema);

/// `column`, of `field`, with `value` at `path` below it and everything else as it is; where a
/// struct on the way is null, it becomes one of nulls.
/// Errors: kInvalidInput: that leaves a required field without value.
Result<std::shared_ptr<arrow::Array>> ReplaceField(const std::shared_ptr<arrow::Array>& column,
                                                   const NestedField& field,
                                                   std::span<const size_t> path,
                                                   const std::shared_ptr<arrow::Array>& value,
                                                   arrow::MemoryPool* pool);

}  // namespace firn
