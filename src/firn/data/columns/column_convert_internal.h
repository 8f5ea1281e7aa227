#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/format/types/type.h"

/// Values of a file as values of a table's type: equal types, the promotions of the spec, and what
/// writers outside Iceberg store for the same meaning (narrow and unsigned integers, other time
/// units, binary without annotation, dictionaries, decimals of any width).

namespace firn {

/// May a primitive column that the file's reader delivers as `from` be read as `to`?
bool CanConvertColumn(const arrow::DataType& from, const Type& to);

/// Convert all of `column`; slots without value are ignored. Requires CanConvertColumn. `is_exact`:
/// a time with digits finer than those of `to` does not fit; otherwise they are cut off.
/// Errors: kCorrupt: a value does not fit `to` or is no legal one of the file's own type.
Result<std::shared_ptr<arrow::ArrayData>> ConvertColumn(const arrow::ArrayData& column,
                                                        const Type& to, arrow::MemoryPool* pool,
                                                        bool is_exact = false);

}  // namespace firn
