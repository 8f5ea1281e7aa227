#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "firn/data/read/reader.h"
#include "firn/scan/scan.h"

#include "model.h"

/// Data files of runs in which all is firn's own work: written by it, and read in a way of our own.

namespace firn::simulation {

/// Reads tables of Parquet for the judge: files one at a time, whole, each once, as they never
/// change; lineage and deletes are applied here.
class ParquetFiles {
 public:
  /// Both outlive this.
  ParquetFiles(Executor& executor, MemoryBudget& budget) : executor_(executor), budget_(budget) {}

  /// The rows of a snapshot.
  Result<std::vector<Row>> ReadTable(const std::shared_ptr<FileIO>& io, const Table& table,
                                     SnapshotId snapshot_id);

 private:
  using Positions = std::map<std::string, std::set<int64_t>>;  // By data file.

  Result<const std::vector<Row>*> RowsOf(const ReadContext& context, const std::string& path);
  Result<const Positions*> PositionsOf(const ReadContext& context, const DataFile& file);
  Result<const std::set<int64_t>*> KeysOf(const ReadContext& context, const DataFile& file);
  Status AddLive(const ReadContext& context, const FileScanTask& task, std::vector<Row>& rows);

  Executor& executor_;
  MemoryBudget& budget_;
  std::map<std::string, std::vector<Row>> rows_;
  std::map<std::string, Positions> positions_;
  std::map<std::string, std::set<int64_t>> keys_;
};

/// Rows of the current schema, for firn to write, with `OtherValue` where a column has such values.
RowStream MakeRows(const TableMetadata& metadata, const std::vector<Row>& rows);

/// Lines of a stream as firn shows it, split at commas, without the header. Values hold none.
Result<std::vector<std::vector<std::string>>> ReadLines(RowStream rows, const Schema& schema);

}  // namespace firn::simulation
