#include "firn/io/discard_files.h"

#include "firn/base/log.h"
#include "firn/io/uri.h"

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

void DiscardEmptyFolders(FileIO& io, const std::string& folder) {
  if (const auto inner = io.ListFolders(folder); inner.ok()) {
    for (const std::string& name : *inner)
      DiscardEmptyFolders(io, JoinUri(folder, name));
  }
  const Status deleted = io.DeleteFolder(folder);
  if (!deleted.ok()) Log(LogLevel::kInfo, "'{}' stays: {}", folder, deleted.error().Format());
}

}  // namespace firn
