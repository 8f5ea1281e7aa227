#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/format/layout/partition_spec.h"
#include "firn/format/layout/sort_order.h"
#include "firn/format/schema/schema.h"

/// Rows as byte strings that compare, unsigned byte by byte, as the rows do in a sort order.

namespace firn {

/// Keys of consecutive rows.
class RowKeys {
 public:
  size_t size() const { return ends_.size(); }
  std::string_view at(size_t row) const {
    const size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(bytes_).substr(begin, ends_[row] - begin);
  }

  /// Bytes appended here belong to the key that EndRow completes.
  std::string& bytes() { return bytes_; }
  void EndRow() { ends_.push_back(bytes_.size()); }
  void Clear();
  /// What the keys take in memory.
  int64_t memory_bytes() const;

 private:
  std::string bytes_;
  std::vector<size_t> ends_;
};

/// Single-threaded.
class RowKeyEncoder {
 public:
  virtual ~RowKeyEncoder() = default;
  /// Append the key of each row of `batch` to `keys`. Errors: kResourceExhausted.
  virtual Status AppendKeys(const arrow::RecordBatch& batch, arrow::MemoryPool* pool,
                            RowKeys& keys) = 0;
};

/// True if rows of `schema` can be brought into this order: all transforms are known and all source
/// columns there.
bool CanSortBy(const std::vector<SortField>& fields, const Schema& schema);

/// Keys of rows of `schema` (in the Arrow types of `ToArrowSchema`) for the order that `fields`
/// tell: strings by bytes, floats -NaN < -Inf < .. < -0 < +0 < .. < NaN, nulls first or last
/// whatever the direction. Errors: kUnsupported where CanSortBy is false, naming the column.
Result<std::unique_ptr<RowKeyEncoder>> MakeSortKeyEncoder(const std::vector<SortField>& fields,
                                                          const Schema& schema);

/// The order that puts rows of each partition of `spec` together.
std::vector<SortField> PartitionOrder(const PartitionSpec& spec);

}  // namespace firn
