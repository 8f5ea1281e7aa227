#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/ingest/csv_records_internal.h"
#include "firn/ingest/text_rows_internal.h"

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

/// Convert a block. Bad rows are left out of the batch. `with_text`: keep their text.
/// Errors: kUnsupported: text has no values of a column's type; those of memory.
Result<TextRows> ConvertCsvBlock(const CsvFileLayout& layout, const CsvBlock& block, bool with_text,
                                 arrow::MemoryPool* pool);

/// Whether a field means null.
bool IsNullText(const CsvDialect& dialect, const CsvField& field, std::string_view text);

}  // namespace firn
