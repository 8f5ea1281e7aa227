#pragma once

#include <set>
#include <string>
#include <vector>

#include "firn/scan/scan.h"

#include "model.h"

/// Data and delete files as text: everything but commits and scans costs next to nothing, so that a
/// second holds many runs.

namespace firn::simulation {

/// A live row of a data file.
struct PlacedRow {
  Row row;
  int64_t position = 0;
};

/// Makes unique names of files of one table: "<location>/data/<operation>-<n>.parquet".
struct FileNames {
  std::string location;
  int64_t operation = 0;
  int64_t* next = nullptr;
  std::string Next() const;
};

/// Write `rows` into one file for each partition of the default spec. On an error what was written
/// is deleted again.
Result<std::vector<DataFile>> WriteTinyFiles(FileIO& io, const TableMetadata& metadata,
                                             const FileNames& names, const std::vector<Row>& rows);

/// Write a position delete file, or from version 3 on a deletion vector, for `data_file`.
Result<DataFile> WriteTinyDeletes(FileIO& io, const TableMetadata& metadata, const FileNames& names,
                                  const DataFile& data_file, const std::set<int64_t>& positions);

/// Write equality deletes of the ids of `rows`, one file for each partition of the default spec. On
/// an error what was written is deleted again.
Result<std::vector<DataFile>> WriteTinyEqualityDeletes(FileIO& io, const TableMetadata& metadata,
                                                       const FileNames& names,
                                                       const std::vector<Row>& rows);

/// Positions of the rows that equality deletes of a task delete.
Result<std::set<int64_t>> FindTinyDeletedRows(FileIO& io, const FileScanTask& task);

/// The deletes of a task that are for its data file alone.
std::vector<DeleteFilePtr> OwnDeletes(const FileScanTask& task);

/// Positions that the deletes of a task name.
Result<std::set<int64_t>> ReadTinyDeletes(FileIO& io, const FileScanTask& task);
Result<std::vector<PlacedRow>> ReadTinyFile(FileIO& io, const FileScanTask& task);

/// What a row that does not tell its lineage gets from its file.
void InheritLineage(const FileScanTask& task, int64_t position, Row& row);

/// For Judge.
Result<std::vector<Row>> ReadTinyTable(std::shared_ptr<FileIO> io, const Table& table,
                                       SnapshotId snapshot_id);

/// What a snapshot holds. `condition`, unbound, may be null.
Result<std::vector<FileScanTask>> PlanSnapshot(FileIO& io, const TableMetadata& metadata,
                                               SnapshotId snapshot_id,
                                               const ExpressionPtr& condition);

}  // namespace firn::simulation
