#include <utility>
#include <vector>

#include "firn/catalog/catalog.h"
#include "firn/catalog/hadoop_layout_internal.h"
#include "firn/catalog/metadata_files_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

bool LooksLikeFile(std::string_view location) {
  const std::string_view name = UriFileName(location);
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

// The file of the highest version that a catalog's writers left in `folder`; empty if none.
Result<std::string> FindNewestMetastoreFile(FileIO& io, const std::string& folder) {
  int64_t newest = -1;
  std::vector<std::string> found;
  const Status listed = io.List(JoinUri(folder, "metadata"), [&](const FileInfo& file) -> Status {
    const auto version = MetastoreMetadataVersion(UriFileName(file.uri));
    if (!version || *version < newest) return {};
    if (*version > newest) found.clear();
    newest = *version;
    found.push_back(file.uri);
    return {};
  });
  if (!listed.ok() && listed.error().code() != ErrorCode::kNotFound) return listed.error();
  if (found.size() > 1) {
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' holds {} metadata files of version {}, such as '{}'; name the file to "
                     "read, or the table by its catalog",
                     folder, found.size(), newest, found.front());
  }
  return found.empty() ? std::string() : std::move(found.front());
}

Result<std::string> FindMetadataFile(FileIO& io, const std::string& location) {
  if (LooksLikeFile(location)) return location;
  const std::string folder(StripTrailingSlash(location));
  FIRN_ASSIGN(auto version, FindHadoopVersion(io, folder));
  if (version) return std::move(version->location);
  FIRN_ASSIGN(std::string file, FindNewestMetastoreFile(io, folder));
  if (!file.empty()) return file;
  FIRN_ASSIGN(const bool is_file, FileExists(io, location));
  if (is_file) return location;
  return MakeError(ErrorCode::kNotFound,
                   "'{}' is neither a metadata file nor a table's folder: nothing like "
                   "metadata/vN.metadata.json is in it",
                   location);
}

}  // namespace

Result<Table> LoadTableAt(std::shared_ptr<FileIO> io, const std::string& location) {
  FIRN_ASSIGN(std::string file, FindMetadataFile(*io, location));
  FIRN_ASSIGN(auto metadata, LoadTableMetadata(*io, file), "loading table '{}'", location);
  return Table{TableName{{}, location}, std::move(file), std::move(metadata), std::move(io)};
}

}  // namespace firn
