#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firn/format/types/type.h"
#include "firn/procedure/procedure.h"

/// Columns and rows of procedures.

namespace firn {

/// A column; ids are given when the columns become a struct.
struct Column {
  std::string name;
  TypePtr type;
};

/// A struct of optional fields with ids from `first_id` on. Nested types keep the ids they have.
TypePtr MakeRowType(std::vector<Column> columns, int32_t first_id = 1);

/// Shared types of columns.
TypePtr TextType();
TypePtr IntType();
TypePtr LongType();
TypePtr BooleanType();
TypePtr TextListType();
TypePtr TextMapType();
TypePtr ListOf(TypePtr element);

/// Rows that are there already.
Result<ProcedureOutput> MakeOutput(TypePtr type, std::vector<StructValue> rows);

/// No rows: the operation has nothing to tell.
Result<ProcedureOutput> MakeEmptyOutput();

/// Null for nullopt.
template <typename T>
Value OptionalValue(std::optional<T> value) {
  return value ? Value(*std::move(value)) : Value();
}

Value TextList(const std::vector<std::string>& texts);
Value TextMap(const Properties& properties);

}  // namespace firn
