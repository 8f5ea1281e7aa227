#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/data/metrics/metrics_mode_internal.h"

namespace firn {
namespace {

constexpr std::string_view kDefaultKey = "write.metadata.metrics.default";
constexpr std::string_view kColumnPrefix = "write.metadata.metrics.column.";
constexpr std::string_view kInferredKey = "write.metadata.metrics.max-inferred-column-defaults";
constexpr int64_t kInferredColumns = 100;

Result<MetricsMode> ParseMode(std::string_view key, std::string_view text) {
  const std::string mode = LowerAscii(TrimText(text));
  if (mode == "none") return MetricsMode{MetricsMode::Kind::kNone};
  if (mode == "counts") return MetricsMode{MetricsMode::Kind::kCounts};
  if (mode == "full") return MetricsMode{MetricsMode::Kind::kFull};
  if (mode.starts_with("truncate(") && mode.ends_with(")")) {
    const std::string_view digits = std::string_view(mode).substr(9, mode.size() - 10);
    const std::optional<int32_t> width = ParseInt32(TrimText(digits));
    if (width && *width > 0) return MetricsMode{MetricsMode::Kind::kTruncate, *width};
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "table property '{}' is '{}', expected none, counts, full or truncate(N)", key,
                   text);
}

// Leaves outside of lists and maps, breadth first as Java counts them.
std::vector<const NestedField*> CollectLeaves(const Schema& schema) {
  std::vector<const NestedField*> leaves;
  std::vector<const NestedField*> level;
  for (const NestedField& field : schema.fields())
    level.push_back(&field);
  while (!level.empty()) {
    std::vector<const NestedField*> next;
    for (const NestedField* field : level) {
      if (!field->type->is_nested()) leaves.push_back(field);
      if (field->type->id() != TypeId::kStruct) continue;
      for (const NestedField& child : field->type->fields())
        next.push_back(&child);
    }
    level = std::move(next);
  }
  return leaves;
}

std::set<int32_t> SortedColumns(const TableMetadata& metadata) {
  std::set<int32_t> ids;
  const SortOrder* order = metadata.FindSortOrder(metadata.default_sort_order_id);
  if (order == nullptr) return ids;
  for (const SortField& field : order->fields) {
    if (field.transform.preserves_order()) ids.insert(field.source_id());
  }
  return ids;
}

bool HasNoBounds(const MetricsMode& mode) {
  return mode.kind == MetricsMode::Kind::kNone || mode.kind == MetricsMode::Kind::kCounts;
}

}  // namespace

Result<std::map<int32_t, MetricsMode>> MetricsModes(const TableMetadata& metadata,
                                                    const Schema& schema) {
  const std::string default_text = metadata.Property(kDefaultKey, "");
  MetricsMode default_mode;
  int64_t columns_with_default = INT64_MAX;
  if (!default_text.empty()) {
    FIRN_ASSIGN(default_mode, ParseMode(kDefaultKey, default_text));
  } else {
    FIRN_ASSIGN(columns_with_default, metadata.IntProperty(kInferredKey, kInferredColumns));
  }
  const std::set<int32_t> sorted = SortedColumns(metadata);
  std::map<int32_t, MetricsMode> modes;
  int64_t count = 0;
  for (const NestedField* leaf : CollectLeaves(schema)) {
    MetricsMode mode =
        count++ < columns_with_default ? default_mode : MetricsMode{MetricsMode::Kind::kNone};
    if (sorted.contains(leaf->id) && HasNoBounds(mode)) mode = MetricsMode{};
    const std::string key = std::string(kColumnPrefix) + schema.FullName(leaf->id);
    const std::string text = metadata.Property(key, "");
    if (!text.empty()) {
      FIRN_ASSIGN(mode, ParseMode(key, text));
    }
    modes.emplace(leaf->id, mode);
  }
  return modes;
}

}  // namespace firn
