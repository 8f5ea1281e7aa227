#pragma once

#include <set>
#include <string>
#include <vector>

#include "firn/data/file_schema_internal.h"
#include "firn/format/table_metadata.h"

namespace firn {

/// A leaf of a file and the table's field that it holds values of.
struct MatchedLeaf {
  int leaf = 0;
  NestedField field;
  std::shared_ptr<arrow::DataType> file_type;
  bool is_repeated = false;  ///< Inside a list or a map.
};

/// How the columns of a file meet those of a table.
struct ColumnMatch {
  std::vector<MatchedLeaf> leaves;       ///< By ascending field id.
  std::set<int32_t> found_ids;           ///< Fields of the schema that the file has.
  std::vector<std::string> differences;  ///< All of them, one sentence each.
  std::vector<std::string> unknown_columns;
};

/// Compare the columns of a file, which have their ids, with the fields of `schema`.
/// `is_mapped_by_name`: the ids come from a name mapping.
ColumnMatch MatchColumns(const TableMetadata& metadata, const Schema& schema,
                         const std::vector<FileField>& fields, bool is_mapped_by_name);

}  // namespace firn
