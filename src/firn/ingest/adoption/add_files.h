#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firn/ingest/ingest.h"

/// Files that somebody else wrote become data files of a table where they lie, without being read
/// as rows or written again.

namespace firn {

struct AddFilesRequest : SnapshotOptions {
  std::vector<std::string> sources;  ///< Files, folders, globs.
  std::optional<FileFormat> format;  ///< Empty: each file's name tells, else its first bytes.
  /// Only files of partitions with these values, by the name of a partition field or of its column.
  std::map<std::string, std::string> partition_filter;
  bool checks_duplicates = true;  ///< Refuse files that the branch has already.
  bool ignores_missing = false;   ///< Files that vanish after they were listed are left out.
};

struct AddFilesResult {
  int64_t added_files = 0;
  std::optional<int64_t> changed_partitions;
  SnapshotId snapshot_id = 0;
  bool is_repeat = false;
  Table table;  ///< After the commit.
};

/// Add all files of the sources in one commit. Columns are found by the field ids that a file
/// carries, else by name; a table without name mapping gets one in the same commit if a file needs
/// it. Metrics are those that footers tell. A file belongs to one partition of the table's spec,
/// which the `key=value` folders above it, its statistics or, where these do not prove it, its
/// values tell. Warns of files that another table, or the table's own folder, has. Folders outside
/// of the table's own are noted (`firn.adopted-folders`), so that nobody deletes files there.
///
/// Errors  kNotFound: no file. kInvalidInput: files that do not fit the table, with all differences
///         of all files; rows of several partitions in one file; files that the table has already.
///         kCommitConflict, kCommitUnknown.
Result<AddFilesResult> AddFiles(const IngestContext& context, const Table& table,
                                const AddFilesRequest& request);

}  // namespace firn
