#include "firn/format/metadata/adopted_folders.h"

#include <set>
#include <utility>

#include "firn/ingest/adoption/adopted_folders_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

std::string_view ParentOf(std::string_view uri) {
  const size_t slash = uri.rfind('/');
  return uri.substr(0, slash == std::string_view::npos ? 0 : slash);
}

bool IsWithin(std::string_view key, std::string_view folder) {
  if (!key.starts_with(folder)) return false;
  return key.size() == folder.size() || folder.ends_with('/') || key[folder.size()] == '/';
}

}  // namespace

Result<std::vector<std::string>> FindAdoptedFolders(const Table& table,
                                                    const std::vector<DataFile>& files) {
  const RealNames names(*table.io);
  std::vector<std::string> own;
  for (const std::string& folder : OwnFolders(*table.metadata)) {
    FIRN_ASSIGN(std::string real, names.Folder(folder));
    own.push_back(std::move(real));
  }
  std::set<std::string> folders;
  for (const DataFile& file : files) {
    FIRN_ASSIGN(const RealNames::Names name, names.Find(file.file_path));
    bool is_own = false;
    for (const std::string& folder : own)
      is_own |= IsWithin(name.file(), folder);
    if (is_own) continue;
    std::string_view folder = ParentOf(file.file_path);
    while (UriFileName(folder).find('=') != std::string_view::npos)
      folder = ParentOf(folder);
    folders.emplace(folder.empty() ? ParentOf(file.file_path) : folder);
  }
  return std::vector<std::string>(folders.begin(), folders.end());
}

Result<std::vector<TableUpdate>> PlanAdoptedFolders(const TableMetadata& metadata,
                                                    const std::vector<std::string>& folders) {
  std::vector<TableUpdate> updates;
  if (folders.empty()) return updates;
  FIRN_ASSIGN(const auto known, ParseAdoptedFolders(metadata.properties));
  const auto joined = JoinFolders(known, folders);
  if (joined != known) {
    updates.emplace_back(
        SetProperties{{{std::string(kAdoptedFolders), FormatAdoptedFolders(joined)}}});
  }
  return updates;
}

}  // namespace firn
