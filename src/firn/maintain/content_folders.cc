#include "firn/maintain/content_folders.h"

#include <utility>

#include "firn/format/metadata/adopted_folders.h"
#include "firn/io/real_names.h"
#include "firn/io/uri.h"
#include "firn/maintain/folder_set_internal.h"
#include "firn/maintain/reachable_files_internal.h"
#include "firn/scan/path_key.h"

namespace firn {

/// What is known of one table.
class ContentFolders::OfTable {
 public:
  explicit OfTable(std::vector<std::string> own_keys) : own_keys_(std::move(own_keys)), seen_(0) {}

  const std::vector<std::string>& own_keys() const { return own_keys_; }
  std::vector<std::string> keys() const { return folders_.folders(); }

  Status Read(const MaintainContext& context, const Table& table) {
    const std::lock_guard lock(mutex_);
    const RealNames names(*table.io);
    const auto note = [&](std::string_view path) { return Note(names, path); };
    for (const std::string& path : FilesNamedByMetadata(table)) {
      FIRN_RETURN_IF_ERROR(note(path));
    }
    std::vector<const Snapshot*> snapshots;
    for (const Snapshot& snapshot : table.metadata->snapshots) {
      if (!IsKnown(snapshot.manifest_list)) snapshots.push_back(&snapshot);
    }
    const ReachableReader reader{context, *table.io};
    FIRN_ASSIGN(std::vector<ManifestFile> manifests,
                reader.ReadManifestsOf(snapshots, Unreadable::kFail));
    std::erase_if(manifests, [&](const ManifestFile& file) { return IsKnown(file.manifest_path); });
    for (const ManifestFile& manifest : manifests) {
      FIRN_RETURN_IF_ERROR(note(manifest.manifest_path));
    }
    FIRN_RETURN_IF_ERROR(
        reader.VisitContent(PartitionTypes(*table.metadata), manifests, Unreadable::kFail,
                            [&](const DataFile& file) { return note(file.file_path); }));
    for (const ManifestFile& manifest : manifests)
      seen_.Insert(MakePathKey(manifest.manifest_path));
    for (const Snapshot* snapshot : snapshots)
      seen_.Insert(MakePathKey(snapshot->manifest_list));
    return {};
  }

 private:
  bool IsKnown(const std::string& path) const {
    return !path.empty() && seen_.Contains(MakePathKey(path));
  }

  // By all names that it may be known by.
  Status Note(const RealNames& names, std::string_view path) {
    if (path.empty()) return {};
    FIRN_ASSIGN(const RealNames::Names found, names.Find(path));
    for (const std::string& key : {found.entry, found.target}) {
      if (!key.empty() && !IsWithinAnyKey(key, own_keys_)) folders_.Add(FolderOf(key));
    }
    return {};
  }

  const std::vector<std::string> own_keys_;
  FolderSet folders_;
  std::mutex mutex_;  ///< Guards what follows.
  PathSet seen_;      ///< Lists and manifests of which all is known.
};

ContentFolders::ContentFolders() = default;
ContentFolders::~ContentFolders() = default;

std::shared_ptr<ContentFolders::OfTable> ContentFolders::Take(
    const Table& table, const std::vector<std::string>& own_keys) {
  const std::lock_guard lock(mutex_);
  auto& known = tables_[FormatTableName(table.name) + "\n" + table.metadata->table_uuid];
  // What lay in its own folders does not any more.
  if (known == nullptr || known->own_keys() != own_keys)
    known = std::make_shared<OfTable>(own_keys);
  return known;
}

ContentFolders::Found ContentFolders::Find(const MaintainContext& context, const Table& table) {
  const RealNames names(*table.io);
  std::vector<std::string> own_keys;
  for (const std::string& folder : OwnFolders(*table.metadata)) {
    auto key = names.Folder(folder);
    if (!key.ok()) return {.keys = {}, .failure = key.error()};
    own_keys.push_back(*std::move(key));
  }
  const auto known = Take(table, own_keys);
  const Status read = known->Read(context, table);
  Found found{.keys = known->keys(), .failure = {}};
  if (!read.ok()) found.failure = read.error();
  return found;
}

}  // namespace firn
