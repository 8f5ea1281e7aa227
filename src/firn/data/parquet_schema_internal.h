#pragma once

#include <memory>

#include <arrow/type_fwd.h>
#include <parquet/schema.h>

#include "firn/base/result.h"
#include "firn/format/schema.h"

namespace firn {

/// The Parquet schema of a data file with these fields (reference 2.1, 2.3): field ids on leaves
/// and groups, decimals by precision, lists `list`/`element`, maps `key_value`/`key`/`value`;
/// unknown columns are left out. Errors: kUnsupported, naming the column.
Result<std::shared_ptr<parquet::schema::GroupNode>> MakeParquetSchema(
    const std::vector<NestedField>& fields);

/// `fields` without columns of type unknown at any depth of structs.
std::vector<NestedField> WithoutUnknown(const std::vector<NestedField>& fields);

/// The columns of `fields` without those that WithoutUnknown leaves out.
std::vector<std::shared_ptr<arrow::ArrayData>> DropUnknownColumns(
    const std::vector<NestedField>& fields,
    const std::vector<std::shared_ptr<arrow::ArrayData>>& columns);

}  // namespace firn
