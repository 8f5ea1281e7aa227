#include "firn/commit/cherry_pick.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "firn/catalog/ref_change.h"
#include "firn/commit/concurrent_changes_internal.h"
#include "firn/commit/conflict_check_internal.h"
#include "firn/commit/summary_keys_internal.h"

namespace firn {
namespace {

/// Own keys of a summary that say what was done: they go with the changes.
constexpr std::string_view kOwnPrefix = "firn.";

std::optional<std::string> FindText(const Snapshot& snapshot, std::string_view key) {
  const auto found = snapshot.summary.Find(key);
  return found ? std::optional(std::string(*found)) : std::nullopt;
}

// Main has neither the snapshot nor one that repeats it.
Status CheckNotPublished(const TableMetadata& metadata, const Snapshot& picked) {
  if (!metadata.current_snapshot_id) return {};
  const std::string id = std::to_string(picked.snapshot_id);
  const auto wap_id = FindText(picked, kWapId);
  for (const Snapshot* ancestor : AncestorsOf(metadata, *metadata.current_snapshot_id)) {
    if (ancestor->snapshot_id == picked.snapshot_id) {
      return MakeError(ErrorCode::kAlreadyExists, "snapshot {} is in the history of main already",
                       id);
    }
    if (FindText(*ancestor, kSourceSnapshotId) == id) {
      return MakeError(ErrorCode::kAlreadyExists,
                       "snapshot {} was published already, by snapshot {}", id,
                       ancestor->snapshot_id);
    }
    const bool has_id = wap_id && (FindText(*ancestor, kWapId) == wap_id ||
                                   FindText(*ancestor, kPublishedWapId) == wap_id);
    if (has_id) {
      return MakeError(ErrorCode::kAlreadyExists,
                       "WAP id '{}' was published already, by snapshot {}", *wap_id,
                       ancestor->snapshot_id);
    }
  }
  return {};
}

bool CanMove(const TableMetadata& metadata, const Snapshot& picked) {
  return picked.parent_snapshot_id == metadata.current_snapshot_id;
}

// Of two snapshots of one table. Version 1 has no sequence numbers.
bool IsOlder(const Snapshot& a, const Snapshot& b) {
  if (a.sequence_number != b.sequence_number) return a.sequence_number < b.sequence_number;
  return a.timestamp < b.timestamp;
}

// What main took in after the picked snapshot was made is all listed: else the one that published
// it may have expired, and its rows would come in twice.
Status CheckHistory(const TableMetadata& metadata, const Snapshot& picked) {
  if (!metadata.current_snapshot_id || CanMove(metadata, picked)) return {};
  const auto ancestors = AncestorsOf(metadata, *metadata.current_snapshot_id);
  if (ancestors.empty()) return {};
  const Snapshot& last = *ancestors.back();
  if (!last.parent_snapshot_id || IsOlder(last, picked)) return {};
  return MakeError(ErrorCode::kCommitConflict,
                   "the history of main ends at snapshot {}, whose parent {} has expired; whether "
                   "snapshot {} was published before cannot be determined, and publishing it "
                   "again would double its rows; write them again if they are not in the table",
                   last.snapshot_id, *last.parent_snapshot_id, picked.snapshot_id);
}

Result<const Snapshot*> FindPicked(const TableMetadata& metadata, SnapshotId snapshot_id) {
  const Snapshot* picked = metadata.FindSnapshot(snapshot_id);
  if (picked == nullptr) {
    return MakeError(ErrorCode::kNotFound,
                     "snapshot {} is not in the table (it may have expired); list snapshots with "
                     "`firn inspect TABLE snapshots`",
                     snapshot_id);
  }
  FIRN_RETURN_IF_ERROR(CheckNotPublished(metadata, *picked));
  FIRN_RETURN_IF_ERROR(CheckHistory(metadata, *picked));
  return picked;
}

// Files that the picked snapshot itself added or took out.
class PickedFiles {
 public:
  PickedFiles(const CommitContext& context, const Table& table, const Snapshot& picked)
      : context_(context), table_(table), picked_(picked) {}

  Result<std::vector<DataFile>> Collect(ManifestContent content, EntryStatus status) const {
    std::mutex mutex;
    std::vector<DataFile> files;
    const ChangeQuery query{
        .content = content, .status = status, .operations = {picked_.operation}, .options = {}};
    FIRN_RETURN_IF_ERROR(VisitChanges(context_, table_, {&picked_}, query,
                                      [&](const Snapshot&, ManifestEntry& entry) -> Status {
                                        const std::lock_guard lock(mutex);
                                        // Added anew, its rows get ids anew.
                                        entry.file.first_row_id.reset();
                                        files.push_back(std::move(entry.file));
                                        return {};
                                      }));
    std::sort(files.begin(), files.end(),
              [](const DataFile& a, const DataFile& b) { return a.file_path < b.file_path; });
    return files;
  }

  Result<std::vector<DeleteFilePtr>> CollectRemovedDeletes() const {
    FIRN_ASSIGN(std::vector<DataFile> files,
                Collect(ManifestContent::kDeletes, EntryStatus::kDeleted));
    std::vector<DeleteFilePtr> deletes;
    for (DataFile& file : files)
      deletes.push_back(std::make_shared<const DeleteFile>(DeleteFile{std::move(file), 0}));
    return deletes;
  }

 private:
  const CommitContext& context_;
  const Table& table_;
  const Snapshot& picked_;
};

/// A set of partitions, whatever their spec.
class Partitions {
 public:
  void Add(const DataFile& file) {
    if (!Contains(file)) {
      keys_[Hash(file)].push_back({file.partition_spec_id, file.partition});
    }
  }
  bool Contains(const DataFile& file) const {
    const auto found = keys_.find(Hash(file));
    return found != keys_.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](const PartitionKey& key) {
             return key.spec_id == file.partition_spec_id &&
                    key.partition.fields == file.partition.fields;
           });
  }

 private:
  static uint64_t Hash(const DataFile& file) {
    auto hash = static_cast<uint64_t>(file.partition_spec_id);
    for (const Value& value : file.partition.fields)
      hash = hash * 31 + HashValue(value);
    return hash;
  }
  std::unordered_map<uint64_t, std::vector<PartitionKey>> keys_;
};

// Nobody put files into the partitions since the picked snapshot's parent.
Status CheckPartitions(const CommitContext& context, const Table& now,
                       std::optional<SnapshotId> parent, const Partitions& partitions) {
  const TableMetadata& metadata = *now.metadata;
  History history;
  if (parent) {
    FIRN_ASSIGN(history, HistorySince(metadata, metadata.current_snapshot(), *parent));
  } else {
    FIRN_ASSIGN(history, WholeHistory(metadata, metadata.current_snapshot()));
  }
  ChangeQuery query;
  query.operations = {"append", "overwrite", "replace", "delete"};
  query.options.with_metrics = false;
  return VisitChanges(
      context, now, history, query, [&](const Snapshot& other, ManifestEntry& entry) -> Status {
        if (!partitions.Contains(entry.file)) return {};
        return MakeError(ErrorCode::kCommitConflict,
                         "snapshot {} added '{}' to a partition that is to be overwritten; it "
                         "would be lost",
                         other.snapshot_id, entry.file.file_path);
      });
}

// Files that were not written for the snapshot, but added, may have come to main otherwise.
Status CheckNotLive(const CommitContext& context, FileIO& io, const TableMetadata& metadata,
                    const std::vector<DataFile>& files) {
  if (metadata.current_snapshot() == nullptr) return {};
  std::set<std::string_view> paths;
  for (const DataFile& file : files)
    paths.insert(file.file_path);
  FIRN_ASSIGN(const std::vector<ManifestFile> manifests,
              ReadManifests(io, *metadata.current_snapshot()));
  const ManifestReadOptions options{.with_metrics = false, .with_deleted = false};
  const auto look = [&](size_t i) -> Status {
    const ManifestFile& manifest = manifests[i];
    if (manifest.content != ManifestContent::kData || !manifest.has_live_files()) return {};
    const TypePtr type = PartitionType(*metadata.FindSpec(manifest.partition_spec_id),
                                       metadata.SchemasNewestFirst());
    return ReadManifest(io, manifest, *type, options, [&](ManifestEntry& entry) -> Status {
      if (!paths.contains(entry.file.file_path)) return {};
      return MakeError(ErrorCode::kAlreadyExists,
                       "main has the file '{}' of the snapshot already; published, its rows would "
                       "be there twice",
                       entry.file.file_path);
    });
  };
  return ParallelFor(*context.executor, manifests.size(), look, context.cancel);
}

// Nothing, but it fails if the snapshot is gone by then: an expiry that came first deletes its
// files, and no requirement of the catalog protocol tells.
std::vector<TableUpdate> HoldSnapshot(SnapshotId id) {
  const std::string name = fmt::format("firn-publishing-{}", id);
  SnapshotRef tag;
  tag.snapshot_id = id;
  tag.type = RefType::kTag;
  return {SetSnapshotRef{name, tag}, RemoveSnapshotRef{name}};
}

SnapshotOptions OptionsOf(const Snapshot& picked) {
  SnapshotOptions options;
  for (const auto& [key, value] : picked.summary) {
    if (key.starts_with(kOwnPrefix)) options.summary_properties.emplace(key, value);
  }
  options.summary_properties[std::string(kSourceSnapshotId)] = std::to_string(picked.snapshot_id);
  if (const auto wap_id = FindText(picked, kWapId)) {
    options.summary_properties[std::string(kPublishedWapId)] = *wap_id;
  }
  options.table_changes =
      [id = picked.snapshot_id](const TableMetadata& now) -> Result<std::vector<TableUpdate>> {
    FIRN_ASSIGN(const Snapshot* snapshot, FindPicked(now, id));
    const SchemaPtr written = snapshot->schema_id ? now.FindSchema(*snapshot->schema_id) : nullptr;
    if (written != nullptr) {
      FIRN_RETURN_IF_ERROR(
          CheckNotReplaced(now, now.current_snapshot(), *written, snapshot->parent_snapshot_id));
    }
    return HoldSnapshot(id);
  };
  return options;
}

Result<CommitResult> RepeatAppend(const CommitContext& context, const Table& table,
                                  const Snapshot& picked) {
  AppendFilesRequest append;
  append.SnapshotOptions::operator=(OptionsOf(picked));
  FIRN_ASSIGN(
      append.data_files,
      PickedFiles(context, table, picked).Collect(ManifestContent::kData, EntryStatus::kAdded));
  append.table_changes =
      [check = append.table_changes, &context, &table,
       files = append.data_files](const TableMetadata& now) -> Result<std::vector<TableUpdate>> {
    FIRN_ASSIGN(std::vector<TableUpdate> updates, check(now));
    FIRN_RETURN_IF_ERROR(CheckNotLive(context, *table.io, now, files));
    return updates;
  };
  // The files were written for the schema of the snapshot.
  Table planned = table;
  if (picked.schema_id && table.metadata->FindSchema(*picked.schema_id)) {
    TableMetadata metadata = *table.metadata;
    metadata.current_schema_id = *picked.schema_id;
    planned.metadata = std::make_shared<const TableMetadata>(std::move(metadata));
  }
  return CommitAppendFiles(context, planned, append);
}

Result<CommitResult> RepeatOverwrite(const CommitContext& context, const Table& table,
                                     const Snapshot& picked) {
  const PickedFiles files(context, table, picked);
  ChangeFilesRequest change;
  change.SnapshotOptions::operator=(OptionsOf(picked));
  change.summary_properties[std::string(kReplacePartitions)] = "true";
  FIRN_ASSIGN(change.added_data_files, files.Collect(ManifestContent::kData, EntryStatus::kAdded));
  FIRN_ASSIGN(change.removed_data_files,
              files.Collect(ManifestContent::kData, EntryStatus::kDeleted));
  FIRN_ASSIGN(change.removed_delete_files, files.CollectRemovedDeletes());
  Partitions partitions;
  for (const auto* list : {&change.added_data_files, &change.removed_data_files}) {
    for (const DataFile& file : *list)
      partitions.Add(file);
  }
  change.table_changes =
      [check = change.table_changes, &context, io = table.io, parent = picked.parent_snapshot_id,
       partitions](const TableMetadata& now) -> Result<std::vector<TableUpdate>> {
    FIRN_ASSIGN(std::vector<TableUpdate> updates, check(now));
    const Table base{.name = {},
                     .metadata_location = {},
                     .metadata = std::make_shared<const TableMetadata>(now),
                     .io = io};
    FIRN_RETURN_IF_ERROR(CheckPartitions(context, base, parent, partitions));
    return updates;
  };
  return CommitChangeFiles(context, table, change);
}

}  // namespace

Result<SnapshotId> FindStagedSnapshot(const TableMetadata& metadata, const std::string& wap_id) {
  std::optional<SnapshotId> found;
  for (const Snapshot& snapshot : metadata.snapshots) {
    if (FindText(snapshot, kWapId) != wap_id) continue;
    if (found) {
      return MakeError(ErrorCode::kInvalidInput,
                       "WAP id '{}' names snapshots {} and {}; publish the right one with "
                       "cherrypick-snapshot",
                       wap_id, *found, snapshot.snapshot_id);
    }
    found = snapshot.snapshot_id;
  }
  if (found) return *found;
  return MakeError(ErrorCode::kNotFound, "no snapshot of the table has the WAP id '{}'", wap_id);
}

Result<CommitResult> CherryPickSnapshot(const CommitContext& context, const Table& table,
                                        SnapshotId snapshot_id) {
  const auto move = [&](const TableMetadata& now) -> Result<std::vector<TableUpdate>> {
    FIRN_ASSIGN(const Snapshot* picked, FindPicked(now, snapshot_id));
    if (CanMove(now, *picked)) return PlanSetCurrent(now, snapshot_id);
    return std::vector<TableUpdate>();
  };
  FIRN_ASSIGN(
      const Table now,
      ChangeTable({context.catalog, context.clock, context.random, context.cancel}, table, move));
  const TableMetadata& metadata = *now.metadata;
  if (metadata.current_snapshot_id == snapshot_id) {
    CommitResult result;
    result.snapshot_id = snapshot_id;
    result.table = now;
    return result;
  }
  FIRN_ASSIGN(const Snapshot* picked, FindPicked(metadata, snapshot_id));
  if (picked->operation == "append") return RepeatAppend(context, now, *picked);
  if (picked->operation == "overwrite" && FindText(*picked, kReplacePartitions) == "true") {
    return RepeatOverwrite(context, now, *picked);
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "snapshot {} ({}) cannot be published: main has moved on from the state that it "
                   "was made for, and only appends and overwrites of whole partitions can be "
                   "repeated on another one; do the change again",
                   snapshot_id, picked->operation);
}

}  // namespace firn
