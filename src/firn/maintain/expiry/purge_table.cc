#include "firn/maintain/expiry/purge_table.h"

#include <deque>
#include <memory>
#include <set>
#include <utility>

#include "firn/io/uri.h"
#include "firn/maintain/delete_files_internal.h"
#include "firn/maintain/expiry/expired_files_internal.h"

namespace firn {
namespace {

/// All metadata files, newest first: an old file's log names files that the newest one's does not
/// any more.
std::vector<std::string> FindMetadataFiles(const Table& table) {
  std::vector<std::string> files = {table.metadata_location};
  std::set<std::string> seen = {CanonicalUriKey(table.metadata_location)};
  std::deque<TableMetadataPtr> open = {table.metadata};
  while (!open.empty()) {
    const TableMetadataPtr metadata = std::move(open.front());
    open.pop_front();
    for (const MetadataLogEntry& entry : metadata->metadata_log) {
      if (seen.insert(CanonicalUriKey(entry.metadata_file)).second) {
        files.push_back(entry.metadata_file);
      }
    }
    if (metadata->metadata_log.empty()) continue;
    // Only the oldest that it names can name older ones.
    const auto older = LoadTableMetadata(*table.io, metadata->metadata_log.front().metadata_file);
    const bool has_more =
        older.ok() && !(*older)->metadata_log.empty() &&
        !seen.contains(CanonicalUriKey((*older)->metadata_log.front().metadata_file));
    if (has_more) open.push_back(*older);
  }
  return files;
}

Result<std::unique_ptr<ExpiredFiles>> FindFiles(const MaintainContext& context,
                                                const Table& table) {
  const TableMetadata& metadata = *table.metadata;
  const ExpiredPart all{.snapshots = metadata.snapshots,
                        .statistics = metadata.statistics,
                        .partition_statistics = metadata.partition_statistics,
                        .schemas = metadata.schemas,
                        .current_schema_id = metadata.current_schema_id,
                        .partition_specs = metadata.partition_specs};
  Table nothing = table;
  auto empty = std::make_shared<TableMetadata>();
  empty->schemas = metadata.schemas;
  empty->current_schema_id = metadata.current_schema_id;
  empty->partition_specs = metadata.partition_specs;
  nothing.metadata = std::move(empty);
  return ExpiredFiles::Find(context, all, nothing);
}

Status VisitAll(const Table& table, ExpiredFiles& files,
                const std::vector<std::string>& metadata_files,
                const std::function<Status(FileToDelete)>& visit) {
  FIRN_RETURN_IF_ERROR(files.Visit(visit));
  for (const std::string& file : metadata_files) {
    FIRN_RETURN_IF_ERROR(visit({FileKind::kMetadata, file, std::nullopt}));
  }
  return visit({FileKind::kOther, JoinUri(table.metadata->MetadataLocation(), "version-hint.text"),
                std::nullopt});
}

}  // namespace

Status VisitReachableFiles(const MaintainContext& context, const Table& table,
                           const std::function<Status(FileToDelete)>& visit) {
  FIRN_ASSIGN(const auto files, FindFiles(context, table));
  return VisitAll(table, *files, FindMetadataFiles(table), visit);
}

Result<PurgeTableResult> PurgeTable(const MaintainContext& context, const Table& table) {
  FIRN_RETURN_IF_ERROR(CheckMayDeleteFiles(*table.metadata, "dropping with purge"));
  FIRN_ASSIGN(const auto files, FindFiles(context, table));
  const std::vector<std::string> metadata_files = FindMetadataFiles(table);
  FIRN_RETURN_IF_ERROR(context.commit.catalog->Drop(table.name, DropFiles::kDelete));
  FileDeleter deleter(context, *table.io, 0);
  FIRN_RETURN_IF_ERROR(VisitAll(table, *files, metadata_files,
                                [&](FileToDelete file) { return deleter.Add(std::move(file)); }));
  FIRN_ASSIGN(const DeletedFiles deleted, deleter.Finish());
  PurgeTableResult result{.failed_files_count = deleted.failed,
                          .first_failure = deleted.first_failure};
  for (const int64_t count : deleted.counts)
    result.deleted_files_count += count;
  result.deleted_files_count -= deleted.already_gone;
  return result;
}

}  // namespace firn
