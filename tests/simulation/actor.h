#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/executor.h"
#include "firn/base/memory_budget.h"
#include "firn/commit/commit.h"

#include "model.h"
#include "tiny_files.h"
#include "world.h"

/// What the actors of a run have in common. A job is one thing that an actor does; jobs of a kind
/// are listed at one place (`FileJobs`, `RowJobs`, `TableJobs`), which is where a new one goes.

namespace firn::simulation {

/// What all actors of a run share.
struct Scene {
  World* world = nullptr;
  Judge* judge = nullptr;
  TableName name;
  /// Real rows in Parquet files; else `tiny_files.h`.
  bool has_real_rows = false;
  /// Partition specs change; else, if the table has one, it is identity(cat).
  bool has_changing_spec = false;
  /// Snapshots are expired: then an append cannot find its earlier try for ever.
  bool has_expiry = false;
  ReadRows read_rows;
  int64_t next_row = 1;
  int64_t next_file = 1;
  Executor* executor = nullptr;
  MemoryBudget* budget = nullptr;
};

/// A condition on rows, for firn and for the model.
struct Condition {
  std::string text;
  std::function<bool(const Row& row)> matches;
};

/// One actor at one job.
class Worker {
 public:
  Worker(Scene& scene, Process& process, Random& random)
      : scene_(scene), process_(process), random_(random) {}

  Scene& scene() { return scene_; }
  Process& process() { return process_; }
  Random& random() { return random_; }
  FileIO& io() { return *scene_.world->io(); }
  CommitContext context();

  bool Chance(uint64_t percent) { return random_.Below(100) < percent; }

  /// Load the table, and see that it is what the table was meanwhile.
  Result<Table> Load();
  /// Nullopt: the branch has no snapshot.
  std::optional<SnapshotId> HeadOf(const Table& table, const std::string& branch) const;
  /// `main`, or another one that the table had when it was looked at last.
  std::string ChooseBranch();

  std::vector<Row> NewRows(size_t count_max);
  std::string NewCategory();
  Condition NewCondition();
  FileNames Names(const Operation& operation);

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
/// The same with real rows.
const std::vector<Job>& RowJobs();
/// Schemas, specs, properties, branches; reading.
const std::vector<Job>& TableJobs();
/// Maintenance beyond compaction.
const std::vector<Job>& MaintenanceJobs();

}  // namespace firn::simulation
