#pragma once

#include <vector>

#include "firn/ingest/input/row_source_internal.h"

namespace firn {

/// Match the columns of a source with those of the table, by name: exactly, else ignoring the case
/// of ASCII letters where that leaves one. Errors: kInvalidInput with every difference: columns
/// that the table lacks, required ones that the source lacks, types that do not fit.
Result<RowTarget> FitColumns(const std::vector<SourceColumn>& columns, SchemaPtr schema);

/// Names of the fields that the source has no column for.
std::vector<std::string> MissingColumns(const RowTarget& target);

/// The field with this name among `fields`: exactly, else the only one but for the case of ASCII
/// letters; null if there is none.
const NestedField* FindColumn(const std::vector<NestedField>& fields, std::string_view name);

/// The type as tables of the version have it: nanoseconds become microseconds below version 3.
TypePtr TypeForVersion(const TypePtr& type, int format_version);

/// Whether values of `from` may be stored as `to` without loss (times are checked value by value).
bool CanStoreAs(const Type& from, const Type& to);

/// The schema of a table made of the columns. Nanoseconds become microseconds below version 3.
/// Errors: kInvalidInput without columns.
Result<Schema> SchemaOfColumns(const std::vector<SourceColumn>& columns, int format_version);

}  // namespace firn
