#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/ingest/csv/csv_records_internal.h"
#include "firn/ingest/text/text_input_internal.h"

namespace firn {

/// A CSV file, read from its start, block by block.
class CsvFile {
 public:
  /// Reads the header. `bytes_read` counts what is taken from the file, as stored or unpacked.
  /// Errors: kInvalidInput, naming the file: no header, no text.
  static Result<std::unique_ptr<CsvFile>> Open(FileIO& io, const SourceFile& file,
                                               const CsvDialect& dialect, int64_t block_bytes,
                                               arrow::MemoryPool* pool);

  /// Names of the columns, made unique: blank ones become `column_N`, and of equal ones the later
  /// get `_2`, `_3`. Empty if the file has no record at all.
  const std::vector<std::string>& columns() const { return columns_; }

  /// The next records; null at the end. Errors: as Open; those of the file.
  Result<std::shared_ptr<CsvBlock>> Next();

 private:
  CsvFile(TextInput input, const SourceFile& file, const CsvDialect& dialect, int64_t block_bytes)
      : input_(std::move(input)),
        uri_(file.info.uri),
        dialect_(dialect),
        block_bytes_(block_bytes),
        line_ends_(dialect.line_end) {}

  Status ReadHeader();
  Status SkipLines(int64_t count);
  size_t SkipLine();

  TextInput input_;
  std::string uri_;
  CsvDialect dialect_;
  int64_t block_bytes_;
  std::vector<std::string> columns_;
  std::unique_ptr<CsvSplitter> splitter_;
  CsvLineEnds line_ends_;
  int64_t line_ = 1;  ///< Of the start of the text, until there is a splitter.
};

}  // namespace firn
