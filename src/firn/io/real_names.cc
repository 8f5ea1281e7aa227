#include "firn/io/real_names.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <dirent.h>
#include <sys/stat.h>

#include "firn/io/local_system_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

/// Folders that are remembered; beyond that, looking again costs less than memory.
constexpr size_t kFoldersMax = 1 << 16;
/// So many names of a folder are looked at one by one; then all its links are listed.
constexpr uint32_t kSingleLooks = 32;

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using NameSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

// Nothing is there, so that nothing can be deleted or read there.
bool IsNothing(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR || error_number == ELOOP;
}

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

std::string Join(const std::string& folder, std::string_view name) {
  std::string path = folder;
  if (!path.ends_with('/')) path.push_back('/');
  return path.append(name);
}

// The path without links, as far as it exists.
Result<std::string> RealPath(const std::string& path) {
  const std::unique_ptr<char, FreeText> real(realpath(path.c_str(), nullptr));
  if (real) return std::string(real.get());
  if (errno == ENAMETOOLONG) return CanonicalUriKey(path);  // Nothing can be called so.
  if (!IsNothing(errno)) return internal::MakeSystemError(errno, path);
  const std::string_view text = StripTrailingSlash(path);
  const size_t slash = text.rfind('/');
  if (text == "/" || text.empty()) return std::string(text);
  if (slash == std::string_view::npos) return CanonicalUriKey(text);
  FIRN_ASSIGN(const std::string above, RealPath(std::string(text.substr(0, slash + 1))));
  return CanonicalUriKey(Join(above, text.substr(slash + 1)));
}

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};

bool MayBeLink(unsigned char type) { return type == DT_LNK || type == DT_UNKNOWN; }

}  // namespace

std::string FindLocalPlace(const FileIO& io, std::string_view uri) {
  const auto* places = dynamic_cast<const LocalPlaces*>(&io);
  return places == nullptr ? std::string() : places->FindLocalPlace(uri);
}

/// What is known of folders, by their names as they are asked for.
class RealNames::Folders {
 public:
  struct Folder {
    bool is_local = false;
    std::string real;  ///< Path, if local.
    std::atomic<uint32_t> looks = 0;
    std::once_flag once;
    std::optional<Error> failure;
    NameSet links;  ///< All names that may be links, once they were listed.
  };

  explicit Folders(const FileIO& io) : io_(io) {}
  const FileIO& io() const { return io_; }

  Result<std::shared_ptr<Folder>> Find(std::string_view uri) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = folders_.find(uri);
      if (found != folders_.end()) return found->second;
    }
    auto folder = std::make_shared<Folder>();
    const std::string place = FindLocalPlace(io_, uri);
    folder->is_local = !place.empty();
    if (folder->is_local) {
      FIRN_ASSIGN(folder->real, FindReal(place));
    }
    const std::unique_lock lock(mutex_);
    if (folders_.size() >= kFoldersMax) folders_.clear();
    return folders_.emplace(std::string(uri), std::move(folder)).first->second;
  }

  // The path of a folder without links, the same for all mounts of it.
  Result<std::string> FindReal(const std::string& place) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = reals_.find(place);
      if (found != reals_.end()) return found->second;
    }
    FIRN_ASSIGN(std::string real, LookForReal(place));
    const std::unique_lock lock(mutex_);
    if (reals_.size() >= kFoldersMax) reals_.clear();
    return reals_.emplace(place, std::move(real)).first->second;
  }

  Result<std::string> LookForReal(const std::string& place) {
    FIRN_ASSIGN(std::string real, RealPath(place));
    struct stat info{};
    if (stat(real.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return real;
    const std::pair<uint64_t, uint64_t> id(info.st_dev, info.st_ino);
    const std::unique_lock lock(mutex_);
    if (names_.size() >= kFoldersMax && !names_.contains(id)) return real;
    return names_.emplace(id, std::move(real)).first->second;
  }

  // Whether the name is a link, or perhaps one.
  static Result<bool> IsLink(Folder& folder, std::string_view name) {
    if (folder.looks.fetch_add(1) < kSingleLooks) {
      struct stat info{};
      const std::string path = Join(folder.real, name);
      if (lstat(path.c_str(), &info) == 0) return S_ISLNK(info.st_mode);
      if (IsNothing(errno) || errno == ENAMETOOLONG) return false;
      return internal::MakeSystemError(errno, path);
    }
    std::call_once(folder.once, [&] { ListLinks(folder); });
    if (folder.failure) return *folder.failure;
    return folder.links.contains(name);
  }

 private:
  static void ListLinks(Folder& folder) {
    const std::unique_ptr<DIR, FolderCloser> listing(opendir(folder.real.c_str()));
    if (!listing) {
      if (!IsNothing(errno)) folder.failure = internal::MakeSystemError(errno, folder.real);
      return;
    }
    errno = 0;
    while (const dirent* entry = readdir(listing.get())) {
      if (MayBeLink(entry->d_type)) folder.links.emplace(entry->d_name);
      errno = 0;
    }
    if (errno != 0) folder.failure = internal::MakeSystemError(errno, folder.real);
  }

  const FileIO& io_;
  std::shared_mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Folder>, TextHash, std::equal_to<>> folders_;
  std::unordered_map<std::string, std::string> reals_;          // By their names.
  std::map<std::pair<uint64_t, uint64_t>, std::string> names_;  // By device and inode.
};

RealNames::RealNames(const FileIO& io) : folders_(std::make_unique<Folders>(io)) {}

RealNames::~RealNames() = default;

namespace {

struct SplitName {
  std::string_view folder;
  std::string_view name;
};

// "a/b" and "a/" are told apart: a name that ends so is that of a folder.
SplitName Split(std::string_view uri) {
  const size_t slash = uri.rfind('/');
  if (slash == std::string_view::npos) return {{}, uri};
  return {uri.substr(0, slash + 1), uri.substr(slash + 1)};
}

bool IsStep(std::string_view name) { return name.empty() || name == "." || name == ".."; }

}  // namespace

Result<std::string> RealNames::Entry(std::string_view uri) const {
  const SplitName split = Split(uri);
  if (split.folder.empty() || IsStep(split.name)) return Folder(uri);
  FIRN_ASSIGN(const auto folder, folders_->Find(split.folder));
  return folder->is_local ? Join(folder->real, split.name) : CanonicalUriKey(uri);
}

Result<RealNames::Names> RealNames::Find(std::string_view uri) const {
  Names names;
  const SplitName split = Split(uri);
  if (split.folder.empty() || IsStep(split.name)) {
    FIRN_ASSIGN(names.entry, Folder(uri));
    return names;
  }
  FIRN_ASSIGN(const auto folder, folders_->Find(split.folder));
  if (!folder->is_local) {
    names.entry = CanonicalUriKey(uri);
    return names;
  }
  names.entry = Join(folder->real, split.name);
  FIRN_ASSIGN(const bool is_link, Folders::IsLink(*folder, split.name));
  if (!is_link) return names;
  FIRN_ASSIGN(const std::string target, RealPath(names.entry));
  // By the folder that it lies in, as those of other names are.
  const SplitName parts = Split(target);
  FIRN_ASSIGN(const std::string above, folders_->FindReal(std::string(parts.folder)));
  std::string file = Join(above, parts.name);
  if (file != names.entry) names.target = std::move(file);
  return names;
}

Result<std::string> RealNames::Folder(std::string_view uri) const {
  FIRN_ASSIGN(const auto folder, folders_->Find(StripTrailingSlash(uri)));
  return folder->is_local ? folder->real : CanonicalUriKey(StripTrailingSlash(uri));
}

Result<bool> RealNames::IsWithin(std::string_view uri, std::string_view folder) const {
  FIRN_ASSIGN(const std::string outer, Folder(folder));
  FIRN_ASSIGN(std::string inner, Folder(uri));
  const std::string above = outer.ends_with('/') ? outer : outer + "/";
  if (inner == outer || inner.starts_with(above)) return true;
  if (FindLocalPlace(folders_->io(), uri).empty()) return false;
  // Another mount of it may be on the way.
  while (inner.size() > 1 && inner.starts_with('/')) {
    inner.resize(std::max<size_t>(inner.rfind('/'), 1));
    FIRN_ASSIGN(const std::string real, folders_->FindReal(inner));
    if (real == outer) return true;
  }
  return false;
}

}  // namespace firn
