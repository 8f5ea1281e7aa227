#include "firn/testing/counting_file_io.h"

#include <array>
#include <mutex>
#include <utility>

namespace firn {

class CountingFileIO::Counts {
 public:
  void Add(FileOperation operation, int64_t bytes = 0) {
    const std::lock_guard lock(mutex_);
    OperationCount& count = counts_[static_cast<size_t>(operation)];
    ++count.calls;
    count.bytes += bytes;
  }

  OperationCount Get(FileOperation operation) const {
    const std::lock_guard lock(mutex_);
    return counts_[static_cast<size_t>(operation)];
  }

  void Reset() {
    const std::lock_guard lock(mutex_);
    counts_ = {};
  }

 private:
  mutable std::mutex mutex_;
  std::array<OperationCount, kFileOperationCount> counts_{};
};

namespace {

class CountingInputFile final : public InputFile {
 public:
  CountingInputFile(std::shared_ptr<InputFile> file, std::shared_ptr<CountingFileIO::Counts> counts)
      : file_(std::move(file)), counts_(std::move(counts)) {}

  const std::string& uri() const override { return file_->uri(); }

  Result<int64_t> Size() override {
    counts_->Add(FileOperation::kSize);
    return file_->Size();
  }

  Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) override {
    Result<int64_t> read = file_->ReadAt(offset, out);
    counts_->Add(FileOperation::kRead, read.ok() ? *read : 0);
    return read;
  }

 private:
  std::shared_ptr<InputFile> file_;
  std::shared_ptr<CountingFileIO::Counts> counts_;
};

class CountingOutputFile final : public OutputFile {
 public:
  CountingOutputFile(std::unique_ptr<OutputFile> file,
                     std::shared_ptr<CountingFileIO::Counts> counts)
      : file_(std::move(file)), counts_(std::move(counts)) {}

  const std::string& uri() const override { return file_->uri(); }
  int64_t bytes_written() const override { return file_->bytes_written(); }

  Status Append(std::span<const std::byte> bytes) override {
    counts_->Add(FileOperation::kAppend, static_cast<int64_t>(bytes.size()));
    return file_->Append(bytes);
  }

  Status Publish() override {
    counts_->Add(FileOperation::kPublish);
    return file_->Publish();
  }

 private:
  std::unique_ptr<OutputFile> file_;
  std::shared_ptr<CountingFileIO::Counts> counts_;
};

}  // namespace

CountingFileIO::CountingFileIO(std::shared_ptr<FileIO> io)
    : io_(std::move(io)), counts_(std::make_shared<Counts>()) {}

CountingFileIO::~CountingFileIO() = default;

OperationCount CountingFileIO::Count(FileOperation operation) const {
  return counts_->Get(operation);
}

void CountingFileIO::Reset() { counts_->Reset(); }

Result<std::shared_ptr<InputFile>> CountingFileIO::Open(std::string_view uri,
                                                        std::optional<int64_t> known_size) {
  counts_->Add(FileOperation::kOpen);
  FIRN_ASSIGN(std::shared_ptr<InputFile> file, io_->Open(uri, known_size));
  return std::make_shared<CountingInputFile>(std::move(file), counts_);
}

Result<std::unique_ptr<OutputFile>> CountingFileIO::Create(std::string_view uri,
                                                           const CreateOptions& options) {
  counts_->Add(FileOperation::kCreate);
  FIRN_ASSIGN(std::unique_ptr<OutputFile> file, io_->Create(uri, options));
  return std::make_unique<CountingOutputFile>(std::move(file), counts_);
}

Status CountingFileIO::List(std::string_view uri,
                            const std::function<Status(const FileInfo&)>& visit) {
  counts_->Add(FileOperation::kList);
  return io_->List(uri, visit);
}

Result<FileInfo> CountingFileIO::Stat(std::string_view uri) {
  counts_->Add(FileOperation::kStat);
  return io_->Stat(uri);
}

Status CountingFileIO::Delete(std::string_view uri) {
  counts_->Add(FileOperation::kDelete);
  return io_->Delete(uri);
}

Result<std::vector<std::string>> CountingFileIO::ListFolders(std::string_view uri) {
  counts_->Add(FileOperation::kList);
  return io_->ListFolders(uri);
}

Status CountingFileIO::CreateFolder(std::string_view uri) {
  counts_->Add(FileOperation::kCreate);
  return io_->CreateFolder(uri);
}

Status CountingFileIO::DeleteFolder(std::string_view uri) {
  counts_->Add(FileOperation::kDelete);
  return io_->DeleteFolder(uri);
}

}  // namespace firn
