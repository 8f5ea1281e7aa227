#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/format/layout/partition_spec.h"
#include "firn/format/schema/schema.h"

namespace firn {

/// Rows of a batch that belong to one partition.
struct PartitionRows {
  size_t partition = 0;       ///< Index into `PartitionSplitter::partitions()`.
  std::vector<int64_t> rows;  ///< Ascending.
};

/// Computes the partition of each row. Single-threaded.
class PartitionSplitter {
 public:
  /// Errors: kUnsupported: a transform that firn does not know; kInvalidInput: a source column is
  /// not among the schema's.
  static Result<PartitionSplitter> Make(const PartitionSpec& spec, const Schema& schema);

  /// Group the rows of a batch by partition, in the order in which partitions first appear.
  Result<std::vector<PartitionRows>> Split(
      const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t rows,
      arrow::MemoryPool* pool);

  /// All partitions seen so far, by index.
  const std::vector<StructValue>& partitions() const { return partitions_; }

 private:
  struct Source {
    Transform transform;
    TypePtr type;
    std::vector<int> places;
  };
  Result<size_t> FindPartition(const std::vector<std::shared_ptr<arrow::Array>>& sources,
                               int64_t row);

  std::vector<Source> sources_;
  std::vector<StructValue> partitions_;
  std::unordered_map<uint64_t, std::vector<size_t>> by_hash_;  // Of partition values.
  std::unordered_map<std::string, size_t> by_source_;          // By the source values' key.
};

}  // namespace firn
