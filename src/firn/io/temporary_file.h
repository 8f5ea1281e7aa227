#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "firn/base/bytes.h"
#include "firn/base/result.h"

namespace firn {

/// A file on local disk that has no name: what does not fit into memory stays there for a while.
/// Its space is free again when it is destroyed, or when the process dies. Single-threaded.
class TemporaryFile {
 public:
  virtual ~TemporaryFile() = default;
  /// Errors: kResourceExhausted: the disk is full; kUnavailable.
  virtual Status Append(std::span<const std::byte> bytes) = 0;
  /// Fill all of `out`. Errors: kInternal: bytes beyond the end; kUnavailable.
  virtual Status ReadAt(int64_t offset, std::span<std::byte> out) = 0;
  virtual int64_t size() const = 0;
};

/// Empty: the folder that the environment variable TMPDIR names, else /var/tmp, which unlike /tmp
/// is seldom kept in memory. Errors: kNotFound, kPermissionDenied, kUnavailable.
Result<std::unique_ptr<TemporaryFile>> MakeTemporaryFile(const std::string& folder = "");

}  // namespace firn
