#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "firn/expression/expression.h"
#include "firn/maintain/deletes/delete_rewrite.h"

/// Equality deletes become deletes by position, which cost readers little.

namespace firn {

/// Option names are those of the other rewrites, with `_` for `-`.
struct ConvertEqualityDeletesOptions : DeleteRewriteOptions {
  int64_t min_input_files = 1;  ///< Groups with fewer equality delete files stay.
};

/// Errors: kInvalidInput for unknown names (listing the known ones) and unparsable values.
Result<ConvertEqualityDeletesOptions> ParseConvertEqualityDeletesOptions(
    const std::map<std::string, std::string>& options);

/// Which equality delete files of the branch's head to convert. Reads manifests only.
///
/// Shape   Groups of equality deletes that have data files in common, directly or through others,
///         with all data files that they apply to: so all of them can go with the commit of their
///         group. With `where` only deletes that apply to some file that may hold matching rows,
///         and what they share groups with; without it also those that apply to nothing.
/// Errors  kNotFound: the branch. kInvalidInput: `where`. kCorrupt.
Result<DeleteRewritePlan> PlanEqualityDeleteConversion(
    const MaintainContext& context, const Table& table, const std::string& branch,
    const ExpressionPtr& where, const ConvertEqualityDeletesOptions& options);

/// Plan, run and commit: position delete files in version 2, in version 3 deletion vectors, into
/// which the deletes by position that applied to the file before are taken up. Of data files the
/// key columns are read (docs/decisions/0026). Deletes and rows that others add meanwhile are no
/// conflict, unless the rows are older than a delete that is to go. Errors: also kCommitConflict,
/// kCommitUnknown; kInternal: other rows would be deleted.
Result<DeleteRewriteResult> ConvertEqualityDeletes(const MaintainContext& context,
                                                   const Table& table, const std::string& branch,
                                                   const ExpressionPtr& where,
                                                   const ConvertEqualityDeletesOptions& options);

}  // namespace firn
