#include <string>
#include <unordered_set>
#include <utility>

#include "firn/io/forwarding_file_io.h"
#include "firn/maintain/compaction/read_meter_internal.h"

namespace firn {
namespace {

using OnBytes = std::function<void(int64_t bytes)>;

class MeteredFile final : public InputFile {
 public:
  MeteredFile(std::shared_ptr<InputFile> inner, std::shared_ptr<const OnBytes> on_bytes)
      : inner_(std::move(inner)), on_bytes_(std::move(on_bytes)) {}

  const std::string& uri() const override { return inner_->uri(); }
  Result<int64_t> Size() override { return inner_->Size(); }

  Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) override {
    FIRN_ASSIGN(const int64_t read, inner_->ReadAt(offset, out));
    (*on_bytes_)(read);
    return read;
  }

  Result<std::vector<Buffer>> ReadRanges(std::span<const ByteRange> ranges) override {
    FIRN_ASSIGN(std::vector<Buffer> read, inner_->ReadRanges(ranges));
    for (const ByteRange& range : ranges)
      (*on_bytes_)(range.length);
    return read;
  }

 private:
  std::shared_ptr<InputFile> inner_;
  std::shared_ptr<const OnBytes> on_bytes_;
};

class MeteredFileIO final : public ForwardingFileIO {
 public:
  MeteredFileIO(std::shared_ptr<FileIO> inner, const std::vector<FileScanTask>& inputs,
                OnBytes on_bytes)
      : ForwardingFileIO(std::move(inner)),
        on_bytes_(std::make_shared<const OnBytes>(std::move(on_bytes))) {
    for (const FileScanTask& task : inputs)
      inputs_.insert(task.file.file_path);
  }

  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> known_size) override {
    FIRN_ASSIGN(auto file, inner().Open(uri, known_size));
    if (!inputs_.contains(std::string(uri))) return file;
    return std::make_shared<MeteredFile>(std::move(file), on_bytes_);
  }

 private:
  std::unordered_set<std::string> inputs_;
  std::shared_ptr<const OnBytes> on_bytes_;
};

}  // namespace

std::shared_ptr<FileIO> MeterReads(std::shared_ptr<FileIO> io,
                                   const std::vector<FileScanTask>& inputs, OnBytes on_bytes) {
  return std::make_shared<MeteredFileIO>(std::move(io), inputs, std::move(on_bytes));
}

}  // namespace firn
