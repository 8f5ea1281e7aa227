#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/format/types/type.h"

namespace firn {

/// Values of a type as another program hands them out, as an array of the type that ToArrowType
/// gives: children have other names there, a UUID is text, bytes of a fixed are of any length, and
/// nanoseconds with a zone lack it.
///
/// Errors  kInvalidInput, naming the field: a required one lacks a value, text is no UUID, bytes
///         are not as long as the type says. kInternal: the array is of another type.
Result<std::shared_ptr<arrow::Array>> FitColumn(const std::shared_ptr<arrow::Array>& column,
                                                const NestedField& field, arrow::MemoryPool* pool);

}  // namespace firn
