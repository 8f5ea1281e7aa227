#pragma once

#include <optional>
#include <vector>

#include "firn/data/write/writer.h"

/// Deletes by key as files.

namespace firn {

struct EqualityDeleteOptions {
  /// Ids of the key columns: a row goes whose values of them all are those of a delete. Fields at
  /// the top or inside structs, of primitive types but float and double.
  std::vector<int32_t> equality_ids;
  /// The deletes apply to files of this partition of this spec; those of one without fields apply
  /// to files of every partition and spec.
  PartitionSpecPtr spec;
  /// Set: all deletes belong to this partition. Empty: that of each one is computed of its values,
  /// so the key holds all source columns of the spec.
  std::optional<StructValue> partition;
};

/// The columns of the rows for WriteEqualityDeletes: those of the current schema that hold key
/// columns, cut down to these. Errors: kInvalidInput, naming an id that cannot be part of a key.
Result<SchemaPtr> EqualityDeleteSchema(const TableMetadata& metadata,
                                       const std::vector<int32_t>& equality_ids);

/// Write delete files with `rows` (of EqualityDeleteSchema), at most as large as
/// `write.delete.target-file-size-bytes`, finished and durable. On an error no file is left. They
/// are committed with `ChangeFilesRequest::added_delete_files` and delete rows that were committed
/// before. Errors: as WriteDataFiles; kInvalidInput: the table has version 1, or no key.
Result<std::vector<DataFile>> WriteEqualityDeletes(const WriteContext& context,
                                                   const EqualityDeleteOptions& options,
                                                   RowStream rows);

}  // namespace firn
