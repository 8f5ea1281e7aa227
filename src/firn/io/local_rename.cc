#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "firn/io/local_listing_internal.h"
#include "firn/io/local_rename_internal.h"
#include "firn/io/local_system_internal.h"

namespace firn::internal {
namespace {

// False and errno unless the file has its new name, which nothing had before.
bool MoveAside(const std::string& from, const std::string& to) {
  return renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
}

bool HasName(const std::string& path) {
  struct stat info{};
  return lstat(path.c_str(), &info) == 0;
}

Error Taken(std::string_view to) {
  return MakeError(ErrorCode::kAlreadyExists, "file '{}' exists already", to);
}

// Not told as missing: what was to be moved is there.
Error NoFolderAbove(std::string_view to) {
  return MakeError(ErrorCode::kAlreadyExists,
                   "file '{}': something that is no folder has the name of a folder above it", to);
}

// Whether a file can come into being below `folder`, which, and others above it, may be missing.
Status CheckFolder(std::string folder, std::string_view to) {
  struct stat info{};
  while (stat(folder.c_str(), &info) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return MakeSystemError(errno, to);
    if (errno == ENOTDIR || HasName(folder)) return NoFolderAbove(to);
    const std::string above = ParentFolder(folder);
    if (above == folder) return MakeSystemError(ENOENT, to);
    folder = above;
  }
  if (!S_ISDIR(info.st_mode)) return NoFolderAbove(to);
  const bool can_change = faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
  return can_change ? Status() : Status(MakeSystemError(errno, to));
}

}  // namespace

// A link is moved itself, as it is deleted itself.
Result<FileInfo> StatLocalName(std::string_view uri) {
  FIRN_ASSIGN(const std::string path, ParseLocalPath(uri));
  struct stat info{};
  if (lstat(path.c_str(), &info) != 0) return MakeSystemError(errno, uri);
  struct stat target{};
  const bool is_link = S_ISLNK(info.st_mode);
  const bool leads_to_file = is_link && stat(path.c_str(), &target) == 0 && S_ISREG(target.st_mode);
  if (S_ISREG(info.st_mode) || is_link) {
    return DescribeLocalFile(std::string(uri), leads_to_file ? target : info);
  }
  return MakeError(ErrorCode::kNotFound, "'{}' is no regular file", uri);
}

Status RenameLocalFile(std::string_view from, std::string_view to) {
  FIRN_RETURN_IF_ERROR(StatLocalName(from));
  FIRN_ASSIGN(const std::string path, ParseLocalPath(from));
  FIRN_ASSIGN(const std::string new_path, ParseLocalPath(to));
  if (MoveAside(path, new_path)) return {};
  if (errno == ENOENT) {  // Of many files that are moved, few are the first in their folder.
    const Status made = MakeFolders(ParentFolder(new_path), to);
    const bool is_blocked = !made.ok() && made.error().code() == ErrorCode::kNotFound;
    if (is_blocked) return NoFolderAbove(to);
    FIRN_RETURN_IF_ERROR(made);
    if (MoveAside(path, new_path)) return {};
  }
  const int failure = errno;
  if (failure == EEXIST) return Taken(to);
  // Another file system, or one that cannot rename in this way.
  if (failure == EXDEV || failure == EINVAL || failure == ENOSYS) {
    return Error(ErrorCode::kUnsupported, "no way to rename");
  }
  const bool is_blocked = (failure == ENOENT || failure == ENOTDIR) && HasName(path);
  return is_blocked ? NoFolderAbove(to) : MakeSystemError(failure, from);
}

Result<FileInfo> PreviewLocalRename(std::string_view from, std::string_view to) {
  FIRN_ASSIGN(FileInfo info, StatLocalName(from));
  FIRN_ASSIGN(const std::string path, ParseLocalPath(from));
  FIRN_ASSIGN(const std::string new_path, ParseLocalPath(to));
  if (HasName(new_path)) return Taken(to);
  FIRN_RETURN_IF_ERROR(CheckFolder(ParentFolder(new_path), to));
  FIRN_RETURN_IF_ERROR(CheckFolder(ParentFolder(path), from));
  return info;
}

}  // namespace firn::internal
