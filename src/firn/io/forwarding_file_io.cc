#include "firn/io/forwarding_file_io.h"

#include <utility>

namespace firn {

ForwardingFileIO::ForwardingFileIO(std::shared_ptr<FileIO> inner) : inner_(std::move(inner)) {}

Result<std::shared_ptr<InputFile>> ForwardingFileIO::Open(std::string_view uri,
                                                          std::optional<int64_t> known_size) {
  return inner_->Open(uri, known_size);
}

Result<std::unique_ptr<OutputFile>> ForwardingFileIO::Create(std::string_view uri,
                                                             const CreateOptions& options) {
  return inner_->Create(uri, options);
}

Status ForwardingFileIO::List(std::string_view uri,
                              const std::function<Status(const FileInfo&)>& visit) {
  return inner_->List(uri, visit);
}

Result<FileInfo> ForwardingFileIO::Stat(std::string_view uri) { return inner_->Stat(uri); }

Status ForwardingFileIO::Delete(std::string_view uri) { return inner_->Delete(uri); }

std::vector<DeleteOutcome> ForwardingFileIO::DeleteMany(std::span<const std::string> uris) {
  return inner_->DeleteMany(uris);
}

Result<std::vector<std::string>> ForwardingFileIO::ListFolders(std::string_view uri) {
  return inner_->ListFolders(uri);
}

Status ForwardingFileIO::CreateFolder(std::string_view uri) { return inner_->CreateFolder(uri); }

Status ForwardingFileIO::DeleteFolder(std::string_view uri) { return inner_->DeleteFolder(uri); }

std::string ForwardingFileIO::FindLocalPlace(std::string_view uri) const {
  return firn::FindLocalPlace(*inner_, uri);
}

}  // namespace firn
