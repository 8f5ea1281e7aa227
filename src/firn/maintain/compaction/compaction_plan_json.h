#pragma once

#include <string>
#include <string_view>

#include "firn/maintain/compaction/rewrite_data_files.h"

/// Plans and results of compactions as JSON, so that groups may be rewritten by other processes
/// than the one that plans and commits. Everything that running a group needs besides the table is
/// in it.

namespace firn {

/// A plan and how its groups are arranged.
struct CompactionWork {
  CompactionPlan plan;
  RewriteOrder order;
};

/// Delete files stand once, however many data files they apply to. Errors: kUnsupported: a path or
/// value that is not UTF-8.
Result<std::string> FormatCompactionWork(const CompactionWork& work, const TableMetadata& metadata);

/// `where` names the text in errors. Errors: kCorrupt: no such JSON, with path, what was found and
/// what was expected; kInvalidInput: a plan of another table, or of a later version of firn.
Result<CompactionWork> ParseCompactionWork(std::string_view text, std::string_view where,
                                           const TableMetadata& metadata);

/// Errors as above.
Result<std::string> FormatGroupResult(const GroupResult& result, const TableMetadata& metadata);
Result<GroupResult> ParseGroupResult(std::string_view text, std::string_view where,
                                     const TableMetadata& metadata);

}  // namespace firn
