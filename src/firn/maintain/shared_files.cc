#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "firn/base/log.h"
#include "firn/base/text.h"
#include "firn/catalog/other_tables.h"
#include "firn/format/metadata/adopted_folders.h"
#include "firn/maintain/folder_set_internal.h"
#include "firn/maintain/reachable_files_internal.h"
#include "firn/maintain/shared_files_internal.h"

namespace firn {
namespace {

/// Looks at tables one after the other, or several at a time.
class TableFinder {
 public:
  TableFinder(const MaintainContext& context, const Table& table, const RealNames& names,
              const std::vector<std::string>& folders, ContentFolders* content)
      : context_(context), table_(table), names_(names), folders_(folders), content_(content) {}

  Status Start() {
    for (const std::string& folder : folders_) {
      FIRN_ASSIGN(std::string key, names_.Folder(folder));
      keys_.push_back(std::move(key));
    }
    return {};
  }

  Status Look(const Table& other) {
    FIRN_ASSIGN(bool is_here, IsNamedHere(other));
    if (!is_here && content_ != nullptr) {
      FIRN_ASSIGN(is_here, HasContentHere(other));
    }
    if (!is_here) return {};
    const std::lock_guard lock(mutex_);
    found_.push_back(other);
    return {};
  }

  std::vector<Table> Take() { return std::move(found_); }

 private:
  // Going by its metadata file alone.
  Result<bool> IsNamedHere(const Table& other) const {
    const std::string& uuid = other.metadata->table_uuid;
    if (!uuid.empty() && EqualsIgnoreCase(uuid, table_.metadata->table_uuid)) return true;
    std::vector<std::string> places = OwnFolders(*other.metadata);
    FIRN_ASSIGN(const auto adopted, ParseAdoptedFolders(other.metadata->properties), "table '{}'",
                FormatTableName(other.name));
    places.insert(places.end(), adopted.begin(), adopted.end());
    std::set<std::string> named;
    for (const std::string& path : FilesNamedByMetadata(other))
      named.insert(FolderOf(path));
    named.erase("");
    places.insert(places.end(), named.begin(), named.end());
    FIRN_ASSIGN(const auto overlap, FindOverlap(names_, folders_, places));
    if (!overlap) return false;
    Log(LogLevel::kInfo, "table '{}' has files at '{}', which overlaps with '{}': it is asked, too",
        FormatTableName(other.name), overlap->other, overlap->mine);
    return true;
  }

  Result<bool> HasContentHere(const Table& other) const {
    Table table = other;
    ContentFolders::Found found = content_->Find(context_, table);
    // What it was when it was loaded may be over by now.
    constexpr int kReloadsMax = 3;
    for (int reload = 0; found.failure && reload < kReloadsMax; ++reload) {
      auto again = context_.commit.catalog->Load(table.name);
      if (!again.ok() || again->metadata_location == table.metadata_location) break;
      table = *std::move(again);
      found = content_->Find(context_, table);
    }
    for (const std::string& key : found.keys) {
      if (!IsHere(key)) continue;
      Log(LogLevel::kInfo, "table '{}' has files in '{}', too: it is asked",
          FormatTableName(other.name), key);
      return true;
    }
    if (!found.failure) return false;
    if (IsSilent(*found.failure)) return *found.failure;
    Log(LogLevel::kWarning, "whether table '{}' has files here cannot be read: {}",
        FormatTableName(other.name), found.failure->Format());
    return false;
  }

  bool IsHere(std::string_view key) const {
    return IsWithinAnyKey(key, keys_) ||
           std::any_of(keys_.begin(), keys_.end(),
                       [&](const std::string& mine) { return IsWithinKey(mine, key); });
  }

  const MaintainContext& context_;
  const Table& table_;
  const RealNames& names_;
  const std::vector<std::string>& folders_;
  ContentFolders* const content_;
  std::vector<std::string> keys_;
  std::mutex mutex_;
  std::vector<Table> found_;
};

}  // namespace

Result<std::vector<Table>> FindTablesAt(const MaintainContext& context, const Table& table,
                                        const RealNames& names,
                                        const std::vector<std::string>& folders,
                                        ContentFolders* content) {
  TableFinder finder(context, table, names, folders, content);
  FIRN_RETURN_IF_ERROR(finder.Start());
  const CommitContext& commit = context.commit;
  FIRN_RETURN_IF_ERROR(VisitOtherTables(*commit.catalog, table.name, *commit.executor,
                                        commit.cancel,
                                        [&](const Table& other) { return finder.Look(other); }));
  return finder.Take();
}

Status VisitReachable(const MaintainContext& context, const Table& table,
                      const ReachableVisitor& visit) {
  const TableMetadata& metadata = *table.metadata;
  std::vector<std::string> paths = FilesNamedByMetadata(table);
  std::vector<const Snapshot*> snapshots;
  for (const Snapshot& snapshot : metadata.snapshots)
    snapshots.push_back(&snapshot);
  const ReachableReader reader{context, *table.io};
  FIRN_ASSIGN(const auto manifests, reader.ReadManifestsOf(snapshots, Unreadable::kFail));
  for (const ManifestFile& manifest : manifests)
    paths.push_back(manifest.manifest_path);
  for (const std::string& path : paths) {
    if (!path.empty()) FIRN_RETURN_IF_ERROR(visit.metadata(path));
  }
  return reader.VisitContent(PartitionTypes(metadata), manifests, Unreadable::kFail,
                             [&](const DataFile& file) { return visit.content(file.file_path); });
}

}  // namespace firn
