#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/format/types/type.h"

/// Cells of Arrow columns as text, in the forms of `format/value_render.h`.

namespace firn {

/// A column ready to be printed: array, Iceberg type and children side by side.
struct CellColumn {
  TypePtr type;
  std::string json_key;  ///< "\"name\":"
  std::shared_ptr<arrow::Array> array;
  std::vector<CellColumn> children;
};

/// `array` has the Arrow type of the field's type; variants become their text. Errors: kCorrupt: a
/// variant that breaks its encoding.
Result<CellColumn> MakeCellColumn(const NestedField& field, std::shared_ptr<arrow::Array> array);

/// `columns` belong to the fields of the struct `type`, in order. Errors: as above.
Result<std::vector<CellColumn>> MakeCellColumns(
    const Type& type, const std::vector<std::shared_ptr<arrow::Array>>& columns);

void AppendCellJson(std::string& out, const CellColumn& column, int64_t row);

/// A null cell is empty.
void AppendCellCsv(std::string& out, const CellColumn& column, int64_t row);

/// As a person reads it: text bare, nested values as JSON, null as "null".
void AppendCellPlain(std::string& out, const CellColumn& column, int64_t row);

}  // namespace firn
