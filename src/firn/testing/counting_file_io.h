#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firn/io/io.h"
#include "firn/testing/file_operation.h"

namespace firn {

struct OperationCount {
  int64_t calls = 0;
  int64_t bytes = 0;  ///< Read or appended.
};

/// Counts what passes to another file system. Thread-safe.
class CountingFileIO final : public FileIO {
 public:
  explicit CountingFileIO(std::shared_ptr<FileIO> io);
  ~CountingFileIO() override;

  /// What was asked since the start or the last Reset. Batched reads count as what they become
  /// after merging; DeleteMany counts one call per file. Folders count as what is done with them:
  /// kList, kCreate, kDelete.
  OperationCount Count(FileOperation operation) const;
  void Reset();

  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> known_size = {}) override;
  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options = {}) override;
  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override;
  Result<FileInfo> Stat(std::string_view uri) override;
  Status Delete(std::string_view uri) override;
  Result<std::vector<std::string>> ListFolders(std::string_view uri) override;
  Status CreateFolder(std::string_view uri) override;
  Status DeleteFolder(std::string_view uri) override;

  class Counts;

 private:
  std::shared_ptr<FileIO> io_;
  std::shared_ptr<Counts> counts_;
};

}  // namespace firn
