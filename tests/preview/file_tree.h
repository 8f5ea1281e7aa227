#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// What lies in a folder, byte for byte.

namespace firn::preview {

struct FileState {
  bool is_folder = false;
  int64_t bytes = 0;
  uint64_t hash = 0;  ///< Of the content.
  int64_t modified_nanos = 0;
  bool operator==(const FileState&) const = default;
};

using FileTree = std::map<std::string, FileState>;  ///< By absolute path.

FileTree ReadTree(const std::string& folder);

/// Files of `before` that `after` lacks. Folders, and the files that a database keeps beside it
/// while it is open, do not count.
std::vector<std::string> FilesGone(const FileTree& before, const FileTree& after);

/// The first difference, for people; empty: there is none.
std::string DescribeDifference(const FileTree& before, const FileTree& after);

/// Let all files be last modified so many hours ago.
void SetAge(const std::string& path, int64_t hours);
void SetAgeOfAll(const std::string& folder, int64_t hours);

}  // namespace firn::preview
