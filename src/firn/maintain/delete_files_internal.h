#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/maintain_context.h"

namespace firn {

/// How a deletion of many files went.
struct DeletedFiles {
  std::array<int64_t, kFileKindCount> counts{};  ///< By kind; those already gone are among them.
  int64_t already_gone = 0;
  int64_t failed = 0;
  std::optional<Error> first_failure;

  int64_t of(FileKind kind) const { return counts[static_cast<size_t>(kind)]; }
};

/// Deletes files in batches, several batches at a time. Single owner. The caller has made sure that
/// nothing needs them.
class FileDeleter {
 public:
  /// `parallel_max` 0: as many as the executor runs.
  FileDeleter(const MaintainContext& context, FileIO& io, size_t parallel_max);

  /// Errors: kCancelled only. A file that cannot be deleted is counted.
  Status Add(FileToDelete file);

  /// Delete what is left and tell how all went.
  Result<DeletedFiles> Finish();

 private:
  Status Flush();
  /// Deletes files of the batch, again after a while where the store asks for it.
  void DeleteSlice(size_t begin, size_t end, DeletedFiles& outcome) const;

  const MaintainContext& context_;
  FileIO& io_;
  const size_t parallel_max_;
  std::vector<FileToDelete> batch_;
  DeletedFiles deleted_;
  int64_t done_ = 0;
};

}  // namespace firn
