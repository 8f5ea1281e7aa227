#include "file_tree.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "firn/base/result.h"

namespace firn::preview {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

bool IsOfDatabase(std::string_view path) {
  return path.ends_with("-journal") || path.ends_with("-wal") || path.ends_with("-shm");
}

}  // namespace

FileTree ReadTree(const std::string& folder) {
  FileTree tree;
  std::error_code failure;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failure)) {
    const std::string path = entry.path().string();
    struct stat info{};
    if (stat(path.c_str(), &info) != 0) continue;
    FileState& state = tree[path];
    state.is_folder = S_ISDIR(info.st_mode);
    state.modified_nanos = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
    if (state.is_folder) continue;
    state.bytes = info.st_size;
    state.hash = std::hash<std::string>()(ReadAll(path));
  }
  return tree;
}

std::vector<std::string> FilesGone(const FileTree& before, const FileTree& after) {
  std::vector<std::string> gone;
  for (const auto& [path, state] : before) {
    if (!state.is_folder && !IsOfDatabase(path) && !after.contains(path)) gone.push_back(path);
  }
  return gone;
}

std::string DescribeDifference(const FileTree& before, const FileTree& after) {
  for (const auto& [path, state] : before) {
    const auto now = after.find(path);
    if (now == after.end()) return fmt::format("'{}' is gone", path);
    if (!(now->second == state)) return fmt::format("'{}' is not as it was", path);
  }
  for (const auto& [path, state] : after) {
    if (!before.contains(path)) return fmt::format("'{}' is new", path);
  }
  return "";
}

void SetAge(const std::string& path, int64_t hours) {
  timespec time{};
  timespec_get(&time, TIME_UTC);
  time.tv_sec -= hours * 3600;
  const timespec times[2] = {time, time};
  FIRN_CHECK(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

void SetAgeOfAll(const std::string& folder, int64_t hours) {
  for (const auto& [path, state] : ReadTree(folder)) {
    if (!state.is_folder) SetAge(path, hours);
  }
}

}  // namespace firn::preview
