#pragma once

#include <memory>
#include <vector>

#include <arrow/type.h>

#include "firn/base/result.h"
#include "firn/format/schema/schema.h"
#include "firn/format/types/type.h"

/// Iceberg types as Arrow types, one for each: what scans produce and writers expect.

namespace firn {

/// Key of Arrow field metadata that holds a field id (Arrow's Parquet reader uses it too).
inline constexpr char kFieldIdKey[] = "PARQUET:field_id";

/// timestamps in us or ns (with "UTC" if zoned), uuid as 16 fixed bytes, unknown as null, variant a
/// struct of two binaries; geometry, geography have none. Errors: kUnsupported, naming the type.
Result<std::shared_ptr<arrow::DataType>> ToArrowType(const Type& type);

/// The field with its id in the metadata. Errors as above, naming the field.
Result<std::shared_ptr<arrow::Field>> ToArrowField(const NestedField& field);

/// Errors as above.
Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const std::vector<NestedField>& fields);

/// The Iceberg struct that holds rows of `schema`: a timestamp with a zone is timestamptz whatever
/// the zone, nanoseconds stay nanoseconds, unsigned 32-bit integers are long. Fields get the ids of
/// a fresh schema: first all of a struct, then what is in them. Errors: kUnsupported, naming the
/// field.
Result<TypePtr> FromArrowSchema(const arrow::Schema& schema);

}  // namespace firn
