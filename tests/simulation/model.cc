#include "model.h"

#include <algorithm>

#include "firn/base/number.h"
#include "firn/format/delete_reference.h"
#include "firn/format/manifest.h"
#include "firn/io/uri.h"

namespace firn::simulation {
namespace {

std::string_view EndName(OperationEnd end) {
  switch (end) {
    case OperationEnd::kRunning:
      return "running";
    case OperationEnd::kSucceeded:
      return "succeeded";
    case OperationEnd::kFailed:
      return "failed";
    case OperationEnd::kUnknown:
      return "unknown";
    case OperationEnd::kDied:
      return "died";
  }
  return "";
}

/// "vN.metadata.json" has version N.
std::optional<int64_t> HadoopVersion(std::string_view uri) {
  std::string_view name = UriFileName(uri);
  const size_t dot = name.find('.');
  if (!name.starts_with('v') || !name.ends_with(".metadata.json") || dot == name.npos) return {};
  return ParseInt64(name.substr(1, dot - 1));
}

bool HasPart(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

Rows With(Rows rows, const std::vector<Row>& added) {
  for (const Row& row : added)
    rows.emplace(row.id, row.cat);
  return rows;
}

Judge::Judge(World& world, TableName name, ReadRows read_rows)
    : world_(world), name_(std::move(name)), read_rows_(std::move(read_rows)) {}

void Judge::Begin(const Table& table) {
  current_ = table;
  current_->io = world_.true_io();
  locations_.push_back(table.metadata_location);
}

bool Judge::is_reachable(const std::string& uri) const {
  const auto users = users_.find(uri);
  return uri == current_->metadata_location || (users != users_.end() && users->second > 0);
}

std::vector<SnapshotId> Judge::SettledSnapshots() const {
  std::vector<SnapshotId> settled;
  for (const auto& [number, operation] : operations_) {
    const bool is_settled = operation.end != OperationEnd::kRunning && operation.snapshot_id &&
                            !is_expired(*operation.snapshot_id);
    if (is_settled) settled.push_back(*operation.snapshot_id);
  }
  return settled;
}

Operation& Judge::NewOperation(std::string what) {
  const auto number = static_cast<int64_t>(operations_.size()) + 1;
  Operation& operation = operations_[number];
  operation.number = number;
  operation.what = std::move(what);
  operation.expired_before = expired_.size();
  operation.began = world_.now();
  return operation;
}

std::optional<Timestamp> Judge::QuietSince(const Operation& own) const {
  if (world_.has_late()) return std::nullopt;
  Timestamp quiet = world_.now();
  for (const auto& [number, operation] : operations_) {
    const bool is_running = operation.end == OperationEnd::kRunning && number != own.number;
    if (is_running) quiet = std::min(quiet, operation.began);
  }
  return quiet;
}

std::string Judge::Describe(const Operation& operation) const {
  return fmt::format("operation {} ({}, {})", operation.number, operation.what,
                     EndName(operation.end));
}

void Judge::End(Operation& operation, const Process& process, const Status& status,
                std::optional<SnapshotId> snapshot_id) {
  operation.faults.any += process.faults.any;
  operation.faults.unclear += process.faults.unclear;
  operation.faults.failed_deletes += process.faults.failed_deletes;
  const bool was_unknown = operation.is_open;
  operation.has_died = operation.has_died || process.is_dead;
  if (operation.has_succeeded) {  // What a repeat is told changes nothing.
    operation.end = OperationEnd::kSucceeded;
  } else if (process.is_dead) {
    operation.end = OperationEnd::kDied;
  } else if (status.ok()) {
    operation.end = OperationEnd::kSucceeded;
  } else if (status.error().code() == ErrorCode::kCommitUnknown || was_unknown) {
    operation.end = OperationEnd::kUnknown;
  } else {
    operation.end = OperationEnd::kFailed;
  }
  operation.was_open = operation.was_open || operation.end == OperationEnd::kUnknown;
  operation.has_succeeded = operation.end == OperationEnd::kSucceeded;
  operation.is_open =
      operation.end == OperationEnd::kDied || operation.end == OperationEnd::kUnknown;
  world_.Note("{}: {}", Describe(operation), status.ok() ? "ok" : status.error().Format());
  if (world_.violation()) return;
  if (operation.end == OperationEnd::kSucceeded && operation.apply && snapshot_id &&
      operation.snapshot_id != snapshot_id) {
    world_.Violate(fmt::format(
        "{} is said to be in snapshot {}, but is {}", Describe(operation), *snapshot_id,
        operation.snapshot_id ? fmt::format("in {}", *operation.snapshot_id) : "in none"));
  }
  if (operation.end == OperationEnd::kSucceeded && operation.is_done && !operation.was_done) {
    world_.Violate(Describe(operation) + " does not show in the table");
  }
  CheckPublisher(operation, snapshot_id);
  const bool is_there = operation.snapshot_id || operation.was_done || was_published(operation);
  if (operation.end == OperationEnd::kFailed && is_there) {
    world_.Violate(
        fmt::format("{} is in the table: {}", Describe(operation), status.error().Format()));
  }
  if (!status.ok() && !process.is_dead && process.faults.any == 0 &&
      status.error().code() != ErrorCode::kCommitUnknown &&
      status.error().code() != ErrorCode::kCommitConflict &&
      // What it had begun to read may have been expired.
      (status.error().code() != ErrorCode::kNotFound ||
       operation.expired_before == expired_.size())) {
    world_.Violate(
        fmt::format("{} had no reason to: {}", Describe(operation), status.error().Format()));
  }
  if (operation.end == OperationEnd::kUnknown && process.faults.any == 0 && !was_unknown &&
      !may_come_back()) {
    world_.Violate(fmt::format("{} although no call failed: {}", Describe(operation),
                               status.error().Format()));
  }
}

RowsPtr Judge::FindRows(SnapshotId snapshot_id) const {
  const auto found = rows_.find(snapshot_id);
  return found == rows_.end() ? nullptr : found->second;
}

void Judge::CheckRows(SnapshotId snapshot_id, const std::vector<Row>& read, std::string_view who) {
  const RowsPtr expected = FindRows(snapshot_id);
  if (expected == nullptr) {
    world_.Violate(fmt::format("{} read snapshot {}, which never was", who, snapshot_id));
    return;
  }
  Rows found;
  for (const Row& row : read) {
    if (!found.emplace(row.id, row.cat).second) {
      world_.Violate(fmt::format("{} read row {} twice in snapshot {}", who, row.id, snapshot_id));
      return;
    }
    const auto wanted = expected->find(row.id);
    if (wanted == expected->end() || wanted->second != row.cat) {
      world_.Violate(fmt::format("{} read row {} '{}' in snapshot {}, where it is not", who, row.id,
                                 row.cat, snapshot_id));
      return;
    }
  }
  for (const auto& [id, cat] : *expected) {
    if (found.contains(id)) continue;
    world_.Violate(
        fmt::format("{} did not read row {} of snapshot {}: it is lost", who, id, snapshot_id));
    return;
  }
}

bool Judge::may_come_back() const {
  return world_.catalog_kind() == CatalogKind::kHadoop &&
         metadata().properties.contains("write.metadata.previous-versions-max");
}

bool Judge::CheckLoaded(const Table& table, size_t began) {
  const auto from = locations_.begin() + static_cast<ptrdiff_t>(began) - 1;
  if (std::find(from, locations_.end(), table.metadata_location) != locations_.end()) return true;
  if (may_come_back()) return false;
  world_.Violate(fmt::format("the table was loaded from '{}', which was not current meanwhile",
                             table.metadata_location));
  return false;
}

void Judge::SeePublish(const std::string& uri) {
  const Process* process = world_.current_process();
  const bool is_own = process != nullptr && process->operation != 0 &&
                      operations_.at(process->operation).what != kOrphansName;
  if (is_own) makers_.emplace(uri, process->operation);
  const bool is_restored = process != nullptr && process->operation != 0 && !is_own;
  if (is_restored) restored_.insert(uri);
  if (world_.catalog_kind() != CatalogKind::kHadoop) return;
  const std::optional<int64_t> version = HadoopVersion(uri);
  if (!version || !current_) return;
  // An older version that comes back is not the table; its writer has to find that out.
  if (*version == *HadoopVersion(current_->metadata_location) + 1) SeeTableMove(uri);
}

void Judge::SeeDelete(const std::string& uri) {
  if (!current_ || !is_reachable(uri)) return;
  world_.Violate(fmt::format("'{}' was deleted, which the table needs", uri));
}

void Judge::SeeTableMove(const std::string& location) {
  auto metadata = LoadTableMetadata(*world_.true_io(), location);
  if (!metadata.ok()) {
    world_.Violate(fmt::format("the table moved to '{}': {}", location, metadata.error().Format()));
    return;
  }
  Table after{name_, location, *std::move(metadata), world_.true_io()};
  world_.Note("table moves to {}", UriFileName(location));
  CheckMove(*current_, after);
  locations_.push_back(location);
  current_ = std::move(after);
  CheckOperationsDone(*current_->metadata);
}

void Judge::CheckMove(const Table& before, const Table& after) {
  const TableMetadata& old = *before.metadata;
  const TableMetadata& now = *after.metadata;
  if (now.table_uuid != old.table_uuid || now.location != old.location) {
    world_.Violate("the table became another one");
  }
  if (now.last_updated < old.last_updated) world_.Violate("time of the table went back");
  if (now.metadata_log.empty() ||
      now.metadata_log.back().metadata_file != before.metadata_location) {
    world_.Violate(
        fmt::format("the metadata log does not end with '{}'", before.metadata_location));
  }
  CheckExpired(old, now);
  CheckKept(old, now);
  const Snapshot* added = nullptr;
  for (const Snapshot& snapshot : now.snapshots) {
    if (old.FindSnapshot(snapshot.snapshot_id) != nullptr) continue;
    if (added != nullptr) world_.Violate("one commit added two snapshots");
    added = &snapshot;
  }
  CheckRefs(old, now, added);
  if (added != nullptr) CheckSnapshot(old, after, *added);
  if (added == nullptr && now.last_sequence_number != old.last_sequence_number) {
    world_.Violate("the sequence number changed without a snapshot");
  }
}

// Expiry removes what no branch or tag names, before it or after it, and nothing else does.
void Judge::CheckExpired(const TableMetadata& before, const TableMetadata& after) {
  std::set<SnapshotId> named;
  for (const auto& [name, ref] : before.refs)
    named.insert(ref.snapshot_id);
  for (const auto& [name, ref] : after.refs)
    named.insert(ref.snapshot_id);
  for (const Snapshot& snapshot : before.snapshots) {
    const SnapshotId id = snapshot.snapshot_id;
    if (after.FindSnapshot(id) != nullptr) continue;
    const Operation* operation = FindOwner(snapshot);
    const bool is_settled = operation != nullptr && operation->end != OperationEnd::kRunning;
    if (named.contains(id) || !is_settled) continue;  // It is lost, which CheckKept tells.
    expired_.insert(id);
    for (const std::string& uri : files_[id])
      --users_[uri];
  }
}

void Judge::CheckKept(const TableMetadata& before, const TableMetadata& after) {
  for (const Snapshot& snapshot : before.snapshots) {
    if (is_expired(snapshot.snapshot_id)) continue;
    const Snapshot* kept = after.FindSnapshot(snapshot.snapshot_id);
    if (kept == nullptr || !(*kept == snapshot)) {
      world_.Violate(fmt::format("snapshot {} is lost or changed", snapshot.snapshot_id));
    }
  }
  for (const SchemaPtr& schema : before.schemas) {
    const SchemaPtr kept = after.FindSchema(schema->schema_id());
    if (kept == nullptr || !kept->IsSameAs(*schema)) {
      world_.Violate(fmt::format("schema {} is lost or changed", schema->schema_id()));
    }
  }
  for (const PartitionSpecPtr& spec : before.partition_specs) {
    const PartitionSpecPtr kept = after.FindSpec(spec->spec_id);
    if (kept == nullptr || !(*kept == *spec)) {
      world_.Violate(fmt::format("partition spec {} is lost or changed", spec->spec_id));
    }
  }
  for (const NestedField& field : before.current_schema()->fields()) {
    if (after.current_schema()->FindField(field.id) == nullptr) {
      world_.Violate(fmt::format("column '{}' is lost", field.name));
    }
  }
  if (after.format_version < before.format_version || after.next_row_id < before.next_row_id ||
      after.last_column_id < before.last_column_id ||
      after.last_partition_id < before.last_partition_id) {
    world_.Violate("a number of the table went down");
  }
}

void Judge::CheckRefs(const TableMetadata& before, const TableMetadata& after,
                      const Snapshot* added) {
  for (const auto& [name, ref] : before.refs) {
    if (!after.refs.contains(name)) world_.Violate(fmt::format("ref '{}' is lost", name));
  }
  for (const auto& [name, ref] : after.refs) {
    const auto known = before.refs.find(name);
    const bool has_moved =
        known == before.refs.end() || known->second.snapshot_id != ref.snapshot_id;
    if (has_moved) CheckRefMove(before, after, name, added);
  }
  if (added != nullptr) CheckStaged(before, *added);
}

void Judge::CheckRefMove(const TableMetadata& before, const TableMetadata& after,
                         const std::string& name, const Snapshot* added) {
  const SnapshotId now = after.refs.at(name).snapshot_id;
  const auto known = before.refs.find(name);
  std::optional<SnapshotId> head;
  if (known != before.refs.end()) head = known->second.snapshot_id;
  if (added != nullptr && now == added->snapshot_id) {
    const Operation* operation = FindOperation(*added);
    const bool is_new_history = operation != nullptr && operation->replaces_table;
    const std::optional<SnapshotId> parent = is_new_history ? std::nullopt : head;
    if (added->parent_snapshot_id != parent) {
      world_.Violate(fmt::format("snapshot {} does not follow the head of '{}'", now, name));
    }
    if (is_new_history && head) parents_[now] = *head;
    if (is_new_history) published_.clear();  // What was published is not in `main` any more.
    if (operation != nullptr && (operation->branch != name || operation->is_staged)) {
      world_.Violate(fmt::format("{} moved branch '{}'", Describe(*operation), name));
    }
    return;
  }
  if (name == kMainBranch && FindStaging(now) != nullptr) {
    if (after.FindSnapshot(now)->parent_snapshot_id != head) {
      world_.Violate(fmt::format("staged snapshot {} does not follow the head of main", now));
    }
    NotePublished(now, now);
  } else if (known != before.refs.end()) {
    world_.Violate(fmt::format("ref '{}' moved without a new snapshot", name));
  }
}

Operation* Judge::FindOperation(const Snapshot& snapshot) {
  const auto number = ParseInt64(snapshot.summary.Find(kOperationProperty).value_or(""));
  const auto found = number ? operations_.find(*number) : operations_.end();
  return found == operations_.end() ? nullptr : &found->second;
}

void Judge::CheckSnapshot(const TableMetadata& before, const Table& after,
                          const Snapshot& snapshot) {
  const TableMetadata& now = *after.metadata;
  if (snapshot.parent_snapshot_id) {
    parents_[snapshot.snapshot_id] = *snapshot.parent_snapshot_id;
  }
  const bool has_numbers = now.format_version >= 2;
  const int64_t number = has_numbers ? before.last_sequence_number + 1 : 0;
  if (snapshot.sequence_number != number || now.last_sequence_number != number) {
    world_.Violate(fmt::format("snapshot {} has sequence number {}, expected {}",
                               snapshot.snapshot_id, snapshot.sequence_number, number));
  }
  if (now.format_version >= 3 &&
      (snapshot.first_row_id != before.next_row_id ||
       now.next_row_id != before.next_row_id + snapshot.added_rows.value_or(0))) {
    world_.Violate(fmt::format("row ids of snapshot {} overlap", snapshot.snapshot_id));
  }
  Operation* operation = FindOperation(snapshot);
  if (operation == nullptr) {
    CheckPublication(after, snapshot);
  } else {
    if (operation->end == OperationEnd::kFailed) {
      world_.Violate(Describe(*operation) + " shows in the table after it failed");
    }
    if (operation->snapshot_id) {
      world_.Violate(fmt::format("{} is in the table twice: in snapshot {} and in {}",
                                 Describe(*operation), *operation->snapshot_id,
                                 snapshot.snapshot_id));
    }
    operation->snapshot_id = snapshot.snapshot_id;
    CheckContent(after, snapshot, *operation);
  }
  CheckFiles(after, snapshot);
}

void Judge::CheckContent(const Table& after, const Snapshot& snapshot, const Operation& operation) {
  const RowsPtr base = snapshot.parent_snapshot_id ? FindRows(*snapshot.parent_snapshot_id)
                                                   : std::make_shared<const Rows>();
  if (base == nullptr || !operation.apply) {
    world_.Violate(fmt::format("snapshot {} has an unknown parent", snapshot.snapshot_id));
    return;
  }
  rows_[snapshot.snapshot_id] = std::make_shared<const Rows>(operation.apply(*base));
  const auto read = read_rows_(world_.true_io(), after, snapshot.snapshot_id);
  if (!read.ok()) {
    world_.Violate(fmt::format("snapshot {} of {} cannot be read: {}", snapshot.snapshot_id,
                               Describe(operation), read.error().Format()));
    return;
  }
  CheckRows(snapshot.snapshot_id, *read, Describe(operation));
}

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
    const PartitionSpecPtr spec = after.metadata->FindSpec(manifest.partition_spec_id);
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
  for (const auto& [key, total] : totals) {
    const auto said = ParseInt64(snapshot.summary.Find(key).value_or(""));
    if (said == total) continue;
    world_.Violate(fmt::format("the summary of snapshot {} says {} = {}, but there are {}",
                               snapshot.snapshot_id, key,
                               snapshot.summary.Find(key).value_or("nothing"), total));
  }
}

void Judge::CheckOperationsDone(const TableMetadata& metadata) {
  for (auto& [number, operation] : operations_) {
    if (!operation.is_done) continue;
    const bool is_done = operation.is_done(metadata);
    if (operation.was_done && !is_done) world_.Violate(Describe(operation) + " was undone");
    if (is_done && operation.end == OperationEnd::kFailed) {
      world_.Violate(Describe(operation) + " shows in the table after it failed");
    }
    operation.was_done = operation.was_done || is_done;
  }
}

void Judge::CheckEnd() {
  const auto location = world_.TableLocation(name_);
  if (!location.ok() || *location != current_->metadata_location) {
    world_.Violate(fmt::format("the table is at '{}', but moved to '{}'",
                               location.ok() ? *location : location.error().Format(),
                               current_->metadata_location));
    return;
  }
  for (const auto& [name, ref] : metadata().refs) {
    const auto read = read_rows_(world_.true_io(), *current_, ref.snapshot_id);
    if (!read.ok()) {
      world_.Violate(read.error().Format());
    } else {
      CheckRows(ref.snapshot_id, *read, "the end");
    }
  }
  CheckOutcomes();
  CheckOrphans();
}

void Judge::CheckOutcomes() {
  for (const auto& [number, operation] : operations_) {
    if (operation.end != OperationEnd::kSucceeded || !operation.snapshot_id) continue;
    if (operation.is_staged || is_expired(*operation.snapshot_id)) continue;
    const auto ref = metadata().refs.find(operation.branch);
    // Expiry may leave gaps in what the table itself tells of its history.
    std::optional<SnapshotId> at;
    if (ref != metadata().refs.end()) at = ref->second.snapshot_id;
    while (at && *at != *operation.snapshot_id) {
      const auto parent = parents_.find(*at);
      at = parent == parents_.end() ? std::nullopt : std::optional(parent->second);
    }
    const bool is_there = at.has_value();
    if (!is_there) world_.Violate(Describe(operation) + " is lost from its branch");
  }
}

// Files stay behind only where a process died, an outcome is open, the call that should have
// deleted them failed, or the reading that tells which of its files a commit used in the end.
void Judge::CheckOrphans() {
  const std::set<std::string> was_current(locations_.begin(), locations_.end());
  const bool has_faults =
      std::any_of(operations_.begin(), operations_.end(), [](const auto& numbered) {
        const Operation& operation = numbered.second;
        return operation.what == kExpiryName &&
               (operation.faults.any > 0 || operation.end != OperationEnd::kSucceeded);
      });
  const Status listed =
      world_.true_io()->List("memory:/warehouse", [&](const FileInfo& file) -> Status {
        if (is_reachable(file.uri) || was_current.contains(file.uri)) return {};
        // What was expired is deleted unless something went wrong then, which may have been late.
        if (users_.contains(file.uri) && has_faults) return {};
        if (HasPart(file.uri, "version-hint.text") || HasPart(file.uri, ".folder")) return {};
        if (HasPart(file.uri, "_firn_quarantine")) return {};
        // An expiry that was about to delete it found it away in quarantine; then it came back.
        if (restored_.contains(file.uri)) return {};
        const auto maker = makers_.find(file.uri);
        if (maker == makers_.end()) return {};  // Put off: its maker was told nothing certain.
        const Operation& operation = operations_.at(maker->second);
        const bool is_excused = operation.has_died || operation.was_open ||
                                operation.faults.failed_deletes > 0 ||
                                operation.faults.unclear > 0 ||
                                (operation.has_succeeded && operation.faults.any > 0 &&
                                 HasPart(file.uri, "/metadata/"));
        if (!is_excused) {
          world_.Violate(fmt::format("'{}' of {} was left behind", file.uri, Describe(operation)));
        }
        return {};
      });
  if (!listed.ok()) world_.Violate(listed.error().Format());
}

}  // namespace firn::simulation
