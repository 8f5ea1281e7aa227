#pragma once

#include <map>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/data/metrics/leaf_statistics_internal.h"
#include "firn/data/metrics/metrics_mode_internal.h"
#include "firn/format/manifest/manifest.h"

/// Iceberg's statistics of the rows that go into a file, taken from the values themselves: exact,
/// whatever a footer leaves out.

namespace firn {

/// Least and greatest of the values of one leaf, without nulls and NaN.
class LeafMetrics {
 public:
  virtual ~LeafMetrics() = default;
  virtual void Add(const arrow::Array& values) = 0;
  /// Null values if there was none.
  virtual Value lower() const = 0;
  virtual Value upper() const = 0;
  int64_t nan_count() const { return nan_count_; }

 protected:
  int64_t nan_count_ = 0;
};
std::unique_ptr<LeafMetrics> MakeLeafMetrics(const Type& type);

class MetricsCollector {
 public:
  MetricsCollector(const Schema& schema, const std::map<int32_t, MetricsMode>& modes);

  /// Columns have the Arrow types of the schema's fields. Errors: kResourceExhausted.
  Status Add(const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t rows,
             arrow::MemoryPool* pool);

  /// All but the column sizes, which are taken over from `column_sizes` for columns whose mode
  /// keeps any statistics. Errors: kInternal.
  Result<FileMetrics> Finish(const FieldMap<int64_t>& column_sizes) const;

  /// What was counted of each leaf that has any statistics, by ascending id.
  std::vector<LeafStatistics> Statistics() const;

 private:
  struct Leaf {
    NestedField field;
    MetricsMode mode;
    std::vector<int> places;
    int64_t null_count = 0;
    std::unique_ptr<LeafMetrics> bounds;  // Null: counts only.
  };
  void AddLeaves(const std::vector<NestedField>& fields, const std::vector<int>& parent,
                 const std::map<int32_t, MetricsMode>& modes);

  std::vector<Leaf> leaves_;
  std::vector<int32_t> ids_without_sizes_;
  int64_t row_count_ = 0;
};

}  // namespace firn
