#include <algorithm>
#include <set>
#include <string>

#include "firn/io/io.h"
#include "firn/io/uri.h"

/// Folders of stores that have none: what a key has before its last slash.

namespace firn {
namespace {

constexpr std::string_view kMarker = ".folder";

// The part of `uri` behind the folder and its slash.
std::string_view PathWithin(std::string_view uri, std::string_view folder) {
  uri.remove_prefix(std::min(folder.size(), uri.size()));
  while (uri.starts_with('/'))
    uri.remove_prefix(1);
  return uri;
}

}  // namespace

Result<std::vector<std::string>> FileIO::ListFolders(std::string_view uri) {
  bool exists = false;
  std::set<std::string> names;
  FIRN_RETURN_IF_ERROR(List(uri, [&](const FileInfo& file) -> Status {
    exists = true;
    const std::string_view path = PathWithin(file.uri, uri);
    const size_t slash = path.find('/');
    if (slash != std::string_view::npos) names.emplace(path.substr(0, slash));
    return {};
  }));
  if (!exists) return MakeError(ErrorCode::kNotFound, "folder '{}' does not exist", uri);
  return std::vector<std::string>(names.begin(), names.end());
}

Status FileIO::CreateFolder(std::string_view uri) {
  return WriteFile(*this, JoinUri(uri, kMarker), {});
}

Status FileIO::DeleteFolder(std::string_view uri) {
  bool exists = false;
  FIRN_RETURN_IF_ERROR(List(uri, [&](const FileInfo& file) -> Status {
    exists = true;
    if (PathWithin(file.uri, uri) == kMarker) return {};
    return MakeError(ErrorCode::kInvalidInput, "folder '{}' is not empty: it holds '{}'", uri,
                     file.uri);
  }));
  if (!exists) return MakeError(ErrorCode::kNotFound, "folder '{}' does not exist", uri);
  return Delete(JoinUri(uri, kMarker));
}

}  // namespace firn
