#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "firn/base/result.h"
#include "firn/data/render/render.h"
#include "firn/session/session.h"

namespace firn {

/// Where rows go: standard output, or a file that appears when it is complete.
class RowDestination {
 public:
  /// `to` is `--to`. Errors: kInvalidInput, kPermissionDenied.
  static Result<RowDestination> Open(Session& session, const std::optional<std::string>& to);

  /// Errors: kCancelled if nobody reads standard output any more.
  Status Write(std::span<const std::byte> bytes);

  /// All was written.
  Status Finish();

  /// True if the reader of standard output went away.
  bool is_closed() const { return is_closed_; }

 private:
  std::unique_ptr<OutputFile> file_;  // Null: standard output.
  bool is_closed_ = false;
};

/// `--output`, else by the name of the file, else a table on a terminal and JSON elsewhere.
/// Errors: kInvalidInput for an unknown format, and for bytes meant for a terminal.
Result<RowFormat> ChooseFormat(const std::optional<std::string>& output,
                               const std::optional<std::string>& to, bool is_terminal);

}  // namespace firn
