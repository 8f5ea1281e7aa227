#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/executor.h"
#include "firn/base/memory_budget.h"
#include "firn/base/random.h"
#include "firn/base/row_stream.h"
#include "firn/format/layout/sort_order.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/table_metadata.h"

/// Rows into data files of the format that the table wants (`write.format.default`), with field ids
/// and exact Iceberg metrics.

namespace firn {

class CurveCells;

struct WriteContext {
  std::shared_ptr<FileIO> io;
  TableMetadataPtr metadata;
  Executor* executor = nullptr;
  MemoryBudget* budget = nullptr;
  CancelToken cancel;
  Random* random = nullptr;
  std::string spill_folder;  ///< For rows that are sorted; see ScratchFile.
};

struct DataWriteOptions {
  FileContent content = FileContent::kData;  ///< Delete files have properties of their own.
  SchemaPtr schema;  ///< Of the rows; may end with `_row_id`, `_last_updated_sequence_number` (v3).
  PartitionSpecPtr spec;
  /// Set: all rows belong to this partition of `spec`. Empty: the partition of each row is computed
  /// from its values and rows fan out to one open file per partition. With more than 256 partitions
  /// the rest of the rows is sorted by partition, so that one file is open at a time.
  std::optional<StructValue> partition;
  int64_t target_file_bytes = 0;  ///< Roll to the next file at this size, by real bytes; 0: never.
  /// How many rows there are, about, if all are of one partition; 0: not known. Where it is known,
  /// files get even sizes near the target, not full ones and a rest.
  int64_t rows_expected = 0;
  std::shared_ptr<CurveCells> cells;  ///< Rows lie along a curve: files end with its cells.
  /// Rows are sorted by it within their partition, and files say so: the rows of a file are in this
  /// order, and follow those of the file before. Order 0: rows stay as they come.
  SortOrder sort_order;
  bool has_full_metrics = false;  ///< Bounds in full length, whatever the table's properties say.
};

/// `write.target-file-size-bytes`. Errors: kInvalidInput.
Result<int64_t> TargetFileBytes(const TableMetadata& metadata);

/// `write.delete.target-file-size-bytes`. Errors: kInvalidInput.
Result<int64_t> DeleteTargetFileBytes(const TableMetadata& metadata);

/// How rows of the current schema are written into the table: by its default spec, in its default
/// sort order (unless it has a transform that firn does not know), with its target size.
/// Errors: kInvalidInput, naming the property.
Result<DataWriteOptions> TableWriteOptions(const TableMetadata& metadata);

/// Write all rows of `rows` into data files below the table's data location (`write.data.path`,
/// location provider properties), named uniquely. Files are finished and durable on return; on an
/// error the files already written are deleted.
/// Errors: those of the stream; kResourceExhausted (disk), kUnavailable.
Result<std::vector<DataFile>> WriteDataFiles(const WriteContext& context,
                                             const DataWriteOptions& options, RowStream rows);

}  // namespace firn
