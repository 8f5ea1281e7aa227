#include <algorithm>

#include "firn/base/number.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/puffin/delete_reference.h"

#include "model.h"

/// What the judge knows of files: those that a snapshot needs, and those that nobody does.

namespace firn::simulation {
namespace {

bool HasPart(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

void Judge::CheckFiles(const Table& after, const Snapshot& snapshot) {
  FileIO& io = *world_.true_io();
  const auto need = [&](const std::string& uri) {
    if (files_[snapshot.snapshot_id].insert(uri).second) ++users_[uri];
    const auto exists = FileExists(io, uri);
    if (exists.ok() && *exists) return;
    world_.Violate(fmt::format("'{}' of snapshot {} is not there", uri, snapshot.snapshot_id));
  };
  need(snapshot.manifest_list);
  const auto manifests = ReadManifests(io, snapshot);
  if (!manifests.ok()) return;
  std::set<std::string> live;
  std::set<std::string> with_vector;
  std::map<std::string, int64_t> totals;
  for (const ManifestFile& manifest : *manifests) {
    need(manifest.manifest_path);
    specs_[snapshot.snapshot_id].insert(manifest.partition_spec_id);
    const PartitionSpecPtr spec = after.metadata->FindSpec(manifest.partition_spec_id);
    if (spec == nullptr) {
      world_.Violate(fmt::format("'{}' has partition spec {}, which the table has not",
                                 manifest.manifest_path, manifest.partition_spec_id));
      continue;
    }
    const TypePtr type = PartitionType(*spec, after.metadata->SchemasNewestFirst());
    const Status read = ReadManifest(
        io, manifest, *type, {.with_metrics = false, .with_deleted = false},
        [&](ManifestEntry& entry) -> Status {
          need(entry.file.file_path);
          if (!live.insert(FileKey(entry.file)).second) {
            world_.Violate(fmt::format("snapshot {} names '{}' twice", snapshot.snapshot_id,
                                       entry.file.file_path));
          }
          const FileContent content = entry.file.content;
          const bool is_data = content == FileContent::kData;
          const bool is_by_key = content == FileContent::kEqualityDeletes;
          const bool is_new =
              entry.status == EntryStatus::kAdded && entry.snapshot_id == snapshot.snapshot_id;
          if (is_new && content == FileContent::kPositionDeletes &&
              after.metadata->format_version >= 3 && !entry.file.is_deletion_vector()) {
            world_.Violate(fmt::format("'{}' is no deletion vector, but new in version 3",
                                       entry.file.file_path));
          }
          if (entry.file.is_deletion_vector() &&
              !with_vector.emplace(ReferencedDataFile(entry.file)).second) {
            world_.Violate(fmt::format("'{}' has two deletion vectors in snapshot {}",
                                       ReferencedDataFile(entry.file), snapshot.snapshot_id));
          }
          ++totals[is_data ? "total-data-files" : "total-delete-files"];
          totals[is_data     ? "total-records"
                 : is_by_key ? "total-equality-deletes"
                             : "total-position-deletes"] += entry.file.record_count;
          return {};
        });
    if (!read.ok()) world_.Violate(read.error().Format());
  }
  CheckTotals(snapshot, totals);
  const auto records = totals.find("total-records");
  record_counts_[snapshot.snapshot_id] = records == totals.end() ? 0 : records->second;
}

void Judge::CheckTotals(const Snapshot& snapshot, const std::map<std::string, int64_t>& totals) {
  for (const auto& [key, total] : totals) {
    const auto said = ParseInt64(snapshot.summary.Find(key).value_or(""));
    if (said == total) continue;
    world_.Violate(fmt::format("the summary of snapshot {} says {} = {}, but there are {}",
                               snapshot.snapshot_id, key,
                               snapshot.summary.Find(key).value_or("nothing"), total));
  }
}

void Judge::CheckLineage(const Table& after, const Snapshot& snapshot, const Operation& operation,
                         const std::vector<Row>& rows) {
  if (after.metadata->format_version < 3) return;
  const auto parent =
      snapshot.parent_snapshot_id ? lineage_.find(*snapshot.parent_snapshot_id) : lineage_.end();
  std::map<int64_t, RowLineage>& lineage = lineage_[snapshot.snapshot_id];
  std::set<int64_t> row_ids;
  for (const Row& row : rows) {
    if (!row.row_id || *row.row_id >= after.metadata->next_row_id ||
        !row_ids.insert(*row.row_id).second) {
      std::string all;
      for (const Row& other : rows)
        all += fmt::format(" {}:{}", other.id, other.row_id.value_or(-1));
      world_.Violate(fmt::format("row {} has row id {} in snapshot {} of {}, before {}; all:{}",
                                 row.id, row.row_id.value_or(-1), snapshot.snapshot_id,
                                 Describe(operation), after.metadata->next_row_id, all));
    }
    lineage.emplace(row.id, RowLineage{row.row_id, row.updated});
    if (parent == lineage_.end()) continue;
    const auto known = parent->second.find(row.id);
    const bool is_new = known == parent->second.end();
    const bool is_current = row.updated == snapshot.sequence_number;
    const bool is_kept =
        !is_new && known->second.row_id == row.row_id &&
        (known->second.updated == row.updated || (operation.updates_rows && is_current));
    if (is_new ? is_current : is_kept) continue;
    world_.Violate(
        fmt::format("row {} has row id {}, updated by {}, in snapshot {} of {}, but had {} and {}",
                    row.id, row.row_id.value_or(-1), row.updated.value_or(-1), snapshot.snapshot_id,
                    Describe(operation), is_new ? -1 : known->second.row_id.value_or(-1),
                    is_new ? -1 : known->second.updated.value_or(-1)));
  }
}

namespace {

template <typename File>
void AddPaths(const std::vector<File>& files, std::map<std::string, SnapshotId>& paths) {
  for (const File& file : files)
    paths.emplace(file.path, file.snapshot_id);
}

std::map<std::string, SnapshotId> StatisticsOf(const TableMetadata& metadata) {
  std::map<std::string, SnapshotId> paths;
  AddPaths(metadata.statistics, paths);
  AddPaths(metadata.partition_statistics, paths);
  return paths;
}

}  // namespace

void Judge::CheckStatistics(const TableMetadata& before, const TableMetadata& after) {
  const auto old = StatisticsOf(before);
  const auto now = StatisticsOf(after);
  statistics_.clear();
  for (const auto& [path, id] : now) {
    statistics_.insert(path);
    registered_.insert(path);
    const auto exists = FileExists(*world_.true_io(), path);
    if (!exists.ok() || !*exists) world_.Violate(fmt::format("statistics '{}' are missing", path));
    if (after.FindSnapshot(id) == nullptr) {
      world_.Violate(fmt::format("statistics '{}' are of snapshot {}, which is gone", path, id));
    }
  }
  for (const auto& [path, id] : old) {
    if (now.contains(path) || after.FindSnapshot(id) == nullptr) continue;
    // Others of the same kind have taken their place.
    const bool is_replaced =
        std::any_of(now.begin(), now.end(), [&, snapshot = id](const auto& at) {
          return at.second == snapshot && !old.contains(at.first);
        });
    if (!is_replaced) world_.Violate(fmt::format("statistics '{}' are lost", path));
    replaced_statistics_.insert(path);
  }
}

std::optional<int64_t> Judge::FindRecordCount(SnapshotId snapshot_id) const {
  const auto found = record_counts_.find(snapshot_id);
  return found == record_counts_.end() ? std::nullopt : std::optional(found->second);
}

void Judge::CheckPurged() {
  std::set<std::string> needed(locations_.end() - 1, locations_.end());
  for (const auto& [uri, count] : users_) {
    if (count > 0) needed.insert(uri);
  }
  needed.insert(statistics_.begin(), statistics_.end());
  for (const std::string& uri : needed) {
    const auto exists = FileExists(*world_.true_io(), uri);
    if (exists.ok() && !*exists) continue;
    world_.Violate(fmt::format("'{}' of the table is there after it was dropped with all", uri));
  }
}

void Judge::BuryOwner(const Operation& operation) {
  FileIO& io = *world_.true_io();
  for (const auto& [uri, maker] : makers_) {
    if (maker != operation.number || !uri.ends_with("/owner.json")) continue;
    const auto text = ReadFile(io, uri);
    if (!text.ok()) continue;
    const Status written = WriteFile(io, uri, AsBytes(AsDeadOwner(std::string(text->view()))));
    if (!written.ok()) world_.Violate(written.error().Format());
  }
}

bool Judge::is_excused(const std::string& uri, bool has_expiry_faults) const {
  if (is_reachable(uri)) return true;
  // What was expired is deleted unless something went wrong then, which may have been late.
  if (users_.contains(uri) && has_expiry_faults) return true;
  if (registered_.contains(uri) && has_expiry_faults) return true;
  if (HasPart(uri, "version-hint.text") || HasPart(uri, ".folder")) return true;
  if (HasPart(uri, "_firn_quarantine") || replaced_statistics_.contains(uri)) return true;
  // An expiry that was about to delete it found it away in quarantine; then it came back.
  if (restored_.contains(uri)) return true;
  const auto maker = makers_.find(uri);
  if (maker == makers_.end()) return true;  // Put off: its maker was told nothing certain.
  const Operation& operation = operations_.at(maker->second);
  // A journal keeps what was finished, and two runs that claim the same may both leave it, as does
  // one that could not see whether another has taken it over.
  const bool is_kept =
      operation.has_journal && (operation.end == OperationEnd::kFailed ||
                                operation.faults.any > 0 || world_.options().takes_owners_for_dead);
  const bool was_refused = operation.end == OperationEnd::kFailed && operation.faults.twice > 0;
  return operation.has_died || operation.was_open || operation.faults.failed_deletes > 0 ||
         operation.faults.unclear > 0 || is_kept || was_refused ||
         (operation.has_succeeded && operation.faults.any > 0 && HasPart(uri, "/metadata/"));
}

// Files stay behind only where a process died, an outcome is open, the call that should have
// deleted them failed, or the reading that tells which of its files a commit used in the end.
void Judge::CheckOrphans() {
  const std::set<std::string> was_current(locations_.begin(), locations_.end());
  const bool may_stay =
      is_shared_ || std::any_of(operations_.begin(), operations_.end(), [](const auto& numbered) {
        const Operation& operation = numbered.second;
        return (operation.what == kExpiryName || operation.what == kMaintainName) &&
               (operation.faults.any > 0 || operation.end != OperationEnd::kSucceeded);
      });
  const Status listed =
      world_.true_io()->List("memory:/warehouse", [&](const FileInfo& file) -> Status {
        if (!IsOfTable(file.uri) || was_current.contains(file.uri)) return {};
        if (is_excused(file.uri, may_stay)) return {};
        const Operation& operation = operations_.at(makers_.at(file.uri));
        world_.Violate(fmt::format("'{}' of {} was left behind", file.uri, Describe(operation)));
        return {};
      });
  if (!listed.ok()) world_.Violate(listed.error().Format());
}

}  // namespace firn::simulation
