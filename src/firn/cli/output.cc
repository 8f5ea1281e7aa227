#include <cerrno>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "firn/base/text.h"
#include "firn/cli/output_internal.h"

namespace firn {

Result<RowDestination> RowDestination::Open(Session& session,
                                            const std::optional<std::string>& to) {
  RowDestination destination;
  if (!to) return destination;
  FIRN_ASSIGN(destination.file_, session.io()->Create(session.AbsoluteLocation(*to)));
  return destination;
}

Status RowDestination::Write(std::span<const std::byte> bytes) {
  if (file_) return file_->Append(bytes);
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      is_closed_ = true;
      return MakeError(ErrorCode::kCancelled, "standard output was closed");
    } else if (errno != EINTR) {
      const bool is_full = errno == ENOSPC || errno == EDQUOT;
      return MakeError(is_full ? ErrorCode::kResourceExhausted : ErrorCode::kUnavailable,
                       "writing to standard output: error {}", errno);
    }
  }
  return {};
}

Status RowDestination::Finish() { return file_ ? file_->Publish() : Status(); }

Result<RowFormat> ChooseFormat(const std::optional<std::string>& output,
                               const std::optional<std::string>& to, bool is_terminal) {
  RowFormat format = is_terminal && !to ? RowFormat::kTable : RowFormat::kJson;
  const std::string name = to ? LowerAscii(*to) : "";
  if (output) {
    FIRN_ASSIGN(format, ParseRowFormat(*output), "--output");
  } else if (name.ends_with(".parquet")) {
    format = RowFormat::kParquet;
  } else if (name.ends_with(".arrow")) {
    format = RowFormat::kArrow;
  } else if (name.ends_with(".csv")) {
    format = RowFormat::kCsv;
  }
  const bool is_binary = format == RowFormat::kParquet || format == RowFormat::kArrow;
  if (is_binary && is_terminal && !to) {
    return MakeError(ErrorCode::kInvalidInput,
                     "--output parquet and arrow are no text for a terminal; add --to FILE");
  }
  return format;
}

}  // namespace firn
