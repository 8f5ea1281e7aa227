#include "model.h"

#include <algorithm>

#include "firn/base/number.h"
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
  return uri == current_->metadata_location || statistics_.contains(uri) ||
         (users != users_.end() && users->second > 0);
}

std::vector<SnapshotId> Judge::SettledSnapshots() const {
  std::set<SnapshotId> settled;
  std::set<SnapshotId> awaited;  // Others may have published what one still waits for.
  for (const auto& [number, operation] : operations_) {
    auto& ids = operation.end == OperationEnd::kRunning ? awaited : settled;
    ids.insert(operation.snapshot_ids.begin(), operation.snapshot_ids.end());
    if (operation.snapshot_id) ids.insert(*operation.snapshot_id);
  }
  std::vector<SnapshotId> found;
  for (const SnapshotId id : settled) {
    if (!awaited.contains(id) && !is_expired(id)) found.push_back(id);
  }
  return found;
}

Operation& Judge::NewOperation(std::string what) {
  const auto number = static_cast<int64_t>(operations_.size()) + 1;
  Operation& operation = operations_[number];
  operation.number = number;
  operation.what = std::move(what);
  operation.vanished_before = vanished_count();
  operation.moves_before = move_count();
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
  operation.faults.twice += process.faults.twice;
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
  const bool is_said = operation.end == OperationEnd::kSucceeded && operation.apply;
  const auto& made = operation.snapshot_ids;
  const bool is_true = snapshot_id ? std::find(made.begin(), made.end(), *snapshot_id) != made.end()
                                   : made.empty() || operation.may_repeat || operation.makes_many;
  if (is_said && !is_true) {
    world_.Violate(fmt::format(
        "{} is said to be in snapshot {}, but is {}", Describe(operation), snapshot_id.value_or(0),
        operation.snapshot_id ? fmt::format("in {}", *operation.snapshot_id) : "in none"));
  }
  if (operation.end == OperationEnd::kSucceeded && operation.is_done && !operation.was_done) {
    world_.Violate(Describe(operation) + " does not show in the table");
  }
  CheckPublisher(operation, snapshot_id);
  const bool is_there = operation.snapshot_id || operation.was_done || operation.was_moved ||
                        was_published(operation);
  if (operation.end == OperationEnd::kFailed && is_there && !operation.makes_many) {
    world_.Violate(
        fmt::format("{} is in the table: {}", Describe(operation), status.error().Format()));
  }
  if (!status.ok() && !process.is_dead && process.faults.any == 0 &&
      status.error().code() != ErrorCode::kCommitUnknown &&
      status.error().code() != ErrorCode::kCommitConflict &&
      // A new file is there already when it is made for the second time.
      (status.error().code() != ErrorCode::kAlreadyExists || process.faults.twice == 0) &&
      // What it had begun to read may have been expired.
      (status.error().code() != ErrorCode::kNotFound ||
       operation.vanished_before == vanished_count())) {
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
    const auto lineage = lineage_.find(snapshot_id);
    if (row.row_id && lineage != lineage_.end()) {
      const RowLineage& known = lineage->second[row.id];
      if (known.row_id != row.row_id || known.updated != row.updated) {
        world_.Violate(fmt::format("{} read row {} of snapshot {} with row id {}, updated by {}",
                                   who, row.id, snapshot_id, *row.row_id,
                                   row.updated.value_or(-1)));
        return;
      }
    }
    if (wanted == expected->end() || wanted->second != row.cat) {
      world_.Violate(fmt::format("{} read row {} '{}' in snapshot {}, where it is not", who, row.id,
                                 row.cat, snapshot_id));
      return;
    }
    const auto others = others_.find(snapshot_id);
    if (others == others_.end()) continue;
    const OtherValues& values = others->second[row.id];
    for (const auto& [field, value] : row.others) {
      const auto known = values.find(field);
      if (value == (known == values.end() ? std::nullopt : known->second)) continue;
      world_.Violate(fmt::format("{} read {} in column {} of row {} of snapshot {}, wrongly", who,
                                 value ? std::to_string(*value) : "null", field, row.id,
                                 snapshot_id));
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
  if (process == nullptr || is_own) {
    const auto bytes = ReadFile(*world_.true_io(), uri);
    if (bytes.ok()) contents_[uri] = std::hash<std::string_view>()(bytes->view());
  }
  deleters_.erase(uri);
  const bool is_restored = process != nullptr && process->operation != 0 && !is_own;
  if (is_restored) restored_.insert(uri);
  if (world_.catalog_kind() != CatalogKind::kHadoop) return;
  const std::optional<int64_t> version = HadoopVersion(uri);
  if (!version || !IsOfTable(uri)) return;
  // An older version that comes back is not the table; its writer has to find that out.
  if (*version == *HadoopVersion(current_->metadata_location) + 1) SeeTableMove(uri);
}

void Judge::SeeDelete(const std::string& uri) {
  const Operation* operation = CurrentOperation();
  deleters_[uri] = operation == nullptr ? 0 : operation->number;
  if (!current_ || is_purged_) return;
  const auto& log = current_->metadata->metadata_log;
  const bool is_logged = std::any_of(log.begin(), log.end(), [&](const MetadataLogEntry& entry) {
    return entry.metadata_file == uri;
  });
  if (!is_logged && !is_reachable(uri)) return;
  world_.Violate(fmt::format("'{}' was deleted, which the table needs", uri));
}

void Judge::CheckRestored(const std::string& uri) {
  const auto deleter = deleters_.find(uri);
  const Operation* operation = CurrentOperation();
  if (deleter != deleters_.end() && operation != nullptr && deleter->second != operation->number) {
    return;  // Another one was to delete it anyway.
  }
  const auto bytes = ReadFile(*world_.true_io(), uri);
  const auto content = contents_.find(uri);
  const bool is_same =
      bytes.ok() && (content == contents_.end() ||
                     content->second == std::hash<std::string_view>()(bytes->view()));
  if (!is_same) world_.Violate(fmt::format("'{}' came back from quarantine as another", uri));
}

bool Judge::IsOfTable(const std::string& uri) const {
  return current_ && uri.starts_with(current_->metadata->location + "/");
}

void Judge::SeeTableMove(const std::string& location) {
  if (!IsOfTable(location)) return;  // Actors make other tables, too.
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
  Added added;
  for (const Snapshot& snapshot : now.snapshots) {
    if (old.FindSnapshot(snapshot.snapshot_id) == nullptr) added.push_back(&snapshot);
  }
  CheckRefs(old, now, added);
  CheckSnapshots(old, after, added);
  CheckStatistics(old, now);
  if (added.empty() && now.last_sequence_number != old.last_sequence_number) {
    world_.Violate("the sequence number changed without a snapshot");
  }
}

Operation* Judge::CurrentOperation() {
  const Process* process = world_.current_process();
  if (process == nullptr || process->operation == 0) return nullptr;
  return &operations_.at(process->operation);
}

// What was put off may be an expiry.
bool Judge::is_expiring() {
  const Operation* operation = CurrentOperation();
  return operation == nullptr || operation->what == kExpiryName || operation->what == kMaintainName;
}

// Expiry removes what no branch or tag names, before it or after it, and nothing else does.
void Judge::CheckExpired(const TableMetadata& before, const TableMetadata& after) {
  std::set<SnapshotId> named;
  // Whether a ref may go is judged by itself.
  for (const auto& [name, ref] : before.refs) {
    if (after.refs.contains(name)) named.insert(ref.snapshot_id);
  }
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
  CheckLayoutKept(before, after);
  CheckColumns(before, after);
  if (after.format_version < before.format_version || after.next_row_id < before.next_row_id ||
      after.last_column_id < before.last_column_id ||
      after.last_partition_id < before.last_partition_id) {
    world_.Violate("a number of the table went down");
  }
}

Operation* Judge::FindOperation(const Snapshot& snapshot) {
  const auto number = ParseInt64(snapshot.summary.Find(kOperationProperty).value_or(""));
  const auto found = number ? operations_.find(*number) : operations_.end();
  if (found != operations_.end()) return &found->second;
  const auto maker = makers_.find(snapshot.manifest_list);
  if (maker == makers_.end()) return nullptr;
  Operation& operation = operations_.at(maker->second);
  return operation.is_unnamed ? &operation : nullptr;
}

void Judge::CheckSnapshots(const TableMetadata& before, const Table& after, const Added& added) {
  const TableMetadata& now = *after.metadata;
  int64_t number = before.last_sequence_number;
  int64_t next_row_id = before.next_row_id;
  for (size_t i = 0; i < added.size(); ++i) {
    const Snapshot& snapshot = *added[i];
    if (i > 0 && snapshot.parent_snapshot_id != added[i - 1]->snapshot_id) {
      world_.Violate("snapshots that came together do not follow each other");
    }
    number = now.format_version >= 2 ? number + 1 : 0;
    if (snapshot.sequence_number != number) {
      world_.Violate(fmt::format("snapshot {} has sequence number {}, expected {}",
                                 snapshot.snapshot_id, snapshot.sequence_number, number));
    }
    if (now.format_version >= 3 && snapshot.first_row_id != next_row_id) {
      world_.Violate(fmt::format("row ids of snapshot {} overlap", snapshot.snapshot_id));
    }
    next_row_id += snapshot.added_rows.value_or(0);
    CheckSnapshot(after, snapshot);
    const Operation* operation = FindOperation(snapshot);
    const size_t expected = operation == nullptr ? 1 : operation->later.size() + 1;
    if (added.size() != expected) world_.Violate("snapshots of one change came apart");
  }
  if (added.empty()) return;
  const bool has_rows = now.format_version >= 3;
  if (now.last_sequence_number != number || (has_rows && now.next_row_id != next_row_id)) {
    world_.Violate("the numbers of the table are not those of its last snapshot");
  }
}

void Judge::CheckOrigin(Operation& operation, const Snapshot& snapshot) {
  if (operation.end == OperationEnd::kFailed) {
    world_.Violate(Describe(operation) + " shows in the table after it failed");
  }
  if (operation.snapshot_ids.size() > operation.later.size() && !operation.makes_many) {
    world_.Violate(fmt::format("{} is in the table twice: in snapshot {} and in {}",
                               Describe(operation), *operation.snapshot_id, snapshot.snapshot_id));
  }
  operation.snapshot_id = snapshot.snapshot_id;
  operation.snapshot_ids.push_back(snapshot.snapshot_id);
}

void Judge::CheckSnapshot(const Table& after, const Snapshot& snapshot) {
  if (snapshot.parent_snapshot_id) {
    parents_[snapshot.snapshot_id] = *snapshot.parent_snapshot_id;
  }
  Operation* operation = FindOperation(snapshot);
  if (operation == nullptr) {
    CheckPublication(after, snapshot);
  } else {
    CheckOrigin(*operation, snapshot);
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
  rows_[snapshot.snapshot_id] =
      std::make_shared<const Rows>(ExpectedRows(after, snapshot, operation, *base));
  const auto read = read_rows_(world_.true_io(), after, snapshot.snapshot_id);
  if (!read.ok()) {
    world_.Violate(fmt::format("snapshot {} of {} cannot be read: {}", snapshot.snapshot_id,
                               Describe(operation), read.error().Format()));
    return;
  }
  CheckRows(snapshot.snapshot_id, *read, Describe(operation));
  CheckLineage(after, snapshot, operation, *read);
  CheckOthers(after, snapshot, operation, *read);
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
    const bool is_elsewhere = operation.is_staged || operation.was_left;
    if (is_elsewhere || is_expired(*operation.snapshot_id)) continue;
    const auto head = metadata().RefSnapshotId(operation.branch);
    const bool is_there = head && is_ancestor(*operation.snapshot_id, *head);
    if (!is_there) world_.Violate(Describe(operation) + " is lost from its branch");
  }
}

}  // namespace firn::simulation
