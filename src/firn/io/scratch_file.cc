#include "firn/io/scratch_file.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "firn/io/local_system_internal.h"

namespace firn {

Result<std::shared_ptr<ScratchFile>> ScratchFile::Make() {
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
  if (failure) {
    return MakeError(ErrorCode::kNotFound,
                     "no folder for temporary files ({}); set TMPDIR to one with room",
                     failure.message());
  }
  std::string path = (folder / "firn-scratch-XXXXXX").string();
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return internal::MakeSystemError(errno, "a file for temporary data in " + folder.string());
  }
  unlink(path.c_str());
  return std::shared_ptr<ScratchFile>(new ScratchFile(folder.string(), descriptor));
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

}  // namespace firn
