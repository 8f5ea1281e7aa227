#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/schema/schema.h"

/// Schemas and types as people write them:
///
///   id bigint not null, name string comment 'full', s struct<a: int, b: array<string>>, m
///   map<string, int>
///
/// Types have the names of the Iceberg spec or of SQL (`bigint`, `integer`, `array`, `varchar(9)`);
/// `timestamp` has no zone, `timestamptz` has one. Names with odd characters stand in backquotes.
/// Errors of all: kInvalidInput with the position, what was found and what was expected.

namespace firn {

/// The columns of a new table with the ids that a new table gives them. Errors: also names that
/// stand twice.
Result<Schema> ParseSchemaText(std::string_view text);

/// A column to be added: "a.b int not null comment 'x'". All ids are 0.
struct ColumnText {
  std::vector<std::string> path;  ///< Down to the column's own name.
  NestedField column;
};
Result<ColumnText> ParseColumnText(std::string_view text);

/// Ids in it are 0.
Result<TypePtr> ParseTypeText(std::string_view text);

/// "a.b.`c d`" taken apart.
Result<std::vector<std::string>> ParseColumnPath(std::string_view text);

/// Text that `ParseTypeText` reads as the same type but for ids and defaults.
std::string FormatTypeText(const Type& type);

/// Text that `ParseSchemaText` reads as the same columns but for ids and defaults.
std::string FormatSchemaText(const Schema& schema);

}  // namespace firn
