#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value.h"

/// Between single values and Arrow arrays of the type that `ToArrowType` gives.

namespace firn {

/// Append `value` (of `type`) to the builder of its Arrow type. Errors: kInternal if the value does
/// not fit the type; kResourceExhausted.
Status AppendValue(const Type& type, const Value& value, arrow::ArrayBuilder& builder);

/// `length` times the same value.
Result<std::shared_ptr<arrow::Array>> MakeConstantArray(const Type& type, const Value& value,
                                                        int64_t length, arrow::MemoryPool* pool);

/// The values as one array. Errors as for AppendValue.
Result<std::shared_ptr<arrow::Array>> MakeValueArray(const Type& type,
                                                     const std::vector<Value>& values,
                                                     arrow::MemoryPool* pool);

/// The value at `row` of an array of the Arrow type of `type`.
Value ReadValue(const Type& type, const arrow::Array& array, int64_t row);

}  // namespace firn
