#include "firn/io/temporary_file.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "firn/io/local_system_internal.h"

namespace firn {
namespace {

using internal::Descriptor;
using internal::MakeSystemError;

class NamelessFile final : public TemporaryFile {
 public:
  NamelessFile(Descriptor descriptor, std::string name)
      : descriptor_(std::move(descriptor)), name_(std::move(name)) {}

  Status Append(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::pwrite(descriptor_.value(), bytes.data(), bytes.size(), size_);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return MakeSystemError(errno, name_);
      size_ += written;
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return {};
  }

  Status ReadAt(int64_t offset, std::span<std::byte> out) override {
    while (!out.empty()) {
      const ssize_t read = ::pread(descriptor_.value(), out.data(), out.size(), offset);
      if (read < 0 && errno == EINTR) continue;
      if (read < 0) return MakeSystemError(errno, name_);
      if (read == 0) {
        return MakeError(ErrorCode::kInternal, "'{}': {} bytes at {} are wanted of {}", name_,
                         out.size(), offset, size_);
      }
      offset += read;
      out = out.subspan(static_cast<size_t>(read));
    }
    return {};
  }

  int64_t size() const override { return size_; }

 private:
  Descriptor descriptor_;
  std::string name_;
  int64_t size_ = 0;
};

std::string DefaultFolder() {
  const char* folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return folder == nullptr || *folder == '\0' ? "/var/tmp" : folder;
}

}  // namespace

Result<std::unique_ptr<TemporaryFile>> MakeTemporaryFile(const std::string& folder) {
  std::string name = (folder.empty() ? DefaultFolder() : folder) + "/firn-XXXXXX";
  Descriptor descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!descriptor.is_open()) return MakeSystemError(errno, name);
  if (::unlink(name.c_str()) != 0) return MakeSystemError(errno, name);
  return std::make_unique<NamelessFile>(std::move(descriptor), std::move(name));
}

}  // namespace firn
