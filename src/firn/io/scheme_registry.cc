#include <map>
#include <utility>

#include "firn/io/io.h"
#include "firn/io/move_file.h"
#include "firn/io/real_names.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

using FileIOByScheme = std::map<std::string, std::shared_ptr<FileIO>>;

// The one name of schemes that mean the same; a plain path is a local file.
std::string FoldScheme(std::string scheme) {
  if (scheme == "s3a" || scheme == "s3n") return "s3";
  return scheme.empty() ? "file" : scheme;
}

class SchemeFileIO final : public FileIO, public FileRenamer, public LocalPlaces {
 public:
  explicit SchemeFileIO(FileIOByScheme ios) : ios_(std::move(ios)) {}

  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> known_size) override {
    FIRN_ASSIGN(auto* io, Choose(uri));
    return io->Open(uri, known_size);
  }

  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    FIRN_ASSIGN(auto* io, Choose(uri));
    return io->Create(uri, options);
  }

  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override {
    FIRN_ASSIGN(auto* io, Choose(uri));
    return io->List(uri, visit);
  }

  Result<FileInfo> Stat(std::string_view uri) override {
    FIRN_ASSIGN(auto* io, Choose(uri));
    return io->Stat(uri);
  }

  Status Delete(std::string_view uri) override {
    FIRN_ASSIGN(auto* io, Choose(uri));
    return io->Delete(uri);
  }

  Status Rename(std::string_view from, std::string_view to) override {
    FIRN_ASSIGN(auto* renamer, ChooseRenamer(from, to));
    return renamer->Rename(from, to);
  }

  Result<FileInfo> PreviewRename(std::string_view from, std::string_view to) override {
    FIRN_ASSIGN(auto* renamer, ChooseRenamer(from, to));
    return renamer->PreviewRename(from, to);
  }

  Result<FileInfo> StatName(std::string_view uri) override {
    FIRN_ASSIGN(auto* io, Choose(uri));
    FIRN_ASSIGN(auto* renamer, RenamerOf(*io));
    return renamer->StatName(uri);
  }

  std::string FindLocalPlace(std::string_view uri) const override {
    const Result<FileIO*> io = Choose(uri);
    return io.ok() ? firn::FindLocalPlace(**io, uri) : std::string();
  }

  Result<std::vector<std::string>> ListFolders(std::string_view uri) override {
    FIRN_ASSIGN(auto* io, Choose(uri));
    return io->ListFolders(uri);
  }

  Status CreateFolder(std::string_view uri) override {
    FIRN_ASSIGN(auto* io, Choose(uri));
    return io->CreateFolder(uri);
  }

  Status DeleteFolder(std::string_view uri) override {
    FIRN_ASSIGN(auto* io, Choose(uri));
    return io->DeleteFolder(uri);
  }

  // One call per file system, so that each may delete in bulk.
  std::vector<DeleteOutcome> DeleteMany(std::span<const std::string> uris) override {
    std::vector<DeleteOutcome> outcomes(uris.size());
    std::map<FileIO*, std::vector<size_t>> positions;
    for (size_t i = 0; i < uris.size(); ++i) {
      const Result<FileIO*> io = Choose(uris[i]);
      if (io.ok()) {
        positions[*io].push_back(i);
      } else {
        outcomes[i] = {.uri = uris[i], .status = io.error()};
      }
    }
    for (const auto& [io, indices] : positions) {
      std::vector<std::string> group;
      group.reserve(indices.size());
      for (const size_t i : indices)
        group.push_back(uris[i]);
      std::vector<DeleteOutcome> group_outcomes = io->DeleteMany(group);
      FIRN_CHECK(group_outcomes.size() == indices.size());
      for (size_t i = 0; i < indices.size(); ++i) {
        outcomes[indices[i]] = std::move(group_outcomes[i]);
      }
    }
    return outcomes;
  }

 private:
  Result<FileRenamer*> ChooseRenamer(std::string_view from, std::string_view to) const {
    FIRN_ASSIGN(auto* io, Choose(from));
    FIRN_ASSIGN(auto* target, Choose(to));
    if (io != target) return Error(ErrorCode::kUnsupported, "no way to rename");
    return RenamerOf(*io);
  }

  Result<FileIO*> Choose(std::string_view uri) const {
    const std::string scheme = UriScheme(uri);
    const auto found = ios_.find(FoldScheme(scheme));
    if (found != ios_.end()) return found->second.get();
    std::string known;
    for (const auto& [name, io] : ios_)
      known += (known.empty() ? "" : ", ") + name;
    return MakeError(ErrorCode::kInvalidInput, "'{}': scheme is '{}', expected one of {}", uri,
                     scheme, known);
  }

  const FileIOByScheme ios_;
};

class OwnSchemeRegistry final : public SchemeRegistry {
 public:
  void Register(std::string scheme, std::shared_ptr<FileIO> io) override {
    ios_[FoldScheme(std::move(scheme))] = std::move(io);
  }

  std::shared_ptr<FileIO> Make() const override { return std::make_shared<SchemeFileIO>(ios_); }

 private:
  FileIOByScheme ios_;
};

}  // namespace

std::unique_ptr<SchemeRegistry> MakeSchemeRegistry() {
  return std::make_unique<OwnSchemeRegistry>();
}

}  // namespace firn
