#include "firn/io/metered_file_io.h"

#include <algorithm>
#include <utility>

#include "firn/io/forwarding_file_io.h"

namespace firn {
namespace {

// Names in one answer of a listing, and in one request of deletion.
constexpr int64_t kNamesPerRequest = 1000;

int64_t RequestsFor(int64_t names) { return (names + kNamesPerRequest - 1) / kNamesPerRequest; }

class MeteredInputFile final : public InputFile {
 public:
  MeteredInputFile(std::shared_ptr<InputFile> file, std::shared_ptr<IoMeter> meter)
      : file_(std::move(file)), meter_(std::move(meter)) {}

  const std::string& uri() const override { return file_->uri(); }
  Result<int64_t> Size() override { return file_->Size(); }
  Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) override {
    auto read = file_->ReadAt(offset, out);
    meter_->AddRequests();
    if (read.ok()) meter_->AddRead(*read);
    return read;
  }

 private:
  std::shared_ptr<InputFile> file_;
  std::shared_ptr<IoMeter> meter_;
};

class MeteredOutputFile final : public OutputFile {
 public:
  MeteredOutputFile(std::unique_ptr<OutputFile> file, std::shared_ptr<IoMeter> meter)
      : file_(std::move(file)), meter_(std::move(meter)) {}

  const std::string& uri() const override { return file_->uri(); }
  int64_t bytes_written() const override { return file_->bytes_written(); }
  Status Append(std::span<const std::byte> bytes) override {
    meter_->AddWritten(static_cast<int64_t>(bytes.size()));
    return file_->Append(bytes);
  }
  Status Publish() override {
    meter_->AddRequests();
    return file_->Publish();
  }

 private:
  std::unique_ptr<OutputFile> file_;
  std::shared_ptr<IoMeter> meter_;
};

class MeteredFileIO final : public ForwardingFileIO {
 public:
  MeteredFileIO(std::shared_ptr<FileIO> base, std::shared_ptr<IoMeter> meter)
      : ForwardingFileIO(std::move(base)), meter_(std::move(meter)) {}

  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> known_size) override {
    FIRN_ASSIGN(auto file, inner().Open(uri, known_size));
    return std::make_shared<MeteredInputFile>(std::move(file), meter_);
  }
  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    FIRN_ASSIGN(auto file, inner().Create(uri, options));
    return std::make_unique<MeteredOutputFile>(std::move(file), meter_);
  }
  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override {
    int64_t files = 0;
    Status status = inner().List(uri, [&](const FileInfo& file) {
      ++files;
      return visit(file);
    });
    meter_->AddRequests(std::max<int64_t>(RequestsFor(files), 1));
    return status;
  }
  Result<FileInfo> Stat(std::string_view uri) override {
    meter_->AddRequests();
    return inner().Stat(uri);
  }
  Status Delete(std::string_view uri) override {
    meter_->AddRequests();
    return inner().Delete(uri);
  }
  std::vector<DeleteOutcome> DeleteMany(std::span<const std::string> uris) override {
    meter_->AddRequests(RequestsFor(static_cast<int64_t>(uris.size())));
    return inner().DeleteMany(uris);
  }
  Result<std::vector<std::string>> ListFolders(std::string_view uri) override {
    meter_->AddRequests();
    return inner().ListFolders(uri);
  }

 private:
  std::shared_ptr<IoMeter> meter_;
};

}  // namespace

std::shared_ptr<FileIO> MakeMeteredFileIO(std::shared_ptr<FileIO> base,
                                          std::shared_ptr<IoMeter> meter) {
  return std::make_shared<MeteredFileIO>(std::move(base), std::move(meter));
}

}  // namespace firn
