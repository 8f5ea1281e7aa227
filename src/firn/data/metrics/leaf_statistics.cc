#include <algorithm>
#include <string>
#include <utility>

#include "firn/data/metrics/leaf_statistics_internal.h"
#include "firn/format/types/value_bounds.h"
#include "firn/parquet/transcode.h"

namespace firn {
namespace {

// Code points that are surely within a bound that was cut.
constexpr int32_t kCutWidth = static_cast<int32_t>(kBoundBytesMax / 5);

// What was cut is told by its first code points: the upper bound has to be rounded up.
MetricsMode ModeOf(const LeafStatistics& leaf) {
  MetricsMode mode = leaf.mode;
  if (!IsCutBound(leaf.lower) && !IsCutBound(leaf.upper)) return mode;
  if (mode.kind == MetricsMode::Kind::kFull) {
    mode = {.kind = MetricsMode::Kind::kTruncate, .width = kCutWidth};
  }
  mode.width = std::min(mode.width, kCutWidth);
  return mode;
}

}  // namespace

bool IsCutBound(const Value& bound) {
  if (const auto* text = bound.get_if<std::string>()) return text->size() >= kBoundBytesMax;
  const auto* binary = bound.get_if<BinaryValue>();
  return binary != nullptr && binary->bytes.size() >= kBoundBytesMax;
}

Status AddLeafMetrics(const LeafStatistics& leaf, FileMetrics& metrics) {
  const int32_t id = leaf.field->id;
  const Type& type = *leaf.field->type;
  if (leaf.mode.kind == MetricsMode::Kind::kNone) return {};
  if (leaf.stored_bytes) metrics.column_sizes.emplace_back(id, *leaf.stored_bytes);
  metrics.value_counts.emplace_back(id, leaf.value_count);
  if (leaf.null_count) metrics.null_value_counts.emplace_back(id, *leaf.null_count);
  if (type.is_float() && leaf.nan_count) metrics.nan_value_counts.emplace_back(id, *leaf.nan_count);
  const bool has_bounds = !leaf.lower.is_null() && !leaf.upper.is_null();
  if (leaf.mode.kind == MetricsMode::Kind::kCounts || !has_bounds) return {};
  Value lower = leaf.lower;
  std::optional<Value> upper = leaf.upper;
  const MetricsMode mode = ModeOf(leaf);
  if (mode.kind == MetricsMode::Kind::kTruncate) {
    lower = TruncateLowerBound(lower, mode.width);
    upper = TruncateUpperBound(*upper, mode.width);
  }
  FIRN_ASSIGN(std::string lower_bytes, ToBoundBytes(lower, type), "column '{}'", leaf.field->name);
  metrics.lower_bounds.emplace_back(id, std::move(lower_bytes));
  if (!upper) return {};
  FIRN_ASSIGN(std::string upper_bytes, ToBoundBytes(*upper, type), "column '{}'", leaf.field->name);
  metrics.upper_bounds.emplace_back(id, std::move(upper_bytes));
  return {};
}

}  // namespace firn
