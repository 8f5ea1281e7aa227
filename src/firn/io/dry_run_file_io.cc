#include "firn/io/dry_run_file_io.h"

#include <utility>

#include "firn/io/real_names.h"

namespace firn {
namespace {

// Counts what it is given.
class ForgottenFile final : public OutputFile {
 public:
  explicit ForgottenFile(std::string_view uri) : uri_(uri) {}

  const std::string& uri() const override { return uri_; }
  Status Append(std::span<const std::byte> bytes) override {
    bytes_written_ += static_cast<int64_t>(bytes.size());
    return {};
  }
  int64_t bytes_written() const override { return bytes_written_; }
  Status Publish() override { return {}; }

 private:
  std::string uri_;
  int64_t bytes_written_ = 0;
};

class DryRunFileIO final : public FileIO, public LocalPlaces {
 public:
  DryRunFileIO(std::shared_ptr<FileIO> base, Clock& clock,
               std::function<bool(std::string_view)> is_kept)
      : base_(std::move(base)), kept_(MakeMemoryFileIO(clock)), is_kept_(std::move(is_kept)) {}

  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> known_size) override {
    FIRN_ASSIGN(const bool is_ours, FileExists(*kept_, uri));
    return (is_ours ? *kept_ : *base_).Open(uri, known_size);
  }

  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    if (is_kept_(uri)) return kept_->Create(uri, options);
    return std::make_unique<ForgottenFile>(uri);
  }

  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override {
    FIRN_RETURN_IF_ERROR(kept_->List(uri, visit));
    return base_->List(uri, visit);
  }

  Result<FileInfo> Stat(std::string_view uri) override {
    Result<FileInfo> ours = kept_->Stat(uri);
    if (ours.ok() || ours.error().code() != ErrorCode::kNotFound) return ours;
    return base_->Stat(uri);
  }

  // Of a file that was forgotten: it is as if it had been there.
  Status Delete(std::string_view uri) override {
    const Status deleted = kept_->Delete(uri);
    if (!deleted.ok() && deleted.error().code() != ErrorCode::kNotFound) return deleted;
    return {};
  }

  std::string FindLocalPlace(std::string_view uri) const override {
    return firn::FindLocalPlace(*base_, uri);
  }
  Status CreateFolder(std::string_view) override { return {}; }
  Status DeleteFolder(std::string_view) override { return {}; }

 private:
  std::shared_ptr<FileIO> base_;
  std::unique_ptr<FileIO> kept_;
  std::function<bool(std::string_view)> is_kept_;
};

}  // namespace

std::shared_ptr<FileIO> MakeDryRunFileIO(std::shared_ptr<FileIO> base, Clock& clock,
                                         std::function<bool(std::string_view)> is_kept) {
  return std::make_shared<DryRunFileIO>(std::move(base), clock, std::move(is_kept));
}

}  // namespace firn
