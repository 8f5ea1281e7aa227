#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/ingest/csv/csv_records_internal.h"
#include "firn/ingest/text/text_rows_internal.h"

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

/// Why a record is no row of so many columns; empty if it is one.
std::string FindRecordFault(const CsvBlock& block, const CsvRecord& record, size_t columns,
                            const CsvDialect& dialect);

/// Which fields mean null.
class CsvNullTexts {
 public:
  /// `dialect` outlives this.
  explicit CsvNullTexts(const CsvDialect& dialect);

  bool IsNull(const CsvField& field, std::string_view text) const {
    // Few have a size that any has.
    const bool has_size = (sizes_ >> std::min<size_t>(text.size(), kSizeMax) & 1) != 0;
    return has_size && field.is_quoted == 0 && IsOneOf(text);
  }

 private:
  static constexpr size_t kSizeMax = 63;  // And above.
  bool IsOneOf(std::string_view text) const;

  const std::vector<std::string>& texts_;
  uint64_t sizes_ = 0;  // Bit n: one of them has n bytes.
};

}  // namespace firn
