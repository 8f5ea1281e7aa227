#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firn/io/io.h"
#include "firn/testing/file_operation.h"

namespace firn {

/// Some calls that shall fail. Calls for folders are kList, kCreate and kDelete.
struct Fault {
  FileOperation operation = FileOperation::kRead;
  std::string uri_part;    ///< Only calls for a URI that holds this text count; "" is all.
  int64_t first_call = 1;  ///< The matching call that fails first; 1 is the next one.
  int64_t call_count = 1;  ///< How many matching calls in a row fail (throttling: several).
  Error error{ErrorCode::kUnavailable, "injected fault"};
  bool happens = false;  ///< The call does its work and only its answer is lost.
};

/// Faults by chance, the same for the same seed and order of calls.
struct RandomFaults {
  uint64_t seed = 0;
  double share = 0;  ///< Of all calls of `operations`, between 0 and 1.
  std::vector<FileOperation> operations;
};

/// A file system that fails on request. Thread-safe. A call that fails by chance says kUnavailable;
/// half of such Publish and Delete calls happen all the same, and Publish then says kCommitUnknown.
class FaultyFileIO final : public FileIO {
 public:
  explicit FaultyFileIO(std::shared_ptr<FileIO> io);
  ~FaultyFileIO() override;

  void Add(Fault fault);
  void FailAtRandom(RandomFaults faults);

  /// Work from here on.
  void Clear();

  /// Calls that failed because of a fault.
  int64_t injected_count() const;

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

  class Script;

 private:
  std::shared_ptr<FileIO> io_;
  std::shared_ptr<Script> script_;
};

}  // namespace firn
