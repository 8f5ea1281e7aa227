#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/format/schema/schema.h"

/// Columns as Arrow's ORC adapter takes them: times as integers, uuid and fixed as binary, columns
/// of type unknown left out.

namespace firn {

/// The fields with the attributes of the spec as metadata, that the adapter writes as attributes of
/// ORC types. Errors: kUnsupported, naming a column.
Result<std::shared_ptr<arrow::Schema>> ToOrcSchema(const std::vector<NestedField>& fields);

/// The columns of a batch for that schema. Errors: kResourceExhausted.
Result<std::vector<std::shared_ptr<arrow::ArrayData>>> ToOrcColumns(
    const std::vector<NestedField>& fields,
    const std::vector<std::shared_ptr<arrow::ArrayData>>& columns, arrow::MemoryPool* pool);

}  // namespace firn
