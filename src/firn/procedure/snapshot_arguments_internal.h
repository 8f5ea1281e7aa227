#pragma once

#include <vector>

#include "firn/procedure/procedure.h"
#include "firn/scan/scan.h"

/// The arguments by which every reading command says which state of a table it means.

namespace firn {

/// `snapshot_id`, `as_of`, `ref`, in the order of the command line.
std::vector<Argument> SnapshotArguments();

/// What the arguments and a suffix of the table's name say. Errors: kInvalidInput if the suffix and
/// an argument are given.
Result<SnapshotSelector> SelectSnapshot(const Arguments& arguments,
                                        const TableReference& reference);

}  // namespace firn
