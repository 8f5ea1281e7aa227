#pragma once

#include <memory>
#include <span>
#include <string>

#include "firn/io/io.h"

/// Room on the local disk for what does not fit into memory.

namespace firn {

/// A file without a name: its space is free again when it is destroyed, or when the process dies.
/// Reads may run in parallel; appending is for one thread, with no read at the same time.
class ScratchFile final : public InputFile {
 public:
  /// `folder` empty: the one that the environment variable TMPDIR names, else /var/tmp, which
  /// unlike /tmp is seldom kept in memory. Errors: kNotFound: no folder; kPermissionDenied,
  /// kResourceExhausted, kUnavailable.
  static Result<std::shared_ptr<ScratchFile>> Make(const std::string& folder = "");
  ~ScratchFile() override;
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// Errors: kResourceExhausted: the disk is full.
  Status Append(std::span<const std::byte> bytes);

  const std::string& uri() const override { return folder_; }
  int64_t size() const { return size_; }
  Result<int64_t> Size() override { return size_; }
  Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) override;

  /// Fill all of `out`. Errors: kInternal: bytes beyond the end; kUnavailable.
  Status ReadAll(int64_t offset, std::span<std::byte> out);

 private:
  ScratchFile(std::string folder, int descriptor)
      : folder_(std::move(folder)), descriptor_(descriptor) {}

  std::string folder_;
  int descriptor_;
  int64_t size_ = 0;
};

}  // namespace firn
