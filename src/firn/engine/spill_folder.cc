#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "firn/engine/spill_folder_internal.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "firn-spill-";
constexpr std::string_view kLockSuffix = ".lock";
constexpr int kTriesMax = 3;

// Open the lock file `path` and lock it; nullopt if another process has it, or it has been removed
// before it could be locked.
std::optional<int> LockFile(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return std::nullopt;
  struct stat opened{};
  struct stat named{};
  const bool is_locked = flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &opened) == 0 &&
                         stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
                         opened.st_dev == named.st_dev;
  if (is_locked) return file;
  close(file);
  return std::nullopt;
}

// The folder first: without it, nothing tells that the folder is abandoned.
void Remove(const std::string& folder, int lock) {
  std::error_code ignored;  // Of what stays, the next process takes care.
  fs::remove_all(folder, ignored);
  fs::remove(folder + std::string(kLockSuffix), ignored);
  close(lock);
}

// Remove what processes left that ended without a chance to do so.
void RemoveAbandoned(const fs::path& parent) {
  std::error_code failure;
  for (fs::directory_iterator entry(parent, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kLockSuffix)) continue;
    const std::string path = entry->path().string();
    if (const auto lock = LockFile(path, 0)) {
      Remove(path.substr(0, path.size() - kLockSuffix.size()), *lock);
    }
  }
}

}  // namespace

Result<SpillFolder> SpillFolder::Make(const std::string& parent, Random& random) {
  std::error_code failure;
  const fs::path folder = parent.empty() ? fs::temp_directory_path(failure) : fs::path(parent);
  if (!failure) RemoveAbandoned(folder);
  // Another process may draw the same name, if both were given the same seed.
  for (int attempt = 0; !failure && attempt < kTriesMax; ++attempt) {
    const std::string path =
        (folder / (std::string(kPrefix) + FormatUuid(MakeUuid(random)))).string();
    const std::optional<int> lock = LockFile(path + std::string(kLockSuffix), O_CREAT | O_EXCL);
    if (lock && mkdir(path.c_str(), 0700) == 0) return SpillFolder(path, *lock);
    if (lock) Remove(path, *lock);
  }
  return MakeError(ErrorCode::kUnavailable,
                   "no folder for temporary files can be made in '{}'; set TMPDIR to one that can "
                   "be written",
                   folder.string());
}

SpillFolder::SpillFolder(SpillFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

SpillFolder& SpillFolder::operator=(SpillFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

SpillFolder::~SpillFolder() {
  if (lock_ >= 0) Remove(path_, lock_);
}

}  // namespace firn
