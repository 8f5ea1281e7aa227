#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "firn/io/local_listing_internal.h"
#include "firn/io/local_system_internal.h"
#include "firn/io/uri.h"

namespace firn::internal {
namespace {

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};
using FolderHandle = std::unique_ptr<DIR, FolderCloser>;

// A file that was deleted meanwhile, or a link to nothing or to itself, is no file; all else is an
// error.
bool IsVanished(int error_number) { return error_number == ENOENT || error_number == ELOOP; }

struct Folder {
  std::string path;
  std::string uri;
};

// Report the files of one folder and return the folders in it.
class FolderReader {
 public:
  FolderReader(const Folder& folder, const std::function<Status(const FileInfo&)>& visit)
      : folder_(folder), visit_(visit) {}

  Result<std::vector<Folder>> Read(bool is_root) {
    // A link to a folder is followed at the root only, where the user named it.
    const int follow = is_root ? 0 : O_NOFOLLOW;
    Descriptor descriptor = OpenPath(folder_.path, O_RDONLY | O_DIRECTORY | follow);
    if (!descriptor.is_open()) {
      // A folder that went away since its parent was read has no files.
      if (!is_root && (errno == ENOENT || errno == ENOTDIR)) return std::vector<Folder>();
      return MakeSystemError(errno, folder_.uri);
    }
    handle_.reset(fdopendir(descriptor.value()));
    if (!handle_) return MakeSystemError(errno, folder_.uri);
    descriptor.Release();
    while (true) {
      errno = 0;
      const dirent* entry = readdir(handle_.get());
      if (entry == nullptr) break;
      FIRN_RETURN_IF_ERROR(ReadEntry(entry->d_name));
    }
    if (errno != 0) return MakeSystemError(errno, folder_.uri);
    return std::move(folders_);
  }

 private:
  Status ReadEntry(const std::string& name) {
    if (name == "." || name == "..") return {};
    std::string uri = JoinUri(folder_.uri, name);
    struct stat info{};
    if (!StatEntry(name, AT_SYMLINK_NOFOLLOW, info)) return VanishedOr(uri);
    if (S_ISDIR(info.st_mode)) {
      folders_.push_back({.path = folder_.path + "/" + name, .uri = std::move(uri)});
      return {};
    }
    if (S_ISLNK(info.st_mode) && !StatEntry(name, 0, info)) return VanishedOr(uri);
    if (!S_ISREG(info.st_mode)) return {};
    return visit_(DescribeLocalFile(std::move(uri), info));
  }

  bool StatEntry(const std::string& name, int flags, struct stat& info) const {
    return fstatat(dirfd(handle_.get()), name.c_str(), &info, flags) == 0;
  }

  static Status VanishedOr(const std::string& uri) {
    if (IsVanished(errno)) return {};
    return MakeSystemError(errno, uri);
  }

  const Folder& folder_;
  const std::function<Status(const FileInfo&)>& visit_;
  FolderHandle handle_;
  std::vector<Folder> folders_;
};

}  // namespace

Status ListLocalFolder(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) {
  FIRN_ASSIGN(std::string path, ParseLocalPath(uri));
  std::vector<Folder> open{{.path = std::move(path), .uri = std::string(uri)}};
  for (bool is_root = true; !open.empty(); is_root = false) {
    const Folder folder = std::move(open.back());
    open.pop_back();
    FIRN_ASSIGN(std::vector<Folder> found, FolderReader(folder, visit).Read(is_root));
    std::move(found.begin(), found.end(), std::back_inserter(open));
  }
  return {};
}

Result<std::vector<std::string>> ListLocalFolders(std::string_view uri) {
  FIRN_ASSIGN(const std::string path, ParseLocalPath(uri));
  const FolderHandle folder(opendir(path.c_str()));
  if (!folder) return MakeSystemError(errno, uri);
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = readdir(folder.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat info{};
    if (fstatat(dirfd(folder.get()), name.c_str(), &info, 0) != 0) {
      if (IsVanished(errno)) continue;
      return MakeSystemError(errno, JoinUri(uri, name));
    }
    if (S_ISDIR(info.st_mode)) names.push_back(name);
  }
  if (errno != 0) return MakeSystemError(errno, uri);
  std::sort(names.begin(), names.end());
  return names;
}

FileInfo DescribeLocalFile(std::string uri, const struct stat& info) {
  const auto since_epoch =
      std::chrono::seconds(info.st_mtim.tv_sec) + std::chrono::nanoseconds(info.st_mtim.tv_nsec);
  return {.uri = std::move(uri),
          .size = int64_t{info.st_size},
          .modified = Timestamp(std::chrono::floor<std::chrono::milliseconds>(since_epoch)),
          .etag = {}};
}

}  // namespace firn::internal
