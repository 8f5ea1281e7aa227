#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/data/columns/file_schema_internal.h"
#include "firn/format/types/type.h"

/// Columns of the type `variant`. In Arrow, as in Parquet files that firn writes, they are structs
/// of two binary columns.

namespace firn {

/// Names of the parts of a variant, in this order, and of a shredded one in files.
inline constexpr std::string_view kVariantMetadata = "metadata";
inline constexpr std::string_view kVariantValue = "value";
inline constexpr std::string_view kVariantTypedValue = "typed_value";

/// The parts as an Iceberg struct of two required binaries without ids.
const TypePtr& VariantStorage();

/// Can a column of a file be read as a variant? It is a group of `metadata` and `value`, or
/// `typed_value`, or both.
bool IsVariantGroup(const FileField& field);

/// Of such a group, as the format's reader delivers it, the column as firn has it: shredded values
/// are put together. Errors: kCorrupt: parts that break the encoding or the rules of shredding.
Result<std::shared_ptr<arrow::ArrayData>> MakeVariantColumn(const arrow::ArrayData& group,
                                                            arrow::MemoryPool* pool);

/// Metadata and value of a row that is not null, one behind the other.
std::string ReadVariant(const arrow::Array& column, int64_t row);

/// The rows as JSON, an array of text. Errors: kCorrupt, naming the row; those of memory.
Result<std::shared_ptr<arrow::Array>> PrintVariants(const arrow::Array& column);

/// Append a variant in the form of ReadVariant. Errors: kCorrupt; those of memory.
Status AppendVariant(std::string_view joined, arrow::ArrayBuilder& builder);

}  // namespace firn
