#include "firn/maintain/expiry/purge_table.h"

#include <cctype>
#include <deque>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "firn/format/metadata/adopted_folders.h"
#include "firn/io/real_names.h"
#include "firn/io/uri.h"
#include "firn/maintain/compaction/journal_reader_internal.h"
#include "firn/maintain/delete_files_internal.h"
#include "firn/maintain/expiry/expired_files_internal.h"
#include "firn/maintain/file_lookup.h"

namespace firn {
namespace {

// "v3.metadata.json", "v3.gz.metadata.json": a version by a Hadoop catalog, which drops all of them
// with the table, also those that no log names any more.
bool IsHadoopVersion(std::string_view name) {
  const bool has_digit = name.size() > 1 && std::isdigit(static_cast<unsigned char>(name[1])) != 0;
  return name.starts_with('v') && has_digit &&
         (name.ends_with(".metadata.json") || name.ends_with(".metadata.json.gz"));
}

/// All metadata files, newest first: an old file's log names files that the newest one's does not
/// any more.
class MetadataFiles {
 public:
  explicit MetadataFiles(const Table& table) : table_(table) {}

  Result<std::vector<FileToDelete>> Find() {
    Add(table_.metadata_location);
    FollowLogs();
    FIRN_RETURN_IF_ERROR(AddHadoopVersions());
    Add(JoinUri(table_.metadata->MetadataLocation(), "version-hint.text"), FileKind::kOther);
    return std::move(files_);
  }

 private:
  void Add(const std::string& path, FileKind kind = FileKind::kMetadata) {
    if (seen_.insert(CanonicalUriKey(path)).second) files_.push_back({kind, path, std::nullopt});
  }

  void FollowLogs() {
    std::deque<TableMetadataPtr> open = {table_.metadata};
    while (!open.empty()) {
      const TableMetadataPtr metadata = std::move(open.front());
      open.pop_front();
      for (const MetadataLogEntry& entry : metadata->metadata_log)
        Add(entry.metadata_file);
      if (metadata->metadata_log.empty()) continue;
      // Only the oldest that it names can name older ones.
      const auto older =
          LoadTableMetadata(*table_.io, metadata->metadata_log.front().metadata_file);
      const bool has_more =
          older.ok() && !(*older)->metadata_log.empty() &&
          !seen_.contains(CanonicalUriKey((*older)->metadata_log.front().metadata_file));
      if (has_more) open.push_back(*older);
    }
  }

  Status AddHadoopVersions() {
    if (!IsHadoopVersion(UriFileName(table_.metadata_location))) return {};
    const std::string folder(
        table_.metadata_location.substr(0, table_.metadata_location.rfind('/')));
    return table_.io->List(folder, [&](const FileInfo& file) -> Status {
      if (IsHadoopVersion(UriFileName(file.uri))) Add(file.uri);
      return {};
    });
  }

  const Table& table_;
  std::vector<FileToDelete> files_;
  std::set<std::string> seen_;
};

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
  auto empty = std::make_shared<TableMetadata>(metadata);
  empty->snapshots.clear();
  empty->refs.clear();
  empty->statistics.clear();
  empty->partition_statistics.clear();
  empty->metadata_log.clear();
  nothing.metadata_location.clear();
  nothing.metadata = std::move(empty);
  return ExpiredFiles::Find(context, all, nothing);
}

/// What a purge deletes, apart because a Hadoop catalog drops a table by deleting its metadata.
struct Reached {
  std::unique_ptr<ExpiredFiles> content;
  std::vector<FileToDelete> metadata;  ///< All of them are there.
  int64_t kept_metadata_count = 0;

  PurgeRemains Remains() const {
    PurgeRemains remains{.adopted_files_count = content->adopted_count(),
                         .shared_files_count = content->kept_count() + kept_metadata_count,
                         .sharing_tables = {}};
    if (remains.shared_files_count > 0) remains.sharing_tables = content->sharing_tables();
    return remains;
  }
};

// What rewrites have begun and not committed, which nobody can do without the table, and all that
// stands in the folder of their journals.
Status AddWorkFiles(const MaintainContext& context, const Table& table, Reached& reached) {
  FileIO& io = *table.io;
  const std::string folder = JournalsLocation(*table.metadata);
  const Status listed = io.List(folder, [&](const FileInfo& file) -> Status {
    reached.metadata.push_back({FileKind::kOther, file.uri, file.size});
    return {};
  });
  if (!listed.ok()) return listed.error().code() == ErrorCode::kNotFound ? Status() : listed;
  std::vector<FileToDelete> outputs;
  FIRN_ASSIGN(const auto journals, ListJournals(io, folder));
  for (const auto& [location, journal] : journals) {
    for (const auto& [group, names] : journal.outputs) {
      for (const std::string& name : names) {
        const auto uri = ReadJournalText(io, JoinUri(location, name));
        if (!uri.ok()) continue;
        FIRN_ASSIGN(const bool is_own, reached.content->IsOwn(*uri));
        if (is_own) outputs.push_back({FileKind::kData, *uri, std::nullopt});
      }
    }
  }
  FIRN_RETURN_IF_ERROR(LookUpSizes(context, io, outputs));
  for (const FileToDelete& output : outputs) {
    DataFile file;
    file.file_path = output.path;
    file.file_size_in_bytes = output.bytes.value_or(0);
    FIRN_RETURN_IF_ERROR(reached.content->AddContent(file));
  }
  return {};
}

Result<Reached> FindReached(const MaintainContext& context, const Table& table) {
  Reached reached;
  FIRN_ASSIGN(reached.content, FindFiles(context, table));
  FIRN_RETURN_IF_ERROR(reached.content->LookUpListSizes(context, *table.io));
  FIRN_ASSIGN(auto metadata, MetadataFiles(table).Find());
  std::vector<FileToDelete> kept;
  for (FileToDelete& file : metadata) {
    FIRN_ASSIGN(const bool is_kept, reached.content->IsKept(file.path));
    (is_kept ? kept : reached.metadata).push_back(std::move(file));
  }
  FIRN_RETURN_IF_ERROR(LookUpSizes(context, *table.io, kept));
  reached.kept_metadata_count = std::ssize(kept);
  if (reached.content->sharing_tables().empty()) {
    FIRN_RETURN_IF_ERROR(AddWorkFiles(context, table, reached), "reading journals of rewrites");
  }
  FIRN_RETURN_IF_ERROR(LookUpSizes(context, *table.io, reached.metadata));
  return reached;
}

int64_t Sum(const DeletedFiles& deleted) {
  return std::accumulate(deleted.counts.begin(), deleted.counts.end(), int64_t{0});
}

// A folder and those below it, as far as they hold nothing. What a link leads to is not below it.
void DiscardOwnFolder(FileIO& io, const RealNames& names, const std::string& folder) {
  if (const auto inner = io.ListFolders(folder); inner.ok()) {
    for (const std::string& name : *inner) {
      const std::string below = JoinUri(folder, name);
      const auto found = names.Find(below);
      if (found.ok() && found->target.empty()) DiscardOwnFolder(io, names, below);
    }
  }
  (void)io.DeleteFolder(folder);  // Object stores have none.
}

void DiscardOwnFolders(const Table& table) {
  const RealNames names(*table.io);
  for (const std::string& folder : OwnFolders(*table.metadata))
    DiscardOwnFolder(*table.io, names, std::string(StripTrailingSlash(folder)));
}

}  // namespace

Result<PurgeRemains> VisitReachableFiles(const MaintainContext& context, const Table& table,
                                         const std::function<Status(FileToDelete)>& visit) {
  FIRN_ASSIGN(const Reached reached, FindReached(context, table));
  FIRN_RETURN_IF_ERROR(reached.content->Visit(visit));
  for (const FileToDelete& file : reached.metadata) {
    FIRN_RETURN_IF_ERROR(visit(file));
  }
  return reached.Remains();
}

Result<PurgeTableResult> PurgeTable(const MaintainContext& context, const Table& table) {
  FIRN_RETURN_IF_ERROR(CheckMayDeleteFiles(*table.metadata, "dropping with purge"));
  FIRN_ASSIGN(Reached reached, FindReached(context, table));
  FIRN_RETURN_IF_ERROR(context.commit.catalog->Drop(table.name, DropFiles::kDelete));
  FileDeleter content(context, *table.io, 0);
  FIRN_RETURN_IF_ERROR(
      reached.content->Visit([&](FileToDelete file) { return content.Add(std::move(file)); }));
  FIRN_ASSIGN(const DeletedFiles deleted, content.Finish());
  FileDeleter metadata(context, *table.io, 0);
  for (FileToDelete& file : reached.metadata) {
    FIRN_RETURN_IF_ERROR(metadata.Add(std::move(file)));
  }
  FIRN_ASSIGN(const DeletedFiles dropped, metadata.Finish());
  DiscardOwnFolders(table);
  // What of the metadata is gone already went with the catalog's entry.
  return PurgeTableResult{
      .deleted_files_count = Sum(deleted) - deleted.already_gone + Sum(dropped),
      .failed_files_count = deleted.failed + dropped.failed,
      .remains = reached.Remains(),
      .first_failure = deleted.first_failure ? deleted.first_failure : dropped.first_failure};
}

}  // namespace firn
