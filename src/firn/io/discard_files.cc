#include "firn/io/discard_files.h"

#include "firn/base/log.h"

namespace firn {

void DiscardFiles(FileIO& io, std::span<const std::string> uris, std::string_view what) {
  for (const DeleteOutcome& outcome : io.DeleteMany(uris)) {
    if (!outcome.status.ok() && !outcome.was_missing) {
      Log(LogLevel::kWarning, "{} '{}' was not deleted: {}", what, outcome.uri,
          outcome.status.error().Format());
    }
  }
}

}  // namespace firn
