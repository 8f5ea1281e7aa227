#pragma once

#include <optional>
#include <vector>

#include "firn/procedure/procedure.h"

namespace firn {

/// The arguments `start` and `end` of a command that shows changes.
std::vector<Argument> ChangelogRangeArguments();

/// The snapshots whose changes are asked for, by `start` and `end`, or by Spark's `options`
/// start-snapshot-id, end-snapshot-id, start-timestamp and end-timestamp. Errors: kInvalidInput,
/// kNotFound.
Result<std::vector<const Snapshot*>> FindChangelogSnapshots(const ProcedureContext& context,
                                                            const Arguments& arguments,
                                                            const TableReference& reference);

}  // namespace firn
