#include <cmath>
#include <cstring>
#include <utility>

#include <arrow/type.h>
#include <parquet/statistics.h>

#include "firn/base/int128.h"
#include "firn/data/parquet/parquet_pruning_internal.h"

namespace firn {
namespace {

using ArrowId = arrow::Type;

template <typename T>
std::optional<T> ReadPlain(std::string_view encoded) {
  if (encoded.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, encoded.data(), sizeof(T));
  return value;
}

template <typename T>
std::string WritePlain(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// Writers disagree on the sign of a zero bound: take the wider one.
template <typename T>
std::optional<std::string> FloatBound(std::string_view encoded, bool is_upper) {
  const std::optional<T> value = ReadPlain<T>(encoded);
  if (!value || std::isnan(*value)) return std::nullopt;
  if (*value == 0) return WritePlain(is_upper ? T{0} : -T{0});
  return WritePlain(*value);
}

std::optional<std::string> DecimalBound(parquet::Type::type physical, std::string_view encoded) {
  if (physical == parquet::Type::INT32) {
    const auto value = ReadPlain<int32_t>(encoded);
    return value ? std::optional(ToBigEndian(*value)) : std::nullopt;
  }
  if (physical == parquet::Type::INT64) {
    const auto value = ReadPlain<int64_t>(encoded);
    return value ? std::optional(ToBigEndian(*value)) : std::nullopt;
  }
  return std::string(encoded);
}

// The file's values are the table's values, or narrower ones that Iceberg may promote.
bool HasSameOrder(const arrow::DataType& file_type, const Type& type) {
  const ArrowId::type id = file_type.id();
  switch (type.id()) {
    case TypeId::kBoolean:
      return id == ArrowId::BOOL;
    case TypeId::kInt:
      return id == ArrowId::INT32 || id == ArrowId::INT16 || id == ArrowId::INT8;
    case TypeId::kLong:
      return id == ArrowId::INT64 || id == ArrowId::INT32;
    case TypeId::kFloat:
      return id == ArrowId::FLOAT;
    case TypeId::kDouble:
      return id == ArrowId::DOUBLE || id == ArrowId::FLOAT;
    case TypeId::kDecimal:
      return id == ArrowId::DECIMAL128;
    case TypeId::kDate:
      return id == ArrowId::DATE32;
    case TypeId::kTime:
      return id == ArrowId::TIME64 &&
             static_cast<const arrow::TimeType&>(file_type).unit() == arrow::TimeUnit::MICRO;
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
      return id == ArrowId::TIMESTAMP &&
             static_cast<const arrow::TimestampType&>(file_type).unit() == arrow::TimeUnit::MICRO;
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return id == ArrowId::TIMESTAMP &&
             static_cast<const arrow::TimestampType&>(file_type).unit() == arrow::TimeUnit::NANO;
    case TypeId::kString:
      return id == ArrowId::STRING;
    case TypeId::kBinary:
      return id == ArrowId::BINARY;
    case TypeId::kFixed:
      return id == ArrowId::FIXED_SIZE_BINARY;
    case TypeId::kUuid:  // Writers disagree on the order of uuids (reference 12, 23).
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return false;
  }
  return false;
}

void AddLeafMetrics(const FilterLeaf& leaf, const parquet::RowGroupMetaData& row_group,
                    FileMetrics& metrics) {
  const auto chunk = row_group.ColumnChunk(leaf.leaf);
  metrics.value_counts.emplace_back(leaf.field_id, chunk->num_values());
  const std::shared_ptr<parquet::Statistics> statistics = chunk->statistics();
  if (statistics == nullptr || chunk->type() == parquet::Type::INT96) return;
  if (statistics->HasNullCount()) {
    metrics.null_value_counts.emplace_back(leaf.field_id, statistics->null_count());
  }
  if (!statistics->HasMinMax()) return;
  auto lower = BoundFromStatistics(leaf, chunk->type(), statistics->EncodeMin(), false);
  auto upper = BoundFromStatistics(leaf, chunk->type(), statistics->EncodeMax(), true);
  if (lower) metrics.lower_bounds.emplace_back(leaf.field_id, std::move(*lower));
  if (upper) metrics.upper_bounds.emplace_back(leaf.field_id, std::move(*upper));
}

}  // namespace

std::optional<std::string> BoundFromStatistics(const FilterLeaf& leaf, parquet::Type::type physical,
                                               std::string_view encoded, bool is_upper) {
  if (!HasSameOrder(*leaf.file_type, *leaf.type)) return std::nullopt;
  if (physical == parquet::Type::FLOAT) return FloatBound<float>(encoded, is_upper);
  if (physical == parquet::Type::DOUBLE) return FloatBound<double>(encoded, is_upper);
  if (leaf.type->id() == TypeId::kDecimal) return DecimalBound(physical, encoded);
  return std::string(encoded);
}

RowGroupFilter::RowGroupFilter(ExpressionPtr filter, const std::vector<NestedField>& wanted,
                               const ReadPlan& plan)
    : filter_(std::move(filter)) {
  if (filter_ == nullptr) return;
  schema_ = Schema(0, wanted);
  const std::set<int32_t> ids = ReferencedFields(*filter_);
  for (const ColumnPlan& column : plan.columns)
    CollectLeaves(column, ids);
  std::sort(leaves_.begin(), leaves_.end(), [](const FilterLeaf& a, const FilterLeaf& b) {
    return a.field_id < b.field_id;  // Field maps are sorted.
  });
}

void RowGroupFilter::CollectLeaves(const ColumnPlan& plan, const std::set<int32_t>& ids) {
  if (plan.source != ColumnPlan::Source::kFile) return;
  if (plan.target.type->id() == TypeId::kStruct) {
    for (const ColumnPlan& child : plan.children)
      CollectLeaves(child, ids);
  } else if (plan.target.type->is_primitive() && ids.contains(plan.target.id)) {
    leaves_.push_back({.leaf = plan.file_field->first_leaf,
                       .field_id = plan.target.id,
                       .type = plan.target.type,
                       .file_type = plan.file_field->type});
  }
}

bool RowGroupFilter::MightMatch(const parquet::RowGroupMetaData& row_group) const {
  if (filter_ == nullptr) return true;
  FileMetrics metrics;
  for (const FilterLeaf& leaf : leaves_)
    AddLeafMetrics(leaf, row_group, metrics);
  return MightMatch(metrics, row_group.num_rows());
}

bool RowGroupFilter::MightMatch(const FileMetrics& metrics, int64_t row_count) const {
  return MightMatchMetrics(*filter_, schema_, {.metrics = &metrics, .record_count = row_count});
}

}  // namespace firn
