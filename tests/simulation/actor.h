#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/executor.h"
#include "firn/base/memory_budget.h"
#include "firn/commit/commit.h"
#include "firn/expression/expression.h"
#include "firn/maintain/maintain_context.h"

#include "model.h"
#include "tiny_files.h"
#include "world.h"

/// What the actors of a run have in common. A job is one thing that an actor does; jobs of a kind
/// are listed at one place (`FileJobs`, `SnapshotJobs`, ...), which is where a new one goes.

namespace firn::simulation {

/// What a run is about; few runs of all kinds of work do three certain ones in a row.
enum class Focus {
  kNone,
  kDeletes,   ///< Deletes of all kinds and what rewrites them.
  kKeys,      ///< Deletes by key that are converted while files are compacted.
  kRefs,      ///< Branches and tags that move.
  kColumns,   ///< Columns, specs and orders that change under writers.
  kAdoption,  ///< Tables of files of others.
};

/// Files that others wrote, of which tables are made.
struct ForeignFolder {
  std::string uri;
  TableName table;  ///< That it becomes if it is migrated.
  std::vector<Row> rows;
  std::map<std::string, std::string> files;  ///< Their bytes.
  int tries = 0;
  bool is_purged = false;  ///< Its own table is dropped with all files, or was to be.
  std::vector<TableName> made;
};

/// What all actors of a run share.
struct Scene {
  World* world = nullptr;
  Judge* judge = nullptr;
  TableName name;
  /// Partition specs change; else, if the table has one, it is identity(cat).
  bool has_changing_spec = false;
  bool has_expiry = false;
  bool has_replacement = false;
  bool has_moves = false;  ///< Branches go back and elsewhere.
  Focus focus = Focus::kNone;
  /// Data files are Parquet, and what is done to them is all firn's own work; else they are text.
  bool has_parquet = false;
  /// An append finds its earlier try for ever.
  bool keeps_history() const { return !has_expiry && !has_replacement && !has_moves; }
  ReadRows read_rows;
  int64_t next_row = 1;
  int64_t next_file = 1;
  Executor* executor = nullptr;
  MemoryBudget* budget = nullptr;
  std::vector<std::unique_ptr<ForeignFolder>> folders;
  std::vector<TableName> other_names;  ///< That the table may have, too.
};

/// A column's name, which may be another one each time.
std::string ColumnName(const TableMetadata& metadata, int32_t field_id);

/// A condition on rows, for firn and for the model.
struct Condition {
  std::string text;  ///< `{}` stands for the name of the column `cat`.
  std::function<bool(const Row& row)> matches;

  Result<ExpressionPtr> For(const TableMetadata& metadata) const;
};

/// Deletes by key of a few rows of the branch's head. A delete reaches files of its own spec only,
/// so there are none where the table has had several.
struct KeyDelete {
  std::vector<Row> rows;       ///< Empty: it is not possible.
  bool is_everywhere = false;  ///< In all partitions; else a row goes if it is in the same one.
};

/// What operations are called for whose end others wait.
inline constexpr const char* kConversionName = "convert equality deletes";
inline constexpr const char* kDeleteByKeyName = "delete by key";
inline constexpr const char* kCompactionName = "compact";

/// One actor at one job.
class Worker {
 public:
  Worker(Scene& scene, Process& process, Random& random)
      : scene_(scene), process_(process), random_(random) {}

  Scene& scene() { return scene_; }
  Judge& judge() const { return *scene_.judge; }
  void Violate(std::string message) const { scene_.world->Violate(std::move(message)); }
  Process& process() { return process_; }
  Random& random() { return random_; }
  FileIO& io() { return *scene_.world->io(); }
  int format_version() const { return scene_.judge->metadata().format_version; }
  CommitContext context();

  bool Chance(uint64_t percent) { return random_.Below(100) < percent; }

  MaintainContext maintain_context();
  /// Load the table, then change it. Returns the table after it.
  Result<Table> Change(const PlanUpdates& plan);

  /// Load the table, and see that it is what the table was meanwhile.
  Result<Table> Load();
  /// Nullopt: the branch has no snapshot.
  std::optional<SnapshotId> HeadOf(const Table& table, const std::string& branch) const;
  /// `main`, or another one that the table had when it was looked at last.
  std::string ChooseBranch();

  std::vector<Row> NewRows(size_t count_max);
  std::string NewCategory();
  Condition NewCondition();
  /// Also tells the operation what it does.
  KeyDelete NewKeyDelete(Operation& operation, const Table& table);
  /// What an error means if the table has moved meanwhile, so that what was asked for is not
  /// possible any more.
  Error ExcuseLate(const Operation& operation, const Error& error) const;
  /// The same if what was read may have expired.
  Error ExcuseExpired(const Operation& operation, const Error& error) const;
  /// Now and then others do much before it goes on.
  void Dawdle();
  /// If the run is about `focus`, its next commit often waits for that, as long as others come.
  void HoldCommit(Operation& operation, Focus focus, std::function<bool()> has_come);
  /// That of a compaction, until rows that it moves were deleted by key and that is converted.
  void HoldCompaction(Operation& operation);
  /// That of a conversion, until files that it read were compacted.
  void HoldConversion(Operation& operation);
  /// How many operations of this name have ended well.
  int64_t CountDone(std::string_view what) const;
  FileNames Names(const Operation& operation);

  /// What callers do with files that they wrote for a commit.
  Result<std::optional<SnapshotId>> Settle(const Result<CommitResult>& committed,
                                           const std::vector<DataFile>& written);

  /// Names the operation.
  static std::map<std::string, std::string> SummaryOf(const Operation& operation);

 private:
  Scene& scene_;
  Process& process_;
  Random& random_;
};

/// The outcome of a job: the snapshot that holds it, if it made one.
using JobResult = Result<std::optional<SnapshotId>>;

struct Job {
  const char* name;
  uint64_t weight;  ///< How often it is chosen, compared with others.
  /// Tries `operation`, whose branch and effect it says.
  JobResult (*run)(Worker& worker, Operation& operation);
};

/// Appends, deletes, overwrites and compactions of tiny files.
const std::vector<Job>& FileJobs();
/// Deletes by key; rewriting of deletes.
const std::vector<Job>& DeleteJobs();
/// Snapshots that are staged; several in one transaction.
const std::vector<Job>& StagingJobs();
/// Staged snapshots, and those of other branches, that are published.
const std::vector<Job>& PublishingJobs();
const std::vector<Job>& ReplacementJobs();
/// Properties, versions, branches; reading.
const std::vector<Job>& TableJobs();
/// Columns, specs, sort orders.
const std::vector<Job>& SchemaJobs();
/// What only looks at the table, as people do.
const std::vector<Job>& LookingJobs();
/// Tables beside the table: of files of others, registered, dropped.
const std::vector<Job>& NeighbourJobs();
/// Branches and tags that move and go.
const std::vector<Job>& RefJobs();
/// Rows and files of Parquet, by the procedures themselves.
const std::vector<Job>& ParquetJobs();
/// Reading, copies and computed statistics of such tables.
const std::vector<Job>& ReadingJobs();
/// All of maintenance at once.
const std::vector<Job>& CycleJobs();
/// Maintenance beyond compaction.
const std::vector<Job>& MaintenanceJobs();

}  // namespace firn::simulation
