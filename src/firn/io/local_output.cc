#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "firn/io/local_output_internal.h"
#include "firn/io/local_system_internal.h"
#include "firn/io/uri.h"

namespace firn::internal {
namespace {

constexpr size_t kBufferBytes = 64 * 1024;

// Two processes whose randomness is seeded alike choose the same temporary names.
constexpr int kNameAttempts = 100;

std::string TemporaryName(Random& random) {
  return fmt::format("firn-{}.tmp", FormatUuid(MakeUuid(random)));
}

// Under which the kernel gives an open file without name away.
std::string NamelessPath(const Descriptor& descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor.value());
}

// A new file without name, on the file system of `folder`. Closed where there are none.
Descriptor OpenNameless(const std::string& folder) {
  Descriptor descriptor = OpenPath(folder, O_WRONLY | O_TMPFILE);
  const bool can_be_named =
      descriptor.is_open() && access(NamelessPath(descriptor).c_str(), F_OK) == 0;
  return can_be_named ? std::move(descriptor) : Descriptor();
}

// A file that gets its name when it is complete. Until then it has none, so that nothing is left of
// it if the process dies; or it is a temporary sibling where the file system wants names, without a
// leading dot: what a crash leaves behind must be seen by orphan removal.
class LocalOutputFile final : public OutputFile {
 public:
  struct Paths {
    std::string target;
    std::string temporary;  ///< Empty: the file has no name yet.
  };

  LocalOutputFile(std::string_view uri, bool is_exclusive, Paths paths, Descriptor descriptor,
                  Random& random)
      : uri_(uri),
        is_exclusive_(is_exclusive),
        paths_(std::move(paths)),
        descriptor_(std::move(descriptor)),
        random_(random) {}

  ~LocalOutputFile() override {
    if (!is_published_ && !paths_.temporary.empty()) unlink(paths_.temporary.c_str());
  }

  const std::string& uri() const override { return uri_; }
  int64_t bytes_written() const override { return bytes_written_; }

  Status Append(std::span<const std::byte> bytes) override {
    FIRN_CHECK(descriptor_.is_open());
    bytes_written_ += static_cast<int64_t>(bytes.size());
    if (buffer_.size() + bytes.size() <= kBufferBytes) {
      buffer_ += AsText(bytes);
      return {};
    }
    FIRN_RETURN_IF_ERROR(Flush());
    if (bytes.size() >= kBufferBytes) return Write(bytes);
    buffer_ += AsText(bytes);
    return {};
  }

  Status Publish() override {
    FIRN_CHECK(descriptor_.is_open());
    FIRN_RETURN_IF_ERROR(Flush());
    if (fsync(descriptor_.value()) != 0) return MakeSystemError(errno, uri_);
    if (!is_exclusive_) {
      FIRN_RETURN_IF_ERROR(Rename());
    } else {
      FIRN_RETURN_IF_ERROR(paths_.temporary.empty() ? LinkNameless(paths_.target) : Link());
    }
    is_published_ = true;
    const int close_error = descriptor_.Close();
    const Status synced = SyncFolder(ParentFolder(paths_.target), uri_);
    if (synced.ok() && close_error == 0) return {};
    const Error error = synced.ok() ? MakeSystemError(close_error, uri_) : synced.error();
    return MakeError(ErrorCode::kCommitUnknown,
                     "the file is there, but whether it survives a power cut is unknown: {}",
                     error.message());
  }

 private:
  Status Flush() {
    FIRN_RETURN_IF_ERROR(Write(AsBytes(buffer_)));
    buffer_.clear();
    return {};
  }

  Status Write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t done = write(descriptor_.value(), bytes.data(), bytes.size());
      if (done >= 0) {
        bytes = bytes.subspan(static_cast<size_t>(done));
      } else if (errno != EINTR) {
        return MakeSystemError(errno, uri_);
      }
    }
    return {};
  }

  // Errors: kAlreadyExists.
  Status LinkNameless(const std::string& path) const {
    if (linkat(AT_FDCWD, NamelessPath(descriptor_).c_str(), AT_FDCWD, path.c_str(),
               AT_SYMLINK_FOLLOW) == 0) {
      return {};
    }
    return LinkError(errno);
  }

  Status LinkSibling() {
    for (int attempt = 1;; ++attempt) {
      const std::string sibling = JoinUri(ParentFolder(paths_.target), TemporaryName(random_));
      const Status linked = LinkNameless(sibling);
      if (linked.ok()) paths_.temporary = sibling;
      const bool is_taken = !linked.ok() && linked.error().code() == ErrorCode::kAlreadyExists;
      if (!is_taken || attempt == kNameAttempts) return linked;
    }
  }

  // A link never replaces a file, but a rename does.
  Status Rename() {
    if (paths_.temporary.empty()) FIRN_RETURN_IF_ERROR(LinkSibling());
    if (rename(paths_.temporary.c_str(), paths_.target.c_str()) == 0) return {};
    return MakeSystemError(errno, uri_);
  }

  // Of all writers, link(2) lets one win, on network file systems too.
  Status Link() {
    if (link(paths_.temporary.c_str(), paths_.target.c_str()) == 0) {
      unlink(paths_.temporary.c_str());
      return {};
    }
    const int link_error = errno;
    if (link_error == EEXIST && HasTwoNames()) {
      unlink(paths_.temporary.c_str());
      return {};
    }
    if (link_error != EPERM && link_error != ENOTSUP && link_error != ENOSYS) {
      return LinkError(link_error);
    }
    // A file system without links, such as FAT.
    if (renameat2(AT_FDCWD, paths_.temporary.c_str(), AT_FDCWD, paths_.target.c_str(),
                  RENAME_NOREPLACE) == 0) {
      return {};
    }
    return LinkError(errno);
  }

  // NFS repeats a request whose answer was lost and then reports our own success as EEXIST.
  bool HasTwoNames() const {
    struct stat info{};
    return fstat(descriptor_.value(), &info) == 0 && info.st_nlink == 2;
  }

  Error LinkError(int error_number) const {
    if (error_number == EEXIST) {
      return MakeError(ErrorCode::kAlreadyExists, "file '{}' exists already", uri_);
    }
    if (error_number == EINVAL || error_number == ENOSYS) {
      return MakeError(ErrorCode::kUnsupported,
                       "file '{}': this file system has neither links nor exclusive renames, so "
                       "two writers could overwrite each other; keep the table on another one",
                       uri_);
    }
    return MakeSystemError(error_number, uri_);
  }

  std::string uri_;
  bool is_exclusive_;
  Paths paths_;
  Descriptor descriptor_;
  Random& random_;
  std::string buffer_;
  int64_t bytes_written_ = 0;
  bool is_published_ = false;
};

// What stands at the name may be replaced only if it is a file like the one that is made: a device
// or a pipe would be lost to everyone. A link leads to the file that it names, and a file that
// others may not read keeps its mode, which is returned; 0 if there is no file.
Result<mode_t> CheckTarget(std::string_view uri, std::string& target) {
  struct stat info{};
  if (lstat(target.c_str(), &info) != 0) return mode_t{0};
  if (S_ISLNK(info.st_mode)) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(target.c_str(), nullptr),
                                                           &std::free);
    if (real == nullptr) return MakeSystemError(errno, uri);
    target = real.get();
    if (stat(target.c_str(), &info) != 0) return MakeSystemError(errno, uri);
  }
  if (!S_ISREG(info.st_mode)) {
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' is a {}, expected a file or a new name; to write into it, use the "
                     "standard output",
                     uri, S_ISDIR(info.st_mode) ? "directory" : "device or pipe");
  }
  return info.st_mode & 07777;
}

}  // namespace

Result<std::unique_ptr<OutputFile>> CreateLocalFile(std::string_view uri,
                                                    const CreateOptions& options, Random& random) {
  FIRN_ASSIGN(std::string target, ParseLocalPath(uri));
  if (target.ends_with('/')) {
    return MakeError(ErrorCode::kInvalidInput, "'{}' names a folder, expected a file", uri);
  }
  FIRN_ASSIGN(const mode_t mode, CheckTarget(uri, target));
  const std::string folder = ParentFolder(target);
  FIRN_RETURN_IF_ERROR(MakeFolders(folder, uri));
  std::string temporary;
  Descriptor descriptor = OpenNameless(folder);
  for (int attempt = 0; attempt < kNameAttempts && !descriptor.is_open(); ++attempt) {
    temporary = JoinUri(folder, TemporaryName(random));
    descriptor = OpenPath(temporary, O_WRONLY | O_CREAT | O_EXCL);
    if (!descriptor.is_open() && errno != EEXIST) break;
  }
  if (!descriptor.is_open()) return MakeSystemError(errno, uri);
  if (mode != 0) (void)fchmod(descriptor.value(), mode);
  return std::make_unique<LocalOutputFile>(
      uri, options.exclusive,
      LocalOutputFile::Paths{.target = std::move(target), .temporary = std::move(temporary)},
      std::move(descriptor), random);
}

}  // namespace firn::internal
