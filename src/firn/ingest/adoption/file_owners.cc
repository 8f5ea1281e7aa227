#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "firn/ingest/adoption/file_owners_internal.h"
#include "firn/io/real_names.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

// Folders in which metadata is looked for.
constexpr size_t kFoldersMax = 100;

std::string_view ParentOf(std::string_view uri) {
  const size_t slash = uri.rfind('/');
  if (slash == std::string_view::npos || slash == 0 || uri[slash - 1] == '/') return {};
  return uri.substr(0, slash);
}

// Where it really lies; what cannot be told is passed over.
bool IsBelow(const RealNames& names, std::string_view uri, std::string_view folder) {
  const auto name = names.Find(uri);
  const auto above = names.Folder(folder);
  return name.ok() && above.ok() && name->file().starts_with(*above + "/");
}

// Folders above the files, but for those of partitions.
std::set<std::string> FoldersAbove(const std::vector<SourceFile>& files) {
  std::set<std::string> folders;
  for (const SourceFile& file : files) {
    std::string_view folder = ParentOf(file.info.uri);
    while (!folder.empty() && folders.size() < kFoldersMax) {
      const bool is_partition = UriFileName(folder).find('=') != std::string_view::npos;
      if (!is_partition && !folders.insert(std::string(folder)).second) break;
      folder = ParentOf(folder);
    }
  }
  return folders;
}

// A metadata file in `folder`; empty if there is none.
std::string FindMetadataFile(FileIO& io, const std::string& folder) {
  std::string found;
  const Status listed = io.List(folder, [&](const FileInfo& info) -> Status {
    if (!info.uri.ends_with(".metadata.json")) return {};
    found = info.uri;
    return Error(ErrorCode::kCancelled, "one is enough");
  });
  return listed.ok() || !found.empty() ? found : std::string();
}

}  // namespace

void TellOwners(FileIO& io, const Table& table, const std::vector<SourceFile>& files,
                const std::function<void(std::string_view)>& notice) {
  if (!notice) return;
  const std::string& location = table.metadata->location;
  const RealNames names(io);
  const auto own = std::find_if(files.begin(), files.end(), [&](const SourceFile& file) {
    return IsBelow(names, file.info.uri, location);
  });
  if (own != files.end()) {
    notice(
        fmt::format("warning: '{}' lies in the table's own folder '{}': from here on the table "
                    "owns it, and expiry deletes it once no snapshot needs it",
                    own->info.uri, location));
  }
  for (const std::string& folder : FoldersAbove(files)) {
    if (CanonicalUriKey(folder) == CanonicalUriKey(location)) continue;
    const std::string metadata = FindMetadataFile(io, JoinUri(folder, "metadata"));
    if (metadata.empty()) continue;
    notice(
        fmt::format("warning: files below '{}' are those of another table ('{}'): what "
                    "maintenance of one of the two deletes, the other loses; set gc.enabled=false "
                    "on one of them",
                    folder, metadata));
  }
}

}  // namespace firn
