#include "firn/io/file_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "firn/io/local_system_internal.h"
#include "firn/io/real_names.h"

namespace firn {
namespace {

using internal::Descriptor;

class HeldLock final : public FileLock {
 public:
  explicit HeldLock(Descriptor file) : file_(std::move(file)) {}

 private:
  Descriptor file_;
};

// One machine alone can have these mounted, so that its kernel knows of every lock. Others may pass
// locks on to a server or not, by how they were mounted.
bool IsOfOneMachine(int file) {
  constexpr std::array<uint32_t, 8> kMagics = {
      0xEF53,      // ext2 to ext4
      0x58465342,  // xfs
      0x9123683E,  // btrfs
      0x01021994,  // tmpfs
      0x794C7630,  // overlayfs
      0x2FC12FC1,  // zfs
      0xF2F52010,  // f2fs
      0xCA451A4E,  // bcachefs
  };
  struct statfs info{};
  if (fstatfs(file, &info) != 0) return false;
  return std::find(kMagics.begin(), kMagics.end(), static_cast<uint32_t>(info.f_type)) !=
         kMagics.end();
}

int TryLock(const Descriptor& file) {
  int failure = 0;
  do {
    failure = flock(file.value(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  } while (failure == EINTR);
  return failure;
}

}  // namespace

Result<std::unique_ptr<FileLock>> FileLock::Hold(const FileIO& io, std::string_view uri) {
  const std::string path = FindLocalPlace(io, uri);
  if (path.empty()) {
    return MakeError(ErrorCode::kUnsupported, "'{}' is not on local disk: it cannot be locked",
                     uri);
  }
  FIRN_RETURN_IF_ERROR(internal::MakeFolders(internal::ParentFolder(path), uri));
  // Locked before anybody sees it: who looks takes the lock for a moment.
  const std::string unfinished = path + ".tmp";
  Descriptor file = internal::OpenPath(unfinished, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (!file.is_open()) return internal::MakeSystemError(errno, uri);
  if (const int failure = TryLock(file); failure != 0) {
    unlink(unfinished.c_str());
    return MakeError(ErrorCode::kUnsupported, "{}",
                     internal::MakeSystemError(failure, uri).message());
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) {
    const int failure = errno;
    unlink(unfinished.c_str());
    return internal::MakeSystemError(failure, uri);
  }
  return std::make_unique<HeldLock>(std::move(file));
}

LockState FindLock(const FileIO& io, std::string_view uri) {
  const std::string path = FindLocalPlace(io, uri);
  if (path.empty()) return LockState::kUnknown;
  const Descriptor file = internal::OpenPath(path, O_RDWR | O_NOFOLLOW);
  if (!file.is_open()) return LockState::kUnknown;
  const int failure = TryLock(file);
  if (failure == EWOULDBLOCK) return LockState::kHeld;
  return failure == 0 && IsOfOneMachine(file.value()) ? LockState::kFree : LockState::kUnknown;
}

}  // namespace firn
