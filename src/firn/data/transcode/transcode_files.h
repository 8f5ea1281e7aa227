#pragma once

#include <optional>
#include <vector>

#include "firn/data/read/row_positions.h"
#include "firn/data/write/writer.h"
#include "firn/scan/scan.h"

namespace firn {

/// Rewrite the live rows of `tasks` but those in `dropped` into files of `options.partition`
/// without making rows of them: column chunks are put together below rows (module `parquet`), as
/// columns of the types that they were promoted to; those that a file lacks are filled as for
/// reading. Rows keep their order. Nullopt, with nothing written, if that is not possible: other
/// formats, equality deletes (see FindEqualityDeletedRows), an order of rows, and what decision
/// 0033 lists; the reason is logged, and the caller reads and writes rows instead. Requires
/// options.partition. Columns of row lineage in `options.schema` are kept as rows inherit them.
/// Errors: kCorrupt, naming the file; otherwise as WriteDataFiles.
Result<std::optional<std::vector<DataFile>>> TranscodeDataFiles(
    const WriteContext& context, const DataWriteOptions& options,
    const std::vector<FileScanTask>& tasks, const PositionsByFile& dropped = {});

}  // namespace firn
