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

inline constexpr int32_t kIdField = 1;
inline constexpr int32_t kCatField = 2;

/// Values of columns that came later, by field id. Where a row has one it is `OtherValue`.
using OtherValues = std::map<int32_t, std::optional<int64_t>>;
inline int64_t OtherValue(int64_t row, int32_t field_id) { return row * 10 + field_id; }
/// Whether such columns of this type have values: numbers, in tables of Parquet.
bool HasOtherValues(const NestedField& field);

/// Whether rows are partitioned or sorted by the column, from now on.
bool IsSource(const TableMetadata& metadata, int32_t field_id);

/// A row of the table as it was read.
struct Row {
  int64_t id = 0;
  std::string cat;
  // Lineage, from version 3 on.
  std::optional<int64_t> row_id = {};
  std::optional<int64_t> updated = {};  ///< `_last_updated_sequence_number`
  OtherValues others = {};              ///< Of the columns that were read.
};

/// `rows` and `added`.
Rows With(Rows rows, const std::vector<Row>& added);

enum class OperationEnd { kRunning, kSucceeded, kFailed, kUnknown, kDied };

/// How an operation moves a branch or tag without a new snapshot.
struct RefMove {
  std::string ref;
  /// Whether it may go from where it is to `now` (empty: away), as the table is at that moment.
  std::function<bool(const TableMetadata& before, std::optional<SnapshotId> now)> allows;
};

/// Whether a column may become `now` (null: go).
using ColumnChange = std::function<bool(const NestedField& before, const NestedField* now)>;

/// What a process was asked to do. It may be tried by several processes, one after the other.
struct Operation {
  int64_t number = 0;
  std::string what;
  std::string branch = "main";
  /// Rows after it, given those of the snapshot before it. Null: it makes no snapshot.
  std::function<Rows(const Rows& before)> apply;
  /// Rows that go besides, by the values of columns that came later. Null: none.
  std::function<bool(const OtherValues& values)> expires;
  /// Of a change of several snapshots that come together: the same of those after the first.
  std::vector<std::function<Rows(const Rows& before)>> later;
  /// Of an append: what each try of it appends.
  std::vector<Row> rows;
  bool is_staged = false;  ///< Its snapshot moves no branch.
  /// The staged snapshot that it brings to `main`. The snapshot of that bears its name, not this
  /// operation's: several may try the same.
  std::optional<SnapshotId> publishes;
  /// Its snapshot follows none.
  bool replaces_table = false;
  /// Rows that stay may have other values afterwards.
  bool updates_rows = false;
  /// What it does to columns that are there.
  ColumnChange changes_column;
  std::string added_doc;      ///< Of the column that it adds.
  bool loses_others = false;  ///< Rows that it updates may lose values of other columns.
  /// Its snapshots do not bear its name: whose they are is told by who wrote their manifest lists.
  bool is_unnamed = false;
  bool makes_many = false;   ///< Any number of snapshots, one after the other; all by `apply`.
  bool is_held = false;      ///< All is done but its commit, which waits for others.
  bool has_journal = false;  ///< What it finished is kept if it cannot go on.
  std::optional<RefMove> moves;
  std::string made_ref;    ///< The branch or tag that it was to make.
  bool was_moved = false;  ///< A move of a ref that is certainly its own.
  bool was_left = false;   ///< Its branch went back to before it, or away.
  /// It is recognised by its key: another process may try it again.
  bool may_repeat = false;
  OperationEnd end = OperationEnd::kRunning;
  std::optional<SnapshotId> snapshot_id;  ///< That holds it, if any does: the last one.
  std::vector<SnapshotId> snapshot_ids;   ///< All of them.
  /// Of operations without snapshot: whether it shows in `metadata`.
  std::function<bool(const TableMetadata& metadata)> is_done;
  bool was_done = false;
  FaultCounts faults;  ///< Of all tries.
  bool has_died = false;
  bool has_succeeded = false;
  bool was_open = false;  ///< After some try of it the outcome was unknown.
  bool is_open = false;   ///< After its last try, nobody knows whether it happened.
  // When it began: see the counts of Judge.
  size_t vanished_before = 0;
  size_t moves_before = 0;
  Timestamp began{};
};

/// The summary property that names the operation of a snapshot.
inline constexpr const char* kOperationProperty = "sim.operation";

/// What operations are called that expire snapshots.
inline constexpr const char* kExpiryName = "expire snapshots";
/// And those that remove orphans, or move them away and back.
inline constexpr const char* kOrphansName = "remove orphans";
/// And the whole cycle of maintenance, which does both.
inline constexpr const char* kMaintainName = "maintain";

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
  /// Snapshots that expired and refs that went: what was begun with them may find nothing.
  size_t vanished_count() const { return expired_.size() + dropped_count_; }
  /// Whether `ancestor` is `snapshot_id` or before it, expired ones too.
  bool is_ancestor(SnapshotId ancestor, SnapshotId snapshot_id) const;
  /// The same, but not over a table's beginning anew.
  bool is_in_history(SnapshotId ancestor, SnapshotId snapshot_id) const;
  /// Snapshots of which nobody waits to hear whether they were committed: these may be expired.
  std::vector<SnapshotId> SettledSnapshots() const;
  /// The time before which all files belong to operations that have ended, `own` aside; nullopt:
  /// something that was put off may still come.
  std::optional<Timestamp> QuietSince(const Operation& own) const;
  /// The process of the operation has died: its journal says so to who looks.
  void BuryOwner(const Operation& operation);
  /// A file that was moved away was moved back: it is what it was.
  void CheckRestored(const std::string& uri);
  /// Someone was told that this is published already.
  void CheckPublished(const Operation& operation);
  /// Compare what was read with the model.
  void CheckRows(SnapshotId snapshot_id, const std::vector<Row>& read, std::string_view who);
  /// How often the table has moved.
  size_t move_count() const { return locations_.size(); }
  /// The table was loaded between the moves `began` and now: that must have been its state. False:
  /// it was not, but a Hadoop catalog that deletes old versions cannot do better.
  bool CheckLoaded(const Table& table, size_t began);

  /// Of all data files of a snapshot together, deleted ones too.
  std::optional<int64_t> FindRecordCount(SnapshotId snapshot_id) const;

  /// After all: outcomes, files that nobody needs, and that the table still works.
  void CheckEnd();
  /// Branches may be moved other than by snapshots.
  void AllowMoves() { has_moves_ = true; }
  /// The table may have two names at a time: what expires may have to stay for the other one.
  void AllowSharing() { is_shared_ = true; }
  /// The table is about to be dropped with all its files.
  void BeginPurge() { is_purged_ = true; }
  /// What it needed has gone then.
  void CheckPurged();

  const TableMetadata& metadata() const { return *current_->metadata; }
  const std::map<int64_t, Operation>& operations() const { return operations_; }
  int64_t snapshot_count() const { return static_cast<int64_t>(rows_.size()); }

  void SeeTableMove(const std::string& location) override;
  void SeeRequest(const TableName& name, std::span<const TableRequirement> requirements,
                  std::span<const TableUpdate> updates) override;
  void SeePublish(const std::string& uri) override;
  void SeeDelete(const std::string& uri) override;

 private:
  void CheckMove(const Table& before, const Table& after);
  void CheckKept(const TableMetadata& before, const TableMetadata& after);
  using Added = std::vector<const Snapshot*>;  // By one commit, in order.
  void CheckLayoutKept(const TableMetadata& before, const TableMetadata& after);
  void CheckColumns(const TableMetadata& before, const TableMetadata& after);
  void CheckSources(const TableMetadata& after);
  bool IsColumnChangeAllowed(const NestedField& before, const NestedField* now);
  Rows ExpectedRows(const Table& after, const Snapshot& snapshot, const Operation& operation,
                    const Rows& before);
  void CheckOthers(const Table& after, const Snapshot& snapshot, const Operation& operation,
                   const std::vector<Row>& rows);
  bool IsOfTable(const std::string& uri) const;
  void CheckRefs(const TableMetadata& before, const TableMetadata& after, const Added& added);
  void CheckSnapshots(const TableMetadata& before, const Table& after, const Added& added);
  void CheckSnapshot(const Table& after, const Snapshot& snapshot);
  void CheckOrigin(Operation& operation, const Snapshot& snapshot);
  void CheckLineage(const Table& after, const Snapshot& snapshot, const Operation& operation,
                    const std::vector<Row>& rows);
  void CheckStatistics(const TableMetadata& before, const TableMetadata& after);
  void CheckTotals(const Snapshot& snapshot, const std::map<std::string, int64_t>& totals);
  void CheckContent(const Table& after, const Snapshot& snapshot, const Operation& operation);
  void CheckFiles(const Table& after, const Snapshot& snapshot);
  void CheckExpired(const TableMetadata& before, const TableMetadata& after);
  bool is_reachable(const std::string& uri) const;
  void CheckOperationsDone(const TableMetadata& metadata);
  void CheckOutcomes();
  void CheckOrphans();
  bool is_excused(const std::string& uri, bool has_expiry_faults) const;
  Operation* FindOperation(const Snapshot& snapshot);
  /// The operation of the process that is at work; null: something that was put off happens.
  Operation* CurrentOperation();
  bool is_expiring();
  /// Also of those that published it.
  const Operation* FindOwner(const Snapshot& snapshot);
  void CheckRefMove(const TableMetadata& before, const TableMetadata& after,
                    const std::string& name, const Added& added);
  void CheckCommitted(const std::string& name, std::optional<SnapshotId> head, const Added& added);
  bool IsMoveAllowed(const TableMetadata& before, const std::string& name,
                     std::optional<SnapshotId> now);
  void CheckRefGone(const TableMetadata& before, const std::string& name);
  void NoteLeft(const std::string& branch, std::optional<SnapshotId> head);
  /// That staged the snapshot; null: none did.
  const Operation* FindStaging(SnapshotId snapshot_id) const;
  void CheckPublication(const Table& after, const Snapshot& snapshot);
  void CheckStaged(const TableMetadata& before, const Snapshot& added);
  void NotePublished(SnapshotId staged, SnapshotId published,
                     std::optional<SnapshotId> main_before);
  bool is_published_by(SnapshotId staged, std::optional<SnapshotId> published) const;
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
  std::map<SnapshotId, SnapshotId> parents_;  ///< Of expired ones, too.
  /// Of snapshots that began the table anew, what was there before.
  std::map<SnapshotId, SnapshotId> replaced_;
  std::multimap<SnapshotId, SnapshotId> published_;  ///< Staged snapshots to those in `main`.
  std::set<std::string> restored_;                   ///< From quarantine, or moved into it.
  std::map<std::string, size_t> contents_;           ///< Hashes of files as they were made.
  std::map<std::string, int64_t> deleters_;          ///< Files that are gone, and by whom.
  std::map<std::string, int64_t> makers_;            ///< File to the operation that made it.
  size_t dropped_count_ = 0;                         ///< Refs that went.
  struct RowLineage {
    std::optional<int64_t> row_id;
    std::optional<int64_t> updated;
  };
  std::map<SnapshotId, std::map<int64_t, RowLineage>> lineage_;
  std::map<SnapshotId, std::map<int64_t, OtherValues>> others_;  ///< That are not null.
  std::set<SnapshotId> unclear_publications_;      ///< Of staged snapshots, by who moved a branch.
  std::map<SnapshotId, std::set<int32_t>> specs_;  ///< Of the manifests of a snapshot.
  std::map<SnapshotId, int64_t> record_counts_;    ///< Of its data files.
  std::set<std::string> statistics_;               ///< That the table names.
  std::set<std::string> registered_;               ///< All that it ever named.
  std::set<std::string> replaced_statistics_;      ///< By others of the same snapshot.
  bool is_purged_ = false;
  bool is_shared_ = false;
  bool has_moves_ = false;  ///< Branches are moved by operations of their own.
};

}  // namespace firn::simulation
