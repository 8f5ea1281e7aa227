#pragma once

#include <vector>

#include "firn/format/schema/schema.h"
#include "firn/parquet/parquet.h"

namespace firn {

/// What a Parquet file looks like, and what each leaf is to Iceberg.
struct ParquetLayout {
  FileFooter footer;  ///< Schema and key-value metadata, no rows.
  std::vector<LeafNode> leaves;
  /// The table's field of each leaf; that of a variant stands for both of its parts.
  std::vector<NestedField> fields;
};

/// The layout of files with `schema` (reference 2.1, 2.3): field ids on leaves and groups, decimals
/// by precision, lists `list`/`element`, maps `key_value`/`key`/`value`, variants of two parts
/// without ids; unknown columns are left out. The schema's JSON goes to the key `iceberg.schema`.
/// Errors: kUnsupported, naming a column that Parquet files cannot hold.
Result<ParquetLayout> MakeParquetLayout(const Schema& schema);

}  // namespace firn
