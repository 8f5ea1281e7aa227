#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"
#include "firn/ingest/character_scanner_internal.h"
#include "firn/ingest/ingest.h"

/// CSV text taken apart into records and fields. No types yet; nothing is copied.

namespace firn {

/// A field of a record: a piece of the block's text, its quotes left out.
struct CsvField {
  uint32_t offset = 0;
  uint32_t size : 30 = 0;
  uint32_t is_quoted : 1 = 0;
  uint32_t is_escaped : 1 = 0;  ///< Holds doubled quotes or escapes; see `UnescapeCsv`.
};

enum class CsvFault : uint8_t {
  kNone,
  kTextAfterQuote,  ///< `"a"b,`
  kOpenQuote,       ///< The input ends within quotes.
};

struct CsvRecord {
  int64_t line = 0;  ///< Of its first character, from 1.
  uint32_t first_field = 0;
  uint32_t field_count = 0;
  CsvFault fault = CsvFault::kNone;
  uint32_t offset = 0;  ///< Of its text, without the line end.
  uint32_t size = 0;
};

/// Whole records and their text.
struct CsvBlock {
  std::string text;
  std::vector<CsvField> fields;
  std::vector<CsvRecord> records;

  std::string_view FieldText(const CsvField& field) const {
    return std::string_view(text).substr(field.offset, field.size);
  }
  std::string_view RecordText(const CsvRecord& record) const {
    return std::string_view(text).substr(record.offset, record.size);
  }
};

/// Splits text that arrives in pieces. A line ends with LF, CR LF or CR; blank lines are no records
/// (but are rows of a null in a file of one column, which `keeps_blank_lines` says).
class CsvSplitter {
 public:
  CsvSplitter(const CsvDialect& dialect, int64_t first_line, bool keeps_blank_lines);

  /// Split `text`, which begins at a record. Unless `is_end`, the last record may be cut off: it is
  /// left out and `text_left` tells where it begins. `block.text` becomes `text`.
  /// Errors: kInvalidInput: a record is larger than 64 MiB (a quote that is never closed).
  Status Split(std::string text, bool is_end, CsvBlock& block, size_t& text_left);

 private:
  enum class End { kRecord, kTextOut };
  size_t FindFieldEnd(std::string_view text, size_t at);
  size_t FindWithin(std::string_view text, size_t at);
  End SplitRecord(std::string_view text, size_t& at, bool is_end, CsvBlock& block);
  End SplitQuoted(std::string_view text, size_t& at, bool is_end, CsvBlock& block,
                  CsvRecord& record);

  CsvDialect dialect_;
  CharacterScanner scanner_;
  int64_t line_;
  bool keeps_blank_lines_;
  size_t fields_expected_ = 0;  // In a block.
};

/// The meaning of a field with doubled quotes or escapes.
std::string UnescapeCsv(std::string_view text, const CsvDialect& dialect);

}  // namespace firn
