#include "firn/io/scratch_file.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "firn/io/local_system_internal.h"

namespace firn {

namespace {

std::string DefaultFolder() {
  const char* folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return folder == nullptr || *folder == '\0' ? "/var/tmp" : folder;
}

}  // namespace

Result<std::shared_ptr<ScratchFile>> ScratchFile::Make(const std::string& folder) {
  const std::string place = folder.empty() ? DefaultFolder() : folder;
  std::string path = place + "/firn-scratch-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return internal::MakeSystemError(
        errno, "a file for temporary data in " + place + " (set TMPDIR to a folder with room)");
  }
  std::shared_ptr<ScratchFile> file(new ScratchFile(place, descriptor));
  if (unlink(path.c_str()) != 0) return internal::MakeSystemError(errno, path);
  return file;
}

ScratchFile::~ScratchFile() { close(descriptor_); }

Status ScratchFile::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(descriptor_, bytes.data(), bytes.size(), size_);
    if (done < 0) {
      if (errno == EINTR) continue;
      return internal::MakeSystemError(errno, "temporary data in " + folder_);
    }
    size_ += done;
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return {};
}

Result<int64_t> ScratchFile::ReadAt(int64_t offset, std::span<std::byte> out) {
  int64_t total = 0;
  while (!out.empty()) {
    const ssize_t done = pread(descriptor_, out.data(), out.size(), offset + total);
    if (done == 0) break;
    if (done < 0) {
      if (errno == EINTR) continue;
      return internal::MakeSystemError(errno, "temporary data in " + folder_);
    }
    total += done;
    out = out.subspan(static_cast<size_t>(done));
  }
  return total;
}

Status ScratchFile::ReadAll(int64_t offset, std::span<std::byte> out) {
  FIRN_ASSIGN(const int64_t read, ReadAt(offset, out));
  if (read == static_cast<int64_t>(out.size())) return {};
  return MakeError(ErrorCode::kInternal, "temporary data in {}: {} bytes at {} are wanted of {}",
                   folder_, out.size(), offset, size_);
}

}  // namespace firn
