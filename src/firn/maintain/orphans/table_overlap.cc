#include <algorithm>
#include <set>
#include <utility>

#include "firn/base/log.h"
#include "firn/base/text.h"
#include "firn/io/uri.h"
#include "firn/maintain/orphans/metadata_owner_internal.h"
#include "firn/maintain/orphans/table_overlap_internal.h"

namespace firn {
namespace {

constexpr size_t kTablesMax = 1000;
/// Of metadata files that the table does not name any more, the last ones by name are read.
constexpr size_t kReadMetadataMax = 1000;

bool IsWithin(std::string_view uri, std::string_view folder) {
  if (!uri.starts_with(folder)) return false;
  return uri.size() == folder.size() || folder.ends_with('/') || uri[folder.size()] == '/';
}

std::string FolderOf(std::string_view uri) {
  const size_t slash = uri.rfind('/');
  return CanonicalUriKey(uri.substr(0, slash == std::string_view::npos ? 0 : slash));
}

Status AddTables(Catalog& catalog, const Namespace& levels, std::vector<TableName>& names) {
  const auto tables = catalog.ListTables(levels);
  if (tables.ok()) names.insert(names.end(), tables->begin(), tables->end());
  const auto inner = catalog.ListNamespaces(levels);
  if (!inner.ok()) return {};
  for (const Namespace& one : *inner) {
    if (names.size() > kTablesMax) return {};
    FIRN_RETURN_IF_ERROR(AddTables(catalog, one, names));
  }
  return {};
}

Result<std::vector<TableName>> FindTables(Catalog& catalog, const TableName& own) {
  std::vector<TableName> names;
  FIRN_RETURN_IF_ERROR(AddTables(catalog, {}, names));
  if (names.size() <= kTablesMax) return names;
  Log(LogLevel::kWarning,
      "the catalog has more than {} tables: only those of namespace '{}' are compared with the "
      "location of the table",
      kTablesMax, FormatNamespace(own.levels));
  auto near = catalog.ListTables(own.levels);
  return near.ok() ? *std::move(near) : std::vector<TableName>();
}

Status CheckApart(const Table& other, const std::string& location) {
  const TableMetadata& metadata = *other.metadata;
  for (const std::string& place :
       {metadata.location, metadata.MetadataLocation(), metadata.Property("write.data.path", ""),
        metadata.Property("write.object-storage.path", ""),
        metadata.Property("write.folder-storage.path", "")}) {
    if (place.empty() || !IsWithin(CanonicalUriKey(place), location)) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "table '{}' has files at '{}', which is in the location '{}' whose orphans "
                     "are to be removed: all its files would count as orphans; give a narrower "
                     "location, or move the table",
                     FormatTableName(other.name), place, location);
  }
  return {};
}

}  // namespace

Status CheckNoTableBelow(const MaintainContext& context, const Table& table,
                         const std::string& location) {
  Catalog& catalog = *context.commit.catalog;
  FIRN_ASSIGN(const auto names, FindTables(catalog, table.name));
  const std::string folder = CanonicalUriKey(StripTrailingSlash(location));
  const auto check = [&](size_t index) -> Status {
    if (names[index] == table.name) return {};
    const auto other = catalog.Load(names[index]);
    if (!other.ok()) {
      Log(LogLevel::kWarning, "table '{}' cannot be loaded, so its location is not known: {}",
          FormatTableName(names[index]), other.error().Format());
      return {};
    }
    // The same table under another name.
    const std::string& uuid = other->metadata->table_uuid;
    const bool is_same = !uuid.empty() && EqualsIgnoreCase(uuid, table.metadata->table_uuid) &&
                         other->metadata_location == table.metadata_location;
    return is_same ? Status() : CheckApart(*other, folder);
  };
  return ParallelFor(*context.commit.executor, names.size(), check, context.commit.cancel);
}

void FoundMetadata::Add(const FileInfo& file) {
  if (!file.uri.ends_with(".metadata.json")) return;
  files_.push_back({file.uri, file.size > 0 ? std::optional(file.size) : std::nullopt});
}

Status FoundMetadata::CheckOwner(const MaintainContext& context, const Table& table) const {
  const TableMetadata& metadata = *table.metadata;
  std::set<std::string> own = {CanonicalUriKey(table.metadata_location)};
  std::set<std::string> folders = {FolderOf(table.metadata_location),
                                   CanonicalUriKey(metadata.MetadataLocation())};
  for (const MetadataLogEntry& entry : metadata.metadata_log) {
    own.insert(CanonicalUriKey(entry.metadata_file));
    folders.insert(FolderOf(entry.metadata_file));
  }
  std::vector<const Found*> unknown;
  for (const Found& file : files_) {
    if (!folders.contains(FolderOf(file.uri))) {
      return MakeError(ErrorCode::kInvalidInput,
                       "'{}' looks like the metadata of another table, whose files would count as "
                       "orphans; give a narrower location",
                       file.uri);
    }
    if (!own.contains(CanonicalUriKey(file.uri))) unknown.push_back(&file);
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
