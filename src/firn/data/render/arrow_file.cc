#include "firn/data/render/arrow_file.h"

#include <algorithm>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/util/future.h>

#include "firn/data/arrow/arrow_bridge.h"

namespace firn {
namespace {

class ArrowInput final : public arrow::io::RandomAccessFile {
 public:
  ArrowInput(std::shared_ptr<InputFile> file, int64_t size, arrow::MemoryPool* pool)
      : file_(std::move(file)), size_(size), pool_(pool) {}

  arrow::Result<int64_t> GetSize() override { return size_; }

  using RandomAccessFile::ReadAt;

  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    if (position < 0 || bytes < 0 || position > size_) {
      return ToArrowStatus(MakeError(ErrorCode::kCorrupt,
                                     "{} bytes at offset {} are wanted of a file of {} bytes",
                                     bytes, position, size_));
    }
    const int64_t length = std::min(bytes, size_ - position);
    Result<int64_t> read = file_->ReadAt(
        position, std::span(static_cast<std::byte*>(out), static_cast<size_t>(length)));
    if (!read.ok()) return ToArrowStatus(read.error());
    return *read;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    // A damaged footer may ask for anything: allocate no more than the file has.
    const int64_t length = std::clamp<int64_t>(size_ - position, 0, std::max<int64_t>(bytes, 0));
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(length, pool_));
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(position, length, buffer->mutable_data()));
    if (read < length) ARROW_RETURN_NOT_OK(buffer->Resize(read, /*shrink_to_fit=*/false));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

  arrow::Result<int64_t> Read(int64_t bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(position_, bytes, out));
    position_ += read;
    return read;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, bytes));
    position_ += buffer->size();
    return buffer;
  }

  arrow::Status Seek(int64_t position) override {
    position_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> Tell() const override { return position_; }

  arrow::Status Close() override {
    is_closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return is_closed_; }

 private:
  std::shared_ptr<InputFile> file_;
  int64_t size_;
  arrow::MemoryPool* pool_;
  int64_t position_ = 0;
  bool is_closed_ = false;
};

class ArrowOutput final : public arrow::io::OutputStream {
 public:
  explicit ArrowOutput(const ByteSink& sink) : sink_(sink) {}

  using OutputStream::Write;

  arrow::Status Write(const void* data, int64_t bytes) override {
    const Status status =
        sink_(std::span(static_cast<const std::byte*>(data), static_cast<size_t>(bytes)));
    if (!status.ok()) return ToArrowStatus(status.error());
    position_ += bytes;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Close() override {
    is_closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return is_closed_; }

 private:
  const ByteSink& sink_;
  int64_t position_ = 0;
  bool is_closed_ = false;
};

}  // namespace

Result<std::shared_ptr<arrow::io::RandomAccessFile>> MakeArrowInput(std::shared_ptr<InputFile> file,
                                                                    arrow::MemoryPool* pool) {
  FIRN_ASSIGN(const int64_t size, file->Size());
  return std::make_shared<ArrowInput>(std::move(file), size, pool);
}

std::shared_ptr<arrow::io::OutputStream> MakeArrowOutput(const ByteSink& sink) {
  return std::make_shared<ArrowOutput>(sink);
}

}  // namespace firn
