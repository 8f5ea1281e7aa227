#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "firn/io/io.h"

namespace firn {

/// A row that was left out.
struct RejectedRow {
  std::string file;
  int64_t line = 0;
  std::string column;  ///< Empty: the whole row is at fault.
  std::string reason;
  std::string text;  ///< Of the row, as the source has it.
};

/// Rejected rows as JSON lines, in the order of the source: {"file", "line", "column", "reason",
/// "text"}. The file appears when the last row is there; bytes that are no UTF-8 become U+FFFD.
class RejectFile {
 public:
  RejectFile(FileIO& io, std::string uri) : io_(io), uri_(std::move(uri)) {}

  /// Errors: those of writing.
  Status Add(const RejectedRow& row);

  /// Without rows there is no file.
  Status Publish();

 private:
  FileIO& io_;
  std::string uri_;
  std::unique_ptr<OutputFile> output_;
};

}  // namespace firn
