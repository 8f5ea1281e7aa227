#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "firn/io/io.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

struct StoredFile {
  std::shared_ptr<const std::string> bytes;
  Timestamp modified;
  std::string etag;
};

// All files; shared by the files that are open, which may outlive the FileIO.
class Store {
 public:
  explicit Store(Clock& clock) : clock_(clock) {}

  Result<StoredFile> Find(std::string_view uri) const {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(uri);
    if (found == files_.end()) return Missing(uri);
    return found->second;
  }

  // The first file after `last` whose key starts with `prefix`: a listing step that holds no lock
  // while others run.
  std::optional<std::pair<std::string, StoredFile>> Next(const std::string& last,
                                                         const std::string& prefix) const {
    const std::lock_guard lock(mutex_);
    const auto next = files_.upper_bound(last);
    if (next == files_.end() || !next->first.starts_with(prefix)) return std::nullopt;
    return *next;
  }

  Status Put(const std::string& uri, std::string bytes, const CreateOptions& options) {
    const std::lock_guard lock(mutex_);
    if (options.exclusive && files_.contains(uri)) {
      return MakeError(ErrorCode::kAlreadyExists, "file '{}' exists already", uri);
    }
    files_[uri] = {.bytes = std::make_shared<const std::string>(std::move(bytes)),
                   .modified = clock_.Now(),
                   .etag = fmt::format("\"{:016x}\"", ++version_)};
    return {};
  }

  Status Erase(std::string_view uri) {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(uri);
    if (found == files_.end()) return Missing(uri);
    files_.erase(found);
    return {};
  }

 private:
  static Error Missing(std::string_view uri) {
    return MakeError(ErrorCode::kNotFound, "file '{}' does not exist", uri);
  }

  Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, StoredFile, std::less<>> files_;
  uint64_t version_ = 0;
};

class MemoryInputFile final : public InputFile {
 public:
  MemoryInputFile(std::string_view uri, std::shared_ptr<const std::string> bytes)
      : uri_(uri), bytes_(std::move(bytes)) {}

  const std::string& uri() const override { return uri_; }
  Result<int64_t> Size() override { return static_cast<int64_t>(bytes_->size()); }

  Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) override {
    if (offset < 0) {
      return MakeError(ErrorCode::kInvalidInput, "file '{}': offset is {}, expected >= 0", uri_,
                       offset);
    }
    const size_t start = std::min(static_cast<size_t>(offset), bytes_->size());
    const size_t count = std::min(out.size(), bytes_->size() - start);
    if (count > 0) std::memcpy(out.data(), bytes_->data() + start, count);
    return static_cast<int64_t>(count);
  }

 private:
  std::string uri_;
  std::shared_ptr<const std::string> bytes_;
};

class MemoryOutputFile final : public OutputFile {
 public:
  MemoryOutputFile(std::string_view uri, CreateOptions options, std::shared_ptr<Store> store)
      : uri_(uri), options_(options), store_(std::move(store)) {}

  const std::string& uri() const override { return uri_; }
  int64_t bytes_written() const override { return bytes_written_; }

  Status Append(std::span<const std::byte> bytes) override {
    bytes_ += AsText(bytes);
    bytes_written_ += static_cast<int64_t>(bytes.size());
    return {};
  }

  Status Publish() override { return store_->Put(uri_, std::move(bytes_), options_); }

 private:
  std::string uri_;
  CreateOptions options_;
  std::shared_ptr<Store> store_;
  std::string bytes_;
  int64_t bytes_written_ = 0;
};

class MemoryFileIO final : public FileIO {
 public:
  explicit MemoryFileIO(Clock& clock) : store_(std::make_shared<Store>(clock)) {}

  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> /*known_size*/) override {
    FIRN_ASSIGN(const StoredFile file, store_->Find(uri));
    return std::make_shared<MemoryInputFile>(uri, file.bytes);
  }

  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    if (UriFileName(uri).empty()) {
      return MakeError(ErrorCode::kInvalidInput, "'{}' names a folder, expected a file", uri);
    }
    return std::make_unique<MemoryOutputFile>(uri, options, store_);
  }

  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override {
    const std::string prefix = JoinUri(uri, "");
    for (auto next = store_->Next(prefix, prefix); next; next = store_->Next(next->first, prefix)) {
      FIRN_RETURN_IF_ERROR(visit(Describe(next->first, next->second)));
    }
    return {};
  }

  Result<FileInfo> Stat(std::string_view uri) override {
    FIRN_ASSIGN(const StoredFile file, store_->Find(uri));
    return Describe(std::string(uri), file);
  }

  Status Delete(std::string_view uri) override { return store_->Erase(uri); }

 private:
  static FileInfo Describe(std::string uri, const StoredFile& file) {
    return {.uri = std::move(uri),
            .size = static_cast<int64_t>(file.bytes->size()),
            .modified = file.modified,
            .etag = file.etag};
  }

  std::shared_ptr<Store> store_;
};

}  // namespace

std::unique_ptr<FileIO> MakeMemoryFileIO(Clock& clock) {
  return std::make_unique<MemoryFileIO>(clock);
}

}  // namespace firn
