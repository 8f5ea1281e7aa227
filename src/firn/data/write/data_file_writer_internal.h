#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/data/arrow/budget_pool.h"
#include "firn/data/metrics/column_metrics_internal.h"
#include "firn/data/sort/even_files_internal.h"
#include "firn/data/write/file_formats_internal.h"
#include "firn/data/write/writer.h"

namespace firn {

/// What all files of one WriteDataFiles share.
struct SharedWrite {
  const WriteContext* context = nullptr;
  const DataWriteOptions* options = nullptr;
  EncodeOptions encode;
  std::map<int32_t, MetricsMode> metrics_modes;
  TypePtr partition_type;
  std::shared_ptr<BudgetPool> pool;
  PageCodecPool codecs;
  std::string name_stem;        ///< "00000-0-<uuid>": of this operation.
  int64_t file_count = 0;       ///< Files begun.
  std::vector<DataFile> files;  ///< Finished and published.
};

/// Writes the rows of one partition into files, one at a time.
class PartitionWriter {
 public:
  PartitionWriter(SharedWrite& shared, StructValue partition);
  ~PartitionWriter();

  Status Write(const std::shared_ptr<arrow::RecordBatch>& batch);
  /// Finish the open file, if there is one, and add it to `SharedWrite::files`.
  Status Close();
  Status Flush();
  bool is_open() const { return open_ != nullptr; }
  int64_t buffered_bytes() const;

 private:
  struct OpenFile;
  Status Open();
  Status Add(const std::shared_ptr<arrow::RecordBatch>& rows);
  bool IsFull();

  SharedWrite& shared_;
  StructValue partition_;
  std::unique_ptr<OpenFile> open_;
  std::optional<EvenFiles> even_;
};

}  // namespace firn
