#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/executor.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/scan/scan.h"

/// Iceberg's metadata tables: same names, columns, order and values as Spark shows.

namespace firn {

/// Everything a metadata table may need.
struct MetadataTableRequest {
  FileIO* io = nullptr;
  const TableMetadata* metadata = nullptr;
  std::string metadata_location;  ///< For metadata_log_entries.
  SnapshotSelector selector;
  Executor* executor = nullptr;
  CancelToken cancel;
};

/// One row at a time; values in the order of the table's struct type.
using RowVisitor = std::function<Status(StructValue&&)>;

/// A metadata table that is made from metadata files alone (position_deletes reads rows and is in
/// `data`).
struct MetadataTable {
  std::string name;     ///< "data_files"
  std::string summary;  ///< For help.
  /// Columns; they may depend on the table (partition type, readable metrics).
  std::function<Result<TypePtr>(const MetadataTableRequest&)> type;
  std::function<Status(const MetadataTableRequest&, const RowVisitor&)> scan;
};

/// All of them, sorted by name.
const std::vector<MetadataTable>& MetadataTables();

/// `-` and `_` are the same. Errors: kInvalidInput, listing the names.
Result<const MetadataTable*> FindMetadataTable(std::string_view name);

}  // namespace firn
