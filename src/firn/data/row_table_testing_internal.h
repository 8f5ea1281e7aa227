#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/executor.h"
#include "firn/base/memory_budget.h"
#include "firn/data/data.h"

/// For the tests of this module: a table whose rows lie in files in memory and whose scan tasks are
/// put together by hand.

namespace firn {

NestedField Optional(int32_t id, std::string name, TypePtr type);
NestedField Required(int32_t id, std::string name, TypePtr type);
inline TypePtr Primitive(TypeId id) { return Type::Primitive(id); }

class RowTable {
 public:
  explicit RowTable(std::vector<NestedField> fields, int64_t budget_bytes = int64_t{256} << 20,
                    size_t threads = 2);

  TableMetadata& metadata() { return metadata_; }
  FileIO& io() { return *io_; }
  std::shared_ptr<FileIO> shared_io() { return io_; }
  MemoryBudget& budget() { return budget_; }
  ReadContext read_context();
  WriteContext write_context();

  /// Make `fields` the current schema; earlier ones stay known.
  void EvolveTo(std::vector<NestedField> fields);

  /// Write rows of the current schema into a file of partition `partition` of the default spec.
  FileScanTask Write(std::vector<StructValue> rows, int64_t sequence_number = 1,
                     StructValue partition = {});

  /// Bytes of a file written elsewhere.
  FileScanTask AddFile(const std::string& name, std::string_view bytes,
                       FileFormat format = FileFormat::kParquet);

  /// An equality or position delete file with rows of `fields`.
  DeleteFilePtr WriteDeletes(FileContent content, std::vector<NestedField> fields,
                             std::vector<StructValue> rows, int64_t sequence_number,
                             std::vector<int32_t> equality_ids = {});
  DeleteFilePtr WritePositionDeletes(
      const std::vector<std::pair<std::string, int64_t>>& path_and_position,
      int64_t sequence_number);
  DeleteFilePtr WriteDeletionVector(const std::string& data_path,
                                    const std::vector<int64_t>& positions);

  /// Rows as JSON lines, sorted unless `is_ordered`. `columns` as `--columns`.
  Result<std::vector<std::string>> Read(std::vector<FileScanTask> tasks,
                                        const std::vector<std::string>& columns = {},
                                        const std::string& where = "", bool is_ordered = false);
  Result<std::vector<std::string>> ReadWith(std::vector<FileScanTask> tasks, ReadOptions options);

 private:
  int64_t CountRows(const std::string& uri, FileFormat format);

  std::unique_ptr<Clock> clock_;
  std::shared_ptr<FileIO> io_;
  std::unique_ptr<Executor> executor_;
  MemoryBudget budget_;
  std::unique_ptr<Random> random_;
  TableMetadata metadata_;
  int file_count_ = 0;
};

/// Rendered text of all rows.
Result<std::string> RenderText(RowStream rows, const TypePtr& type, RowFormat format);

}  // namespace firn
