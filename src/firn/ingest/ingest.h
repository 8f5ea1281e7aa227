#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/change/change.h"
#include "firn/format/layout/partition_spec.h"
#include "firn/format/layout/sort_order.h"
#include "firn/format/schema/schema.h"
#include "firn/ingest/text/text_encoding.h"

/// Files of other formats become rows of a table: the first run creates it, later ones append,
/// matched by column name. One run is one commit.

namespace firn {

enum class SourceFormat { kCsv, kJson, kParquet, kOrc, kAvro };

/// What ends a line outside of quotes.
enum class LineEnd {
  kDetect,  ///< LF and CR LF; CR alone too where it ends the first line of the file.
  kLf,      ///< LF alone: a CR before it belongs to the field.
  kCrLf,    ///< Only both together: either alone belongs to the field.
  kCr,
};

/// How a text file is to be read.
struct CsvDialect {
  char delimiter = ',';
  char quote = '"';  ///< NUL: quotes mean nothing.
  /// Inside quotes, the character before one that is meant literally; NUL: a quote is doubled.
  char escape = '\0';
  bool has_header = true;  ///< Otherwise columns are called column_1, column_2, ...
  std::vector<std::string> null_texts = {""};  ///< Fields without quotes that mean null.
  int64_t skip_lines = 0;                      ///< Before the header.
  LineEnd line_end = LineEnd::kDetect;
  /// Fields that a row lacks at its end are null, and empty ones behind its last column are left
  /// out. Otherwise such rows are bad.
  bool pads_rows = false;
  TextEncoding encoding = TextEncoding::kMarked;
};

/// What becomes of a row that cannot be read.
enum class BadRows {
  kFail,        ///< The run ends, and the table stays as it was.
  kSkip,        ///< It is counted.
  kQuarantine,  ///< It is kept, with the reason, in the reject file.
};

/// How a table is made that does not exist yet.
struct NewTableLayout {
  std::optional<Schema> schema;  ///< Empty: that of the source.
  /// Fields name their source columns by the ids of the schema that the table will have.
  std::function<Result<PartitionSpec>(const Schema&)> partition_spec;  ///< Null: unpartitioned.
  std::function<Result<SortOrder>(const Schema&)> sort_order;          ///< Null: unsorted.
  Properties properties;
  std::string location;               ///< Empty: the catalog's choice.
  std::optional<int> format_version;  ///< Empty: 2, or that of the table that is replaced.
};

/// What a run does to the rows that the table has.
enum class IngestMode {
  kAppend,
  kCreate,   ///< The table must not exist.
  kReplace,  ///< The table must exist: it gets the columns and the layout of the run and its rows.
  kCreateOrReplace,
  kOverwrite,            ///< All rows go.
  kOverwritePartitions,  ///< Those of each partition that gets new rows go.
  kOverwriteRows,        ///< Those of a condition go; the table must exist.
  kMerge,                ///< Those with the key of a new row go.
};

struct IngestRequest : SnapshotOptions {
  SourceFormat format = SourceFormat::kCsv;
  std::vector<std::string> sources;  ///< Files, folders, globs; "-" is standard input.
  TableName table;
  IngestMode mode = IngestMode::kAppend;
  ExpressionPtr condition;       ///< Of kOverwriteRows; unbound.
  bool rows_must_match = false;  ///< Of kOverwriteRows; see OverwriteRowsRequest.
  std::vector<std::string> key;  ///< Of kMerge; empty: the table's identifier fields.
  DuplicateKeys duplicates = DuplicateKeys::kError;  ///< Of kMerge.
  std::optional<WriteMode> write_mode;  ///< Of kMerge and kOverwriteRows; empty: the table's.
  NewTableLayout layout;
  /// Columns that the table lacks are added, and types that are too narrow are widened where the
  /// spec allows it, with the rows. Otherwise they are an error.
  bool evolves = false;
  /// Files that the branch has as they are now are left out, and the others are recorded with it.
  bool only_new_files = false;
  bool hive_partitions = false;        ///< Folders `key=value` are columns.
  std::optional<int64_t> sample_rows;  ///< Infer types from so many rows; empty: from all.
  bool infers_decimals = false;        ///< Numbers with a point become decimals, not doubles.
  CsvDialect csv;
  BadRows bad_rows = BadRows::kFail;
  std::string reject_file;  ///< Of kQuarantine.
};

struct IngestContext {
  ChangeContext change;
  std::shared_ptr<FileIO> io;                    ///< Of the sources and the reject file.
  std::function<void(std::string_view)> notice;  ///< May be null.
  std::function<void(int64_t bytes_done, int64_t bytes_total)> progress;  ///< May be null.
  bool is_dry_run = false;  ///< What is given keeps no change: notices say what would be.
};

struct IngestResult {
  int64_t files = 0;        ///< Of the source, that were read.
  int64_t known_files = 0;  ///< Left out by `only_new_files`.
  int64_t rows = 0;         ///< Written.
  int64_t updated = 0;      ///< Of `rows`: those of kMerge whose key the table had.
  int64_t deleted = 0;      ///< Rows of the table that went, by kMerge and kOverwriteRows.
  int64_t rejected = 0;     ///< Rows left out.
  int64_t bytes = 0;        ///< Of the source files, as stored.
  std::optional<SnapshotId> snapshot_id;
  Table table;              ///< After the run.
  TableMetadataPtr before;  ///< Null: the table was not there.
  bool is_created = false;
  bool is_repeat = false;  ///< The idempotency key was there already.
};

/// Read the sources into the table. Unless the outcome of the commit is unknown, an error leaves
/// the table as it was, and none where there was none.
///
/// Errors  kNotFound: no source, no namespace. kInvalidInput: rows that cannot be read, naming
///         file, line and column; columns that do not fit, all at once; options. kAlreadyExists:
///         mode kCreate. Those of AppendRows, MergeRows and OverwriteRows.
Result<IngestResult> Ingest(const IngestContext& context, const IngestRequest& request);

}  // namespace firn
