#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "firn/base/text.h"
#include "firn/io/local_system_internal.h"
#include "firn/io/uri.h"

namespace firn::internal {
namespace {

ErrorCode CodeOf(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EEXIST:
      return ErrorCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ErrorCode::kResourceExhausted;
    case EINVAL:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
      return ErrorCode::kInvalidInput;
    default:
      return ErrorCode::kUnavailable;
  }
}

}  // namespace

Error MakeSystemError(int error_number, std::string_view uri) {
  std::string reason = std::generic_category().message(error_number);
  if (!reason.empty()) reason = LowerAscii(reason.substr(0, 1)) + reason.substr(1);
  return MakeError(CodeOf(error_number), "'{}': {}", uri, reason);
}

Result<std::string> ParseLocalPath(std::string_view uri) {
  const std::string scheme = UriScheme(uri);
  if (!scheme.empty() && scheme != "file") {
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}': scheme is '{}', expected a local path or 'file:'", uri, scheme);
  }
  std::string path = LocalPath(uri);
  if (path.empty()) {
    return MakeError(ErrorCode::kInvalidInput, "'{}': the path is empty", uri);
  }
  if (path.find('\0') != std::string::npos) {
    return MakeError(ErrorCode::kInvalidInput, "'{}': the path holds a NUL byte",
                     uri.substr(0, uri.find('\0')));
  }
  return path;
}

Descriptor::Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    Close();
    value_ = std::exchange(other.value_, -1);
  }
  return *this;
}

int Descriptor::Close() {
  if (!is_open()) return 0;
  // Linux frees the descriptor even when close is interrupted, so it is never tried twice.
  const int result = close(std::exchange(value_, -1));
  return result == 0 || errno == EINTR ? 0 : errno;
}

int Descriptor::Release() { return std::exchange(value_, -1); }

Descriptor OpenPath(const std::string& path, int flags) {
  int value = -1;
  do {
    value = open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (value < 0 && errno == EINTR);
  return Descriptor(value);
}

std::string ParentFolder(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  const size_t end = path.find_last_not_of('/', slash);
  return end == std::string::npos ? "/" : path.substr(0, end + 1);
}

Status MakeFolders(const std::string& folder, std::string_view uri) {
  // Go up to the first folder that exists, then down again; mostly the first look is the last.
  std::vector<std::string> missing;
  std::string path = folder;
  struct stat info{};
  while (stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return MakeSystemError(errno, uri);
    missing.push_back(path);
    path = ParentFolder(path);
    if (path == missing.back()) break;
  }
  while (!missing.empty()) {
    if (mkdir(missing.back().c_str(), 0777) != 0 && errno != EEXIST) {
      return MakeSystemError(errno, uri);
    }
    FIRN_RETURN_IF_ERROR(SyncFolder(ParentFolder(missing.back()), uri));
    missing.pop_back();
  }
  return {};
}

Status SyncFolder(const std::string& folder, std::string_view uri) {
  const Descriptor descriptor = OpenPath(folder, O_RDONLY | O_DIRECTORY);
  if (!descriptor.is_open()) {
    // A folder that may be written but not read cannot be opened, so it cannot be synced.
    if (errno == EACCES) return {};
    return MakeSystemError(errno, uri);
  }
  if (fsync(descriptor.value()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    return MakeSystemError(errno, uri);
  }
  return {};
}

}  // namespace firn::internal
