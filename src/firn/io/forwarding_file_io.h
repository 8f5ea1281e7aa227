#pragma once

#include <memory>

#include "firn/io/io.h"
#include "firn/io/real_names.h"

namespace firn {

/// A FileIO that does what another one does: what is to differ is overridden.
class ForwardingFileIO : public FileIO, public LocalPlaces {
 public:
  explicit ForwardingFileIO(std::shared_ptr<FileIO> inner);

  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> known_size) override;
  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override;
  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override;
  Result<FileInfo> Stat(std::string_view uri) override;
  Status Delete(std::string_view uri) override;
  std::vector<DeleteOutcome> DeleteMany(std::span<const std::string> uris) override;
  Result<std::vector<std::string>> ListFolders(std::string_view uri) override;
  Status CreateFolder(std::string_view uri) override;
  Status DeleteFolder(std::string_view uri) override;
  std::string FindLocalPlace(std::string_view uri) const override;

 protected:
  FileIO& inner() const { return *inner_; }

 private:
  std::shared_ptr<FileIO> inner_;
};

}  // namespace firn
