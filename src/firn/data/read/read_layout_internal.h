#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/data/read/reader.h"
#include "firn/format/schema/name_mapping.h"

namespace firn {

/// One column of the result.
struct OutputColumn {
  enum class Kind {
    kField,  ///< Of the table.
    kFile,
    kPosition,
    kDeleted,
    kSpecId,
    kPartition,
    kRowId,
    kLastUpdatedSequenceNumber,
  };
  Kind kind = Kind::kField;
  NestedField field;
  size_t source = 0;  ///< kField and lineage: index into `ReadLayout::fields`.
};

/// What all tasks of a read have in common.
struct ReadLayout {
  std::vector<OutputColumn> outputs;
  std::shared_ptr<arrow::Schema> schema;  ///< Of the outputs.
  /// Fields to read from each file: first those of the outputs (with what filters need inside of
  /// them behind the children wanted), then those that only filters need.
  std::vector<NestedField> fields;
  ExpressionPtr filter;    ///< Null: all rows.
  bool tests_rows = true;  ///< By the filter; otherwise it only spares reading parts of files.
  std::optional<NameMapping> name_mapping;
  bool matches_names = false;  ///< See ReadOptions.
  int64_t batch_rows = 0;
  bool with_deletes_applied = true;
  /// See ReadOptions.
  const std::map<std::string, PositionSet, std::less<>>* dropped_positions = nullptr;
  bool has_deleted_column = false;  ///< Deleted rows stay and are marked.
};

/// Errors: kUnsupported, naming a column of a type whose values cannot be read; kCorrupt: the name
/// mapping of the table, a filter on an unknown field.
Result<ReadLayout> MakeReadLayout(const TableMetadata& metadata, const ReadOptions& options);

}  // namespace firn
