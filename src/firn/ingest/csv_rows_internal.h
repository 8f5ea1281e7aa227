#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/ingest/csv_records_internal.h"
#include "firn/ingest/reject_file_internal.h"
#include "firn/ingest/row_source_internal.h"

namespace firn {

/// How the rows of one CSV file become those of the table. Immutable; shared by parallel jobs.
struct CsvFileLayout {
  std::string uri;
  std::vector<std::string> columns;  ///< Of the file.
  SchemaPtr schema;                  ///< Of the table.
  std::vector<int> places;           ///< For each field of the schema a column, or -1.
  std::vector<Value> constants;      ///< For those: what takes the place of a value.
  CsvDialect dialect;
};

/// The rows of a block.
struct CsvRows {
  std::shared_ptr<arrow::RecordBatch> batch;
  std::vector<RejectedRow> rejected;  ///< In the order of the file.
};

/// Convert a block. Bad rows are left out of the batch. `with_text`: keep their text.
/// Errors: kUnsupported: text has no values of a column's type; those of memory.
Result<CsvRows> ConvertCsvBlock(const CsvFileLayout& layout, const CsvBlock& block, bool with_text,
                                arrow::MemoryPool* pool);

/// Whether a field means null.
bool IsNullText(const CsvDialect& dialect, const CsvField& field, std::string_view text);

/// "line 7, column 'a': 'x' is no double": where and why, without the file.
std::string DescribeRejected(const RejectedRow& row);

}  // namespace firn
