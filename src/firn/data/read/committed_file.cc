#include "firn/base/log.h"
#include "firn/data/read/committed_file_internal.h"

namespace firn {

Status CheckCommittedSize(const DataFile& file, int64_t size) {
  if (size == file.file_size_in_bytes) return {};
  return MakeError(ErrorCode::kCorrupt,
                   "it has {} bytes, but its manifest tells {}: it is not the file that was "
                   "committed, or the manifest is wrong, which 'firn repair-metrics' corrects",
                   size, file.file_size_in_bytes);
}

Status CheckCommittedSize(const ReadContext& context, const DataFile& file, InputFile& input) {
  FIRN_ASSIGN(const int64_t size, input.Size());
  Status status = CheckCommittedSize(file, size);
  if (status.ok() || context.size_warning == nullptr) return status;
  // A table whose writer tells sizes wrong has many such files.
  std::call_once(*context.size_warning, [&] {
    Log(LogLevel::kWarning, "file '{}': {}; others like it are not told", file.file_path,
        status.error().message());
  });
  return {};
}

Status CheckCommittedRows(const DataFile& file, int64_t rows) {
  if (rows == file.record_count) return {};
  return MakeError(ErrorCode::kCorrupt,
                   "it has {} rows, but its manifest tells {}: it is not the file that was "
                   "committed, or the manifest is wrong, which 'firn repair-metrics' corrects",
                   rows, file.record_count);
}

}  // namespace firn
