#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/maintain/maintain_context.h"
#include "firn/scan/scan.h"

/// What rewriting position deletes and converting equality deletes have in common: groups of delete
/// files that others take the place of. As in compaction, each step's input and output is plain
/// data.

namespace firn {

/// Delete files that go together, and the data files that they apply to.
struct DeleteGroup {
  int64_t index = 0;
  std::string partition_path;         ///< For people.
  std::vector<DeleteFilePtr> inputs;  ///< Taken out by the commit of this group.
  /// Data files in order of their paths, with the deletes that the group's work needs.
  std::vector<FileScanTask> tasks;
  int64_t input_bytes = 0;
  int64_t expected_outputs = 0;
};

struct DeleteRewritePlan {
  SnapshotId starting_snapshot_id = 0;
  std::vector<DeleteGroup> groups;
  std::string reason;  ///< Why there are no groups, and which options would change that.
};

/// Option names are Spark's, with `_` for `-`.
struct DeleteRewriteOptions {
  int64_t max_concurrent_file_group_rewrites = 5;
  bool has_partial_progress = false;  ///< Commit batches of groups as they are finished.
  int64_t max_commits = 10;           ///< Batches are made as large as this asks for.
  std::string rewrite_job_order = "none";
};

struct DeleteRewriteResult {
  int32_t rewritten_position_deletes = 0;  ///< Files that went, and deletion vectors.
  int32_t converted_equality_deletes = 0;  ///< Files that went.
  int32_t added_position_deletes = 0;      ///< Files that came, and deletion vectors.
  int64_t rewritten_bytes = 0;             ///< Of deletion vectors: without the file around them.
  int64_t added_bytes = 0;
  std::optional<SnapshotId> snapshot_id;  ///< Of the last commit; empty: there was nothing to do.
  int32_t commit_count = 0;
  std::string reason;  ///< Of the plan; empty: there was something to do.
};

/// Bytes that are a delete file's own: deletion vectors share their files.
int64_t OwnBytes(const DataFile& file);

}  // namespace firn
