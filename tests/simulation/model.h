#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firn/catalog/catalog.h"

#include "world.h"

/// What must be true of the table after each step: the model. Operations say what they are about to
/// do; when the table moves, the judge reads it and compares.

namespace firn::simulation {

/// Rows by id, which no two rows share. The value is the column `cat`.
using Rows = std::map<int64_t, std::string>;
using RowsPtr = std::shared_ptr<const Rows>;

/// A row of the table as it was read.
struct Row {
  int64_t id = 0;
  std::string cat;
};

/// `rows` and `added`.
Rows With(Rows rows, const std::vector<Row>& added);

enum class OperationEnd { kRunning, kSucceeded, kFailed, kUnknown, kDied };

/// What a process was asked to do. It may be tried by several processes, one after the other.
struct Operation {
  int64_t number = 0;
  std::string what;
  std::string branch = "main";
  /// Rows after it, given those of the snapshot before it. Null: it makes no snapshot.
  std::function<Rows(const Rows& before)> apply;
  /// Of an append: what each try of it appends.
  std::vector<Row> rows;
  bool is_staged = false;  ///< Its snapshot moves no branch.
  /// The staged snapshot that it brings to `main`. The snapshot of that bears its name, not this
  /// operation's: several may try the same.
  std::optional<SnapshotId> publishes;
  /// Its snapshot follows none.
  bool replaces_table = false;
  /// It is recognised by its key: another process may try it again.
  bool may_repeat = false;
  OperationEnd end = OperationEnd::kRunning;
  std::optional<SnapshotId> snapshot_id;  ///< That holds it, if any does.
  /// Of operations without snapshot: whether it shows in `metadata`.
  std::function<bool(const TableMetadata& metadata)> is_done;
  bool was_done = false;
  FaultCounts faults;  ///< Of all tries.
  bool has_died = false;
  bool has_succeeded = false;
  bool was_open = false;      ///< After some try of it the outcome was unknown.
  bool is_open = false;       ///< After its last try, nobody knows whether it happened.
  size_t expired_before = 0;  ///< Snapshots that had been expired when it began.
  Timestamp began{};
};

/// The summary property that names the operation of a snapshot.
inline constexpr const char* kOperationProperty = "sim.operation";

/// What operations are called that expire snapshots.
inline constexpr const char* kExpiryName = "expire snapshots";
/// And those that remove orphans, or move them away and back.
inline constexpr const char* kOrphansName = "remove orphans";

/// Reads the rows of a snapshot, deletes applied.
using ReadRows = std::function<Result<std::vector<Row>>(
    std::shared_ptr<FileIO> io, const Table& table, SnapshotId snapshot_id)>;

/// Judges every move of the table.
class Judge final : public Witness {
 public:
  Judge(World& world, TableName name, ReadRows read_rows);

  /// The table has just been made.
  void Begin(const Table& table);

  Operation& NewOperation(std::string what);
  /// What the caller of the operation was told. `code` is that of the error, if it was one.
  void End(Operation& operation, const Process& process, const Status& status,
           std::optional<SnapshotId> snapshot_id);

  /// Rows of a snapshot that exists; null if it does not.
  RowsPtr FindRows(SnapshotId snapshot_id) const;
  /// Whether the snapshot was in the table once and was removed by expiry.
  bool is_expired(SnapshotId snapshot_id) const { return expired_.contains(snapshot_id); }
  size_t expired_count() const { return expired_.size(); }
  /// Snapshots of which nobody waits to hear whether they were committed: these may be expired.
  std::vector<SnapshotId> SettledSnapshots() const;
  /// The time before which all files belong to operations that have ended, `own` aside; nullopt:
  /// something that was put off may still come.
  std::optional<Timestamp> QuietSince(const Operation& own) const;
  /// Someone was told that this is published already.
  void CheckPublished(const Operation& operation);
  /// Compare what was read with the model.
  void CheckRows(SnapshotId snapshot_id, const std::vector<Row>& read, std::string_view who);
  /// How often the table has moved.
  size_t move_count() const { return locations_.size(); }
  /// The table was loaded between the moves `began` and now: that must have been its state. False:
  /// it was not, but a Hadoop catalog that deletes old versions cannot do better.
  bool CheckLoaded(const Table& table, size_t began);

  /// After all: outcomes, files that nobody needs, and that the table still works.
  void CheckEnd();

  const TableMetadata& metadata() const { return *current_->metadata; }
  const std::map<int64_t, Operation>& operations() const { return operations_; }
  int64_t snapshot_count() const { return static_cast<int64_t>(rows_.size()); }

  void SeeTableMove(const std::string& location) override;
  void SeePublish(const std::string& uri) override;
  void SeeDelete(const std::string& uri) override;

 private:
  void CheckMove(const Table& before, const Table& after);
  void CheckKept(const TableMetadata& before, const TableMetadata& after);
  void CheckRefs(const TableMetadata& before, const TableMetadata& after, const Snapshot* added);
  void CheckSnapshot(const TableMetadata& before, const Table& after, const Snapshot& snapshot);
  void CheckContent(const Table& after, const Snapshot& snapshot, const Operation& operation);
  void CheckFiles(const Table& after, const Snapshot& snapshot);
  void CheckExpired(const TableMetadata& before, const TableMetadata& after);
  bool is_reachable(const std::string& uri) const;
  void CheckOperationsDone(const TableMetadata& metadata);
  void CheckOutcomes();
  void CheckOrphans();
  Operation* FindOperation(const Snapshot& snapshot);
  /// Also of those that published it.
  const Operation* FindOwner(const Snapshot& snapshot);
  void CheckRefMove(const TableMetadata& before, const TableMetadata& after,
                    const std::string& name, const Snapshot* added);
  /// That staged the snapshot; null: none did.
  const Operation* FindStaging(SnapshotId snapshot_id) const;
  void CheckPublication(const Table& after, const Snapshot& snapshot);
  void CheckStaged(const TableMetadata& before, const Snapshot& added);
  void NotePublished(SnapshotId staged, SnapshotId published);
  void CheckPublisher(Operation& operation, std::optional<SnapshotId> snapshot_id);
  bool was_published(const Operation& operation) const;
  /// Where old versions are deleted, the name of one that is long over can be taken again, for a
  /// moment: see HadoopCatalog.
  bool may_come_back() const;
  std::string Describe(const Operation& operation) const;

  World& world_;
  TableName name_;
  ReadRows read_rows_;
  std::optional<Table> current_;
  std::map<int64_t, Operation> operations_;
  std::map<SnapshotId, RowsPtr> rows_;
  std::vector<std::string> locations_;  ///< Of metadata, in the order in which they were current.
  std::map<SnapshotId, std::set<std::string>> files_;  ///< Of each snapshot, with its metadata.
  std::map<std::string, int64_t> users_;  ///< How many snapshots of the table need a file.
  std::set<SnapshotId> expired_;
  std::map<SnapshotId, SnapshotId> parents_;    ///< Of expired ones, too.
  std::map<SnapshotId, SnapshotId> published_;  ///< Staged snapshot to the one in `main`.
  std::set<std::string> restored_;              ///< From quarantine, or moved into it.
  std::map<std::string, int64_t> makers_;       ///< File to the operation that made it.
};

}  // namespace firn::simulation
