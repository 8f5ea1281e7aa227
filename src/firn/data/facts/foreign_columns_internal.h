#pragma once

#include <set>
#include <string>
#include <vector>

#include "firn/data/columns/file_schema_internal.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// A leaf of a file and the table's field that it holds values of.
struct MatchedLeaf {
  int leaf = 0;
  NestedField field;
  std::shared_ptr<arrow::DataType> file_type;
  bool is_repeated = false;       ///< Inside a list or a map.
  bool is_required = false;       ///< It, or something that it is in.
  bool may_be_too_fine = false;   ///< A time of the file, whose unit is finer than the table's.
  bool is_text_in_bytes = false;  ///< A string of the table, and bytes without meaning in the file.
};

/// How the columns of a file meet those of a table.
struct ColumnMatch {
  std::vector<MatchedLeaf> leaves;       ///< By ascending field id.
  std::set<int32_t> found_ids;           ///< Fields of the schema that the file has.
  std::vector<std::string> differences;  ///< All of them, one sentence each.
  std::vector<std::string> unknown_columns;
};

struct MatchOptions {
  bool is_mapped_by_name = false;  ///< The ids come from a name mapping.
  /// The file is to become the table's: what firn reads by guessing, and others perhaps not, is a
  /// difference.
  bool is_adoption = false;
  /// The format knows no coarser times: a unit alone is no difference.
  bool has_only_nanos = false;
};

/// Compare the columns of a file, which have their ids, with the fields of `schema`.
ColumnMatch MatchColumns(const TableMetadata& metadata, const Schema& schema,
                         const std::vector<FileField>& fields, const MatchOptions& options);

}  // namespace firn
