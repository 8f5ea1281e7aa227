#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "firn/format/metadata/table_metadata.h"

/// Changes of a schema that keep what is written readable: a field id stands for the same column
/// for ever, and none is given twice. Columns are named by full names ("a.b", "list.element.x" or
/// "list.x", "map.value.x" or "map.x"), as they are called when the change is made.

namespace firn {

/// A place among the fields of the same struct.
struct ColumnPosition {
  enum class Kind { kFirst, kAfter, kBefore };
  Kind kind = Kind::kFirst;
  std::string other;  ///< Of kAfter and kBefore: a sibling, by its own or its full name.
};

struct AddColumn {
  std::vector<std::string> path;  ///< Down to the new name; before it a struct, list or map.
  TypePtr type;                   ///< Ids in it are ignored.
  bool is_required = false;       ///< Needs a default, for the rows that are there.
  std::string doc;
  std::optional<Value> default_value;      ///< Initial and write default; format version 3.
  std::optional<ColumnPosition> position;  ///< Else last.
};

struct DropColumn {
  std::string column;
};

struct RenameColumn {
  std::string column;
  std::string new_name;  ///< Its own name; dots in it are part of it.
};

/// What is not said stays.
struct AlterColumn {
  std::string column;
  TypePtr type;              ///< A promotion of the spec; null: stays.
  bool is_optional = false;  ///< Becomes optional.
  std::optional<std::string> doc;
  std::optional<Value> write_default;  ///< Format version 3; null: new rows have none.
  std::optional<ColumnPosition> position;
};

/// Replaces the set; empty: none.
struct SetIdentifierFields {
  std::vector<std::string> columns;
};

using SchemaChange =
    std::variant<AddColumn, DropColumn, RenameColumn, AlterColumn, SetIdentifierFields>;

/// The current schema of `metadata` after `changes`, one after the other; its own id is to be given
/// by who commits it. Checks all changes before it gives up.
///
/// Errors  kInvalidInput: every rule of the spec that a change breaks, with the columns: a name
///         that is missing or taken, a type that is no promotion, a required column without a
///         default, an identifier, partition source or sort column that would go, a map key that
///         would change, what the format version does not have.
Result<Schema> EvolveSchema(const TableMetadata& metadata, std::span<const SchemaChange> changes);

}  // namespace firn
