#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "firn/expression/expression.h"
#include "firn/maintain/deletes/delete_rewrite.h"

/// Position delete files put together: in version 2 small ones into few, in version 3 all of them
/// into deletion vectors.

namespace firn {

/// Option names are Spark's, with `_` for `-`.
struct RewritePositionDeletesOptions : DeleteRewriteOptions {
  int64_t target_file_size_bytes = 67108864;
  int64_t min_file_size_bytes = 50331648;   ///< Smaller files are candidates.
  int64_t max_file_size_bytes = 120795955;  ///< Larger files are candidates.
  int64_t min_input_files = 5;
  bool rewrite_all = false;
  int64_t max_file_group_size_bytes = 107374182400;
  int64_t max_file_group_input_files = INT64_MAX;
  /// `write.delete.granularity`: data files of a partition share delete files; else each has its
  /// own.
  bool is_by_partition = false;
  /// Leave groups from which as many files would come as there are.
  bool only_fewer = false;
};

/// Defaults from the table's properties, then `options` by Spark's names. Errors: kInvalidInput for
/// unknown names (listing the known ones), unparsable or inconsistent values.
Result<RewritePositionDeletesOptions> ParseRewritePositionDeletesOptions(
    const TableMetadata& metadata, const std::map<std::string, std::string>& options);

/// Which position delete files of the branch's head to rewrite. Reads manifests only.
///
/// Shape   Version 2: groups of one partition of one spec, of files that are too small or too
///         large, by the sizes and numbers of the options. Version 3: every position delete file,
///         one group for each partition, since a data file can have one vector only; deletion
///         vectors stay, as what they stand for is in them already.
/// Errors  kNotFound: the branch. kInvalidInput: `where`, of which only what it says of partitions
///         counts. kCorrupt.
Result<DeleteRewritePlan> PlanPositionDeleteRewrite(const MaintainContext& context,
                                                    const Table& table, const std::string& branch,
                                                    const ExpressionPtr& where,
                                                    const RewritePositionDeletesOptions& options);

/// Plan, run and commit. What readers see stays as it is: a row of a delete file goes along only
/// for a live data file that it applies to. Memory does not grow with the number of positions.
/// Errors: also kCommitConflict, kCommitUnknown; kInternal: what was written is not what was read.
Result<DeleteRewriteResult> RewritePositionDeletes(const MaintainContext& context,
                                                   const Table& table, const std::string& branch,
                                                   const ExpressionPtr& where,
                                                   const RewritePositionDeletesOptions& options);

}  // namespace firn
