#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/data/columns/file_schema_internal.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/format/schema/schema.h"

/// Where the values of each wanted column come from in one file (reference 2.10): a column of the
/// file with that field id, the value of an identity partition, the initial default, or null.

namespace firn {

/// How to make one column, or one field of a column.
struct ColumnPlan {
  enum class Source {
    kFile,           ///< The file's column, converted; nested ones part by part.
    kConstant,       ///< `constant` in every row.
    kMissingStruct,  ///< A struct that the file lacks and whose default is not null.
  };
  NestedField target;
  std::shared_ptr<arrow::DataType> arrow_type;  ///< Of `target`.
  Source source = Source::kConstant;
  Value constant;
  const FileField* file_field = nullptr;  ///< kFile.
  int file_index = -1;                    ///< kFile: position among the siblings that are read.
  std::vector<ColumnPlan> children;
};

struct ReadPlan {
  std::vector<ColumnPlan> columns;  ///< One for each wanted field, in order.
  std::set<int> leaves;             ///< Leaves of the file to read.
  bool is_exact = false;            ///< See ResolveContext.
};

/// What a file's columns are resolved with.
struct ResolveContext {
  /// Values of identity partitions by source field id: used where the file lacks the column.
  std::map<int32_t, Value> identity_values;
  /// Columns that the file must have, by its manifest (see DataFile). Null: unknown.
  const std::vector<int32_t>* counted_columns = nullptr;
  /// Whether the ids were given by a name mapping (for messages).
  bool is_mapped_by_name = false;
  /// The format's reader can leave out fields of structs; otherwise whole columns are read.
  bool prunes_nested = true;
  /// Times must fit the wanted type to the last digit: what is read is going to be stored.
  bool is_exact = false;
};

/// Plan the reading of `wanted` from `fields`, which outlive the plan. Ids of wanted fields are
/// unique. Errors: kCorrupt, naming the column: a required column without value, a type that may
/// not be read as the wanted one. kUnsupported: the type of a wanted column.
Result<ReadPlan> ResolveColumns(const std::vector<NestedField>& wanted,
                                const std::vector<FileField>& fields,
                                const ResolveContext& context);

/// Give a file's fields their ids: its own if it has any, else those of the table's name mapping
/// (null: the table has none). With `matches_names` the mapping alone counts. Returns whether the
/// mapping was used. Errors: kCorrupt if neither exists.
Result<bool> AssignFieldIds(std::vector<FileField>& fields, const NameMapping* mapping,
                            bool matches_names = false);

/// The columns of `plan` from one batch of the file. `rows` holds the leaves that the plan asked
/// for, pruned, in file order. Errors: kCorrupt, naming the column: a value does not fit.
/// `places` (null: all): those columns alone; the others are null pointers, in `rows` too if they
/// are. Of these, texts that are dictionary arrays stay so.
Result<std::vector<std::shared_ptr<arrow::Array>>> MaterializeColumns(
    const ReadPlan& plan, const arrow::ArrayData& rows, arrow::MemoryPool* pool,
    const std::set<size_t>* places = nullptr);

}  // namespace firn
