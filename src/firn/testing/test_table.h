#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/executor.h"
#include "firn/base/random.h"
#include "firn/catalog/catalog.h"
#include "firn/commit/commit.h"
#include "firn/scan/scan.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/faulty_file_io.h"

namespace firn {

struct TestTableOptions {
  int format_version = 2;
  bool is_partitioned = false;  ///< By identity of the column `cat` (id 2, string).
  Properties properties;
  uint64_t seed = 1;
};

/// A table of (1: id long, 2: cat string) over memory files, a memory catalog and a fake clock. Its
/// data files are entries of manifests only, unless a test writes them: for what needs no rows.
class TestTable {
 public:
  explicit TestTable(const TestTableOptions& options = {});

  const TableName& name() const { return name_; }
  Catalog& catalog() { return *catalog_; }
  FakeClock& clock() { return clock_; }
  Random& random() { return *random_; }
  Executor& executor() { return *executor_; }
  FaultyFileIO& io() { return *io_; }
  CommitContext context();

  /// As of now.
  Table Load();

  /// A data file of `records` rows below the table, with `partition` if the table is partitioned.
  DataFile MakeDataFile(const std::string& file_name, int64_t records = 10,
                        const std::string& partition = "a");
  /// A position delete file that names `data_file` alone, or its whole partition.
  DataFile MakePositionDeletes(const std::string& file_name, const DataFile& data_file,
                               bool is_file_scoped = true);
  DataFile MakeEqualityDeletes(const std::string& file_name, const std::string& partition = "a");
  /// A blob of a Puffin file.
  DataFile MakeDeletionVector(const std::string& file_name, const DataFile& data_file,
                              int64_t offset, int64_t cardinality);

  /// Commit one snapshot that adds `files`, data and deletes, to `branch` without any check, as a
  /// foreign writer might. `operation` defaults to what the content says.
  Snapshot Add(const std::vector<DataFile>& files, const std::string& operation = "",
               const std::string& branch = std::string(kMainBranch));

  /// Commit one snapshot that takes the file at `path` out of the table.
  Snapshot Remove(const std::string& path);

  /// Move a branch to a snapshot, or make a branch or tag.
  void SetRef(const std::string& name, SnapshotId snapshot_id, RefType type = RefType::kBranch);

  /// Live entries of the current snapshot, sorted by path.
  std::vector<ManifestEntry> LiveEntries();
  std::vector<std::string> LivePaths();
  std::vector<ManifestFile> CurrentManifests();

  /// Every file that exists, sorted.
  std::vector<std::string> AllFiles();
  /// Every metadata file that a retained snapshot needs, sorted.
  std::vector<std::string> ReachableMetadata();

 private:
  Snapshot Commit(const Table& base, std::vector<ManifestFile> manifests,
                  const std::string& operation, const std::string& branch);
  std::string NewUri(const std::string& suffix);

  FakeClock clock_;
  std::unique_ptr<Random> random_;
  std::unique_ptr<Executor> executor_;
  std::shared_ptr<FaultyFileIO> io_;
  std::unique_ptr<Catalog> catalog_;
  TableName name_{{"db"}, "t"};
};

}  // namespace firn
