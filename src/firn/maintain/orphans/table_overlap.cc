#include <algorithm>
#include <set>
#include <utility>

#include "firn/base/text.h"
#include "firn/catalog/other_tables.h"
#include "firn/format/metadata/adopted_folders.h"
#include "firn/io/uri.h"
#include "firn/maintain/orphans/metadata_owner_internal.h"
#include "firn/maintain/orphans/table_overlap_internal.h"

namespace firn {
namespace {

/// Of metadata files that the table does not name any more, the last ones by name are read.
constexpr size_t kReadMetadataMax = 1000;

Result<std::string> FolderOf(const RealNames& names, std::string_view uri) {
  const size_t slash = uri.rfind('/');
  return names.Folder(uri.substr(0, slash == std::string_view::npos ? 0 : slash));
}

Status CheckApart(const RealNames& names, const Table& other, const std::string& location) {
  for (const std::string& place : OwnFolders(*other.metadata)) {
    FIRN_ASSIGN(const bool is_below, names.IsWithin(place, location));
    if (!is_below) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "table '{}' has files at '{}', which is in the location '{}' whose orphans "
                     "are to be removed: all its files would count as orphans; give a narrower "
                     "location, or move the table",
                     FormatTableName(other.name), place, location);
  }
  return {};
}

Result<bool> IsOwnFolder(const RealNames& names, const TableMetadata& metadata,
                         const std::string& folder) {
  for (const std::string& own : OwnFolders(metadata)) {
    FIRN_ASSIGN(const bool is_own, names.IsWithin(folder, own));
    if (is_own) return true;
  }
  return false;
}

// What the table took over from folders of others is theirs, whether it still needs it or not.
Status CheckNotAdopted(const RealNames& names, const TableMetadata& metadata,
                       const std::string& location) {
  FIRN_ASSIGN(const bool is_own, IsOwnFolder(names, metadata, location));
  if (is_own) return {};
  FIRN_ASSIGN(const auto adopted, ParseAdoptedFolders(metadata.properties));
  for (const std::string& folder : adopted) {
    FIRN_ASSIGN(const bool is_own_folder, IsOwnFolder(names, metadata, folder));
    FIRN_ASSIGN(const bool is_below, names.IsWithin(folder, location));
    FIRN_ASSIGN(const bool is_above, names.IsWithin(location, folder));
    if (is_own_folder || !(is_below || is_above)) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "the table took over files from '{}', which belong to others, and '{}' is in "
                     "or around it: they would count as orphans; give another location, or, if "
                     "nobody else needs them, take the folder out of the table property '{}'",
                     folder, location, kAdoptedFolders);
  }
  return {};
}

}  // namespace

Status CheckNoTableBelow(const MaintainContext& context, const Table& table,
                         const std::string& location) {
  const RealNames names(*table.io);
  const std::string folder(StripTrailingSlash(location));
  FIRN_RETURN_IF_ERROR(CheckNotAdopted(names, *table.metadata, folder));
  const auto check = [&](const Table& other) -> Status {
    // The same table under another name.
    const std::string& uuid = other.metadata->table_uuid;
    const bool is_same = !uuid.empty() && EqualsIgnoreCase(uuid, table.metadata->table_uuid) &&
                         other.metadata_location == table.metadata_location;
    return is_same ? Status() : CheckApart(names, other, folder);
  };
  const CommitContext& commit = context.commit;
  return VisitOtherTables(*commit.catalog, table.name, *commit.executor, commit.cancel, check);
}

void FoundMetadata::Add(const FileInfo& file) {
  if (!file.uri.ends_with(".metadata.json")) return;
  files_.push_back({file.uri, file.size > 0 ? std::optional(file.size) : std::nullopt});
}

Status FoundMetadata::CheckOwner(const MaintainContext& context, const Table& table) const {
  const TableMetadata& metadata = *table.metadata;
  const RealNames names(*table.io);
  std::set<std::string> own;
  std::set<std::string> folders;
  FIRN_ASSIGN(std::string folder, names.Folder(metadata.MetadataLocation()));
  folders.insert(std::move(folder));
  const auto add = [&](const std::string& uri) -> Status {
    FIRN_ASSIGN(std::string entry, names.Entry(uri));
    FIRN_ASSIGN(std::string above, FolderOf(names, uri));
    own.insert(std::move(entry));
    folders.insert(std::move(above));
    return {};
  };
  FIRN_RETURN_IF_ERROR(add(table.metadata_location));
  for (const MetadataLogEntry& entry : metadata.metadata_log) {
    FIRN_RETURN_IF_ERROR(add(entry.metadata_file));
  }
  std::vector<const Found*> unknown;
  for (const Found& file : files_) {
    FIRN_ASSIGN(const std::string above, FolderOf(names, file.uri));
    if (!folders.contains(above)) {
      return MakeError(ErrorCode::kInvalidInput,
                       "'{}' looks like the metadata of another table, whose files would count as "
                       "orphans; give a narrower location",
                       file.uri);
    }
    FIRN_ASSIGN(const std::string entry, names.Entry(file.uri));
    if (!own.contains(entry)) unknown.push_back(&file);
  }
  std::sort(unknown.begin(), unknown.end(),
            [](const Found* a, const Found* b) { return a->uri > b->uri; });
  if (unknown.size() > kReadMetadataMax) unknown.resize(kReadMetadataMax);
  const auto check = [&](size_t index) -> Status {
    const Found& file = *unknown[index];
    const auto uuid = ReadTableUuid(*table.io, file.uri, file.size);
    // A broken file in the table's own folder is what a crash leaves behind.
    if (!uuid || uuid->empty() || EqualsIgnoreCase(*uuid, metadata.table_uuid)) return {};
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' is the metadata of another table, {}: two tables share this folder, and "
                     "the files of each would count as orphans of the other",
                     file.uri, *uuid);
  };
  return ParallelFor(*context.commit.executor, unknown.size(), check, context.commit.cancel);
}

}  // namespace firn
