#pragma once

#include <memory>
#include <string>

#include "firn/base/cancel.h"
#include "firn/base/random.h"
#include "firn/ingest/input/source_files_internal.h"

namespace firn {

/// Standard input as a file: copied to the folder for temporary files, since types are inferred
/// from all of it before it is loaded. The copy is deleted with this object.
class StandardInput {
 public:
  /// Reads to the end. Errors: kUnavailable, kResourceExhausted, kCancelled.
  static Result<std::unique_ptr<StandardInput>> Copy(FileIO& io, Random& random,
                                                     const CancelToken& cancel);
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  const FileInfo& file() const { return file_; }

 private:
  StandardInput(FileIO& io, FileInfo file) : io_(io), file_(std::move(file)) {}

  FileIO& io_;
  FileInfo file_;
};

}  // namespace firn
