#include <algorithm>
#include <utility>

#include "firn/format/metadata/adopted_folders.h"
#include "firn/maintain/folder_set_internal.h"

namespace firn {

std::string FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

bool IsWithinKey(std::string_view key, std::string_view folder_key) {
  if (!key.starts_with(folder_key)) return false;
  return key.size() == folder_key.size() || folder_key.ends_with('/') ||
         key[folder_key.size()] == '/';
}

bool IsWithinAnyKey(std::string_view key, const std::vector<std::string>& folder_keys) {
  return std::any_of(folder_keys.begin(), folder_keys.end(),
                     [&](const std::string& folder) { return IsWithinKey(key, folder); });
}

void FolderSet::Add(std::string folder) {
  const std::lock_guard lock(mutex_);
  if (IsWithinAnyKey(folder, folders_)) return;
  folders_ = JoinFolders(std::move(folders_), {std::move(folder)});
}

std::vector<std::string> FolderSet::folders() const {
  const std::lock_guard lock(mutex_);
  return folders_;
}

}  // namespace firn
