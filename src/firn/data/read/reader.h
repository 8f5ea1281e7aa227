#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/memory_budget.h"
#include "firn/base/row_stream.h"
#include "firn/format/puffin/deletion_vector.h"
#include "firn/scan/scan.h"

/// Rows of a table: data files of any format, resolved to the requested columns by field id, with
/// every kind of delete applied.

namespace firn {

/// What every reader of one scan shares. The referenced objects outlive the stream.
struct ReadContext {
  std::shared_ptr<FileIO> io;
  TableMetadataPtr metadata;
  Executor* executor = nullptr;
  MemoryBudget* budget = nullptr;
  CancelToken cancel;
  /// Where nothing that is written depends on the rows: files of another size than their manifests
  /// tell are read, since some writers never tell the right one, and the first is told about. Null:
  /// they are errors.
  std::shared_ptr<std::once_flag> size_warning = nullptr;
};

struct ReadOptions {
  /// Columns of the result, in order: fields of the table schema at any depth kept in their
  /// structs, and metadata columns (`_file`, `_pos`, `_partition`, `_spec_id`, `_row_id`,
  /// `_last_updated_sequence_number`) by their reserved ids.
  SchemaPtr projection;
  ExpressionPtr filter;  ///< Bound to the table schema; null: all rows. Applied row by row.
  int64_t batch_rows = 16384;
  bool with_deletes_applied = true;
  bool is_ordered = false;  ///< Batches in the order of `tasks` and of rows in the files.
  /// The files are no part of the table: their columns are found by the name mapping of the
  /// metadata even if they carry ids, which are those of another table.
  bool matches_names = false;
  /// Compare pages of Parquet files with their checksums, where writers left some.
  bool verifies_checksums = true;
  /// A file that has more or fewer rows than its manifest tells, in formats that count them, is not
  /// the file that was committed.
  bool verifies_row_counts = true;
  /// Rows to leave out besides deleted ones, by data file path; outlives the stream. Null: none.
  const std::map<std::string, PositionSet, std::less<>>* dropped_positions = nullptr;
};

/// Stream the rows of `tasks`. Memory stays under the budget whatever the files' size.
/// Errors (in the stream too): kCorrupt naming the file, kNotFound, kUnsupported, kCancelled.
Result<RowStream> ReadTasks(const ReadContext& context, std::vector<FileScanTask> tasks,
                            const ReadOptions& options);

/// The columns of a data file that is no part of a table, with fresh ids; all are optional.
/// Errors: kNotFound, kCorrupt, kUnsupported (a type that Iceberg has not), naming the file.
Result<Schema> ReadFileSchema(const ReadContext& context, const std::string& path,
                              FileFormat format, std::optional<int64_t> known_size = {});

/// Columns for `--columns a,b.c` (empty: all columns) of `schema`; metadata columns by name.
/// Errors: kInvalidInput, listing the columns.
Result<SchemaPtr> ProjectColumns(const TableMetadata& metadata, const Schema& schema,
                                 const std::vector<std::string>& columns);

/// Read a stream to its end and count its rows. Errors: those of the stream.
Result<int64_t> CountRows(RowStream rows);

/// Columns of the metadata table `position_deletes`, as Spark shows it: file_path, pos, row (the
/// columns of the deleted row, where a writer stored them), partition (unless the table has none),
/// spec_id, delete_file_path, and from version 3 on content_offset and content_size_in_bytes.
TypePtr PositionDeletesType(const TableMetadata& metadata);

/// Its rows for `snapshot` (null: none): a row for each position in live position delete files and
/// deletion vectors. Errors (in the stream too): kCorrupt, kNotFound, naming the delete file.
Result<RowStream> ReadPositionDeletes(const ReadContext& context, const Snapshot* snapshot);

/// A stream over rows of format values (metadata tables): `type` is their struct.
Result<RowStream> MakeRowStream(TypePtr type, std::vector<StructValue> rows);

/// Hands all rows to a visitor, one at a time; the visitor's error ends it.
using RowProducer = std::function<Status(const std::function<Status(StructValue&&)>&)>;

/// The same, of rows that `produce` makes on a thread of its own while the stream is read, little
/// ahead of it; it is stopped when the stream is released. Errors: those before the first rows;
/// later ones are the stream's.
Result<RowStream> StreamRows(TypePtr type, RowProducer produce);

}  // namespace firn
