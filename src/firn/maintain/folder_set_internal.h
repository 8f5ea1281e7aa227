#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

/// Folders as text, and as keys (see RealNames) that can be compared as text.

namespace firn {

/// The text before the last '/'.
std::string FolderOf(std::string_view path);

/// Whether a key is that of the folder or of something below it.
bool IsWithinKey(std::string_view key, std::string_view folder_key);
bool IsWithinAnyKey(std::string_view key, const std::vector<std::string>& folder_keys);

/// A few folders that hold everything that was added; where there are very many, the folders above
/// them (see JoinFolders). Thread-safe.
class FolderSet {
 public:
  void Add(std::string folder);
  std::vector<std::string> folders() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> folders_;
};

}  // namespace firn
