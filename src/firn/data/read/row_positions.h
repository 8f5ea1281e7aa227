#pragma once

#include <map>
#include <string>
#include <vector>

#include "firn/data/read/reader.h"
#include "firn/data/write/writer.h"
#include "firn/format/puffin/deletion_vector.h"

/// Rows named by data file and position: looked for, and deleted.

namespace firn {

/// Positions by data file path.
using PositionsByFile = std::map<std::string, PositionSet, std::less<>>;

/// The live rows of `tasks` for which `filter` (bound to the current schema) is true; files without
/// one are missing. Errors: those of ReadTasks.
Result<PositionsByFile> FindPositions(const ReadContext& context, std::vector<FileScanTask> tasks,
                                      const ExpressionPtr& filter);

/// What the position delete files and deletion vectors of each task delete in its data file, in the
/// order of `tasks`; positions behind its last row are left out. Errors: kCorrupt, kNotFound,
/// naming the delete file.
Result<std::vector<PositionSet>> LoadDeletedPositions(const ReadContext& context,
                                                      const std::vector<FileScanTask>& tasks);

/// Positions to delete in one data file.
struct FileDeletes {
  DataFile data_file;  ///< Path, partition and spec of it count.
  PositionSet positions;
};

/// Deletion vectors (version 3), all in one Puffin file: a delete file for each data file, finished
/// and durable. On an error no file is left. Errors: kResourceExhausted, kUnavailable.
Result<std::vector<DataFile>> WriteDeletionVectors(const WriteContext& context,
                                                   const std::vector<FileDeletes>& deletes);

/// Position delete files (version 2), one for each data file, written in parallel; otherwise as
/// above.
Result<std::vector<DataFile>> WritePositionDeletes(const WriteContext& context,
                                                   const std::vector<FileDeletes>& deletes);

/// The current schema of the table and behind it, from version 3 on, the columns of row lineage:
/// what rows that move to another file must carry.
SchemaPtr SchemaWithLineage(const TableMetadata& metadata);

}  // namespace firn
