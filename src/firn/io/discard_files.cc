#include "firn/io/discard_files.h"

#include "firn/base/log.h"

namespace firn {

bool DiscardFiles(FileIO& io, std::span<const std::string> uris, std::string_view what) {
  bool are_gone = true;
  for (const DeleteOutcome& outcome : io.DeleteMany(uris)) {
    if (outcome.status.ok() || outcome.was_missing) continue;
    are_gone = false;
    Log(LogLevel::kWarning, "{} '{}' was not deleted: {}", what, outcome.uri,
        outcome.status.error().Format());
  }
  return are_gone;
}

}  // namespace firn
