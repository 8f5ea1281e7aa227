#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"
#include "firn/ingest/ingest.h"
#include "firn/ingest/text/character_scanner_internal.h"

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

/// Tells line ends from characters of the text.
class CsvLineEnds {
 public:
  explicit CsvLineEnds(LineEnd kind);

  /// How many characters end the line at `at`, where LF or CR stands; 0: they are text; nullopt:
  /// what follows decides, and it is not there yet.
  std::optional<size_t> SizeAt(std::string_view text, size_t at, bool is_end);

  /// Whether a line ends with the LF or CR at `at`, within quotes.
  bool EndsLine(std::string_view text, size_t at) const;

 private:
  bool is_detecting_;
  bool has_lf_;
  bool has_crlf_;
  bool has_cr_;
};

/// Splits text that arrives in pieces. Blank lines are no records (but are rows of a null in a file
/// of one column, which `keeps_blank_lines` says).
class CsvSplitter {
 public:
  CsvSplitter(const CsvDialect& dialect, const CsvLineEnds& line_ends, int64_t first_line,
              bool keeps_blank_lines);
  CsvSplitter(const CsvDialect& dialect, int64_t first_line, bool keeps_blank_lines)
      : CsvSplitter(dialect, CsvLineEnds(dialect.line_end), first_line, keeps_blank_lines) {}

  /// Split `text`, which begins at a record. Unless `is_end`, the last record may be cut off: it is
  /// left out and `text_left` tells where it begins, as it does behind `records_max` records.
  /// `block.text` becomes `text`.
  /// Errors: kInvalidInput: a record is larger than 64 MiB (a quote that is never closed).
  Status Split(std::string text, bool is_end, CsvBlock& block, size_t& text_left,
               size_t records_max = SIZE_MAX);

  int64_t line() const { return line_; }  ///< Of what comes next.
  const CsvLineEnds& line_ends() const { return line_ends_; }

 private:
  enum class End { kRecord, kTextOut };
  size_t FindFieldEnd(std::string_view text, size_t at);
  bool PassText(std::string_view text, size_t& at, bool is_end);
  size_t FindWithin(std::string_view text, size_t at);
  End SplitRecord(std::string_view text, size_t& at, bool is_end, CsvBlock& block);
  End SplitQuoted(std::string_view text, size_t& at, bool is_end, CsvBlock& block,
                  CsvRecord& record);

  CsvDialect dialect_;
  CharacterScanner scanner_;
  CsvLineEnds line_ends_;
  int64_t line_;
  bool keeps_blank_lines_;
  size_t fields_expected_ = 0;  // In a block.
};

/// The meaning of a field with doubled quotes or escapes.
std::string UnescapeCsv(std::string_view text, const CsvDialect& dialect);

}  // namespace firn
