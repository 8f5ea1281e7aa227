#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "firn/io/io.h"
#include "firn/io/local_listing_internal.h"
#include "firn/io/local_output_internal.h"
#include "firn/io/local_rename_internal.h"
#include "firn/io/local_system_internal.h"
#include "firn/io/move_file.h"
#include "firn/io/real_names.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

using internal::Descriptor;
using internal::MakeSystemError;
using internal::ParseLocalPath;

Error NotAFile(std::string_view uri) {
  return MakeError(ErrorCode::kNotFound, "'{}' is no regular file", uri);
}

class LocalInputFile final : public InputFile {
 public:
  LocalInputFile(std::string_view uri, Descriptor descriptor)
      : uri_(uri), descriptor_(std::move(descriptor)) {}

  const std::string& uri() const override { return uri_; }

  Result<int64_t> Size() override {
    struct stat info{};
    if (fstat(descriptor_.value(), &info) != 0) return MakeSystemError(errno, uri_);
    return int64_t{info.st_size};
  }

  Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = pread(descriptor_.value(), out.data() + done, out.size() - done,
                                offset + static_cast<int64_t>(done));
      if (got == 0) break;
      if (got > 0) {
        done += static_cast<size_t>(got);
      } else if (errno != EINTR) {
        return MakeSystemError(errno, uri_);
      }
    }
    return static_cast<int64_t>(done);
  }

 private:
  std::string uri_;
  Descriptor descriptor_;
};

class LocalFileIO final : public FileIO, public FileRenamer, public LocalPlaces {
 public:
  explicit LocalFileIO(Random& random) : random_(random) {}

  // A local open costs less than an error that comes late, and what was opened stays readable when
  // the file is deleted.
  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> /*known_size*/) override {
    FIRN_ASSIGN(const std::string path, ParseLocalPath(uri));
    // Opening a pipe must not wait for a writer.
    Descriptor descriptor = internal::OpenPath(path, O_RDONLY | O_NONBLOCK);
    if (!descriptor.is_open()) return MakeSystemError(errno, uri);
    struct stat info{};
    if (fstat(descriptor.value(), &info) != 0) return MakeSystemError(errno, uri);
    if (!S_ISREG(info.st_mode)) return NotAFile(uri);
    return std::make_shared<LocalInputFile>(uri, std::move(descriptor));
  }

  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    return internal::CreateLocalFile(uri, options, random_);
  }

  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override {
    return internal::ListLocalFolder(uri, visit);
  }

  Result<FileInfo> Stat(std::string_view uri) override {
    FIRN_ASSIGN(const std::string path, ParseLocalPath(uri));
    struct stat info{};
    if (stat(path.c_str(), &info) != 0) return MakeSystemError(errno, uri);
    if (!S_ISREG(info.st_mode)) return NotAFile(uri);
    return internal::DescribeLocalFile(std::string(uri), info);
  }

  Status Delete(std::string_view uri) override {
    FIRN_ASSIGN(const std::string path, ParseLocalPath(uri));
    if (unlink(path.c_str()) == 0) return {};
    if (errno == EISDIR) return NotAFile(uri);
    return MakeSystemError(errno, uri);
  }

  Status Rename(std::string_view from, std::string_view to) override {
    return internal::RenameLocalFile(from, to);
  }

  Result<FileInfo> PreviewRename(std::string_view from, std::string_view to) override {
    return internal::PreviewLocalRename(from, to);
  }

  Result<FileInfo> StatName(std::string_view uri) override { return internal::StatLocalName(uri); }

  std::string FindLocalPlace(std::string_view uri) const override { return LocalPath(uri); }

  Result<std::vector<std::string>> ListFolders(std::string_view uri) override {
    return internal::ListLocalFolders(uri);
  }

  Status CreateFolder(std::string_view uri) override {
    FIRN_ASSIGN(const std::string path, ParseLocalPath(uri));
    return internal::MakeFolders(path, uri);
  }

  Status DeleteFolder(std::string_view uri) override {
    FIRN_ASSIGN(const std::string path, ParseLocalPath(uri));
    if (rmdir(path.c_str()) == 0) return {};
    if (errno != ENOTEMPTY && errno != EEXIST) return MakeSystemError(errno, uri);
    return MakeError(ErrorCode::kInvalidInput, "folder '{}' is not empty", uri);
  }

 private:
  Random& random_;
};

}  // namespace

std::unique_ptr<FileIO> MakeLocalFileIO(Random& random) {
  return std::make_unique<LocalFileIO>(random);
}

}  // namespace firn
