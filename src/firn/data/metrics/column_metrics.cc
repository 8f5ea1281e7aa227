#include <algorithm>
#include <utility>

#include <arrow/array.h>

#include "firn/data/columns/leaf_column_internal.h"
#include "firn/data/metrics/column_metrics_internal.h"

namespace firn {

MetricsCollector::MetricsCollector(const Schema& schema,
                                   const std::map<int32_t, MetricsMode>& modes) {
  AddLeaves(schema.fields(), {}, modes);
  std::sort(leaves_.begin(), leaves_.end(),
            [](const Leaf& a, const Leaf& b) { return a.field.id < b.field.id; });
}

void MetricsCollector::AddLeaves(const std::vector<NestedField>& fields,
                                 const std::vector<int>& parent,
                                 const std::map<int32_t, MetricsMode>& modes) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const NestedField& field = fields[i];
    std::vector<int> places = parent;
    places.push_back(static_cast<int>(i));
    if (field.type->id() == TypeId::kStruct) {
      AddLeaves(field.type->fields(), places, modes);
      continue;
    }
    const auto mode = modes.find(field.id);
    if (mode == modes.end() || field.type->id() == TypeId::kUnknown) continue;
    if (mode->second.kind == MetricsMode::Kind::kNone) {
      ids_without_sizes_.push_back(field.id);
      continue;
    }
    Leaf leaf{.field = field, .mode = mode->second, .places = std::move(places)};
    // Counts of NaN come with the bounds.
    if (mode->second.kind != MetricsMode::Kind::kCounts || field.type->is_float()) {
      leaf.bounds = MakeLeafMetrics(*field.type);
    }
    leaves_.push_back(std::move(leaf));
  }
}

Status MetricsCollector::Add(const std::vector<std::shared_ptr<arrow::Array>>& columns,
                             int64_t rows, arrow::MemoryPool* pool) {
  row_count_ += rows;
  for (Leaf& leaf : leaves_) {
    FIRN_ASSIGN(const auto values, LeafColumn(columns, leaf.places, pool));
    leaf.null_count += values->null_count();
    if (leaf.bounds != nullptr) leaf.bounds->Add(*values);
  }
  return {};
}

Result<FileMetrics> MetricsCollector::Finish(const FieldMap<int64_t>& column_sizes) const {
  FileMetrics metrics;
  metrics.stored_empty = FileMetrics::kAllMaps;  // They tell all there is, as Java's do.
  for (const auto& [id, size] : column_sizes) {
    const bool is_left_out = std::find(ids_without_sizes_.begin(), ids_without_sizes_.end(), id) !=
                             ids_without_sizes_.end();
    if (!is_left_out) metrics.column_sizes.emplace_back(id, size);
  }
  for (const LeafStatistics& leaf : Statistics())
    FIRN_RETURN_IF_ERROR(AddLeafMetrics(leaf, metrics));
  return metrics;
}

std::vector<LeafStatistics> MetricsCollector::Statistics() const {
  std::vector<LeafStatistics> all;
  for (const Leaf& leaf : leaves_) {
    LeafStatistics statistics{.field = &leaf.field,
                              .mode = leaf.mode,
                              .value_count = row_count_,
                              .null_count = leaf.null_count};
    if (leaf.bounds != nullptr) {
      statistics.nan_count = leaf.bounds->nan_count();
      statistics.lower = leaf.bounds->lower();
      statistics.upper = leaf.bounds->upper();
    }
    all.push_back(std::move(statistics));
  }
  return all;
}

}  // namespace firn
