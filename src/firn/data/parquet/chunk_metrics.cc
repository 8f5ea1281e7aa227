#include <algorithm>
#include <cstring>
#include <utility>

#include "firn/data/metrics/leaf_statistics_internal.h"
#include "firn/data/parquet/chunk_metrics_internal.h"

namespace firn {
namespace {

template <typename T>
T Load(std::string_view bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(value)));
  return value;
}

// Two's complement, big-endian, of at most 16 bytes.
Int128 LoadBigEndian(std::string_view bytes) {
  Int128 value = !bytes.empty() && (bytes[0] & 0x80) != 0 ? -1 : 0;
  for (const char byte : bytes)
    value = (value << 8) | static_cast<unsigned char>(byte);
  return value;
}

Int128 LoadDecimal(std::string_view bytes, PhysicalType physical) {
  if (physical == PhysicalType::kInt32) return Load<int32_t>(bytes);
  if (physical == PhysicalType::kInt64) return Load<int64_t>(bytes);
  return LoadBigEndian(bytes);
}

// The value of a PLAIN bound.
Value ToValue(std::string_view bytes, const Type& type, PhysicalType physical) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return Value(bytes[0] != 0);
    case TypeId::kInt:
    case TypeId::kDate:
      return Value(Load<int32_t>(bytes));
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return Value(Load<int64_t>(bytes));
    case TypeId::kFloat:
      return Value(Load<float>(bytes));
    case TypeId::kDouble:
      return Value(Load<double>(bytes));
    case TypeId::kDecimal:
      return Value(LoadDecimal(bytes, physical));
    case TypeId::kString:
      return Value(std::string(bytes));
    case TypeId::kUuid:
      return Value(Load<UuidBytes>(bytes));
    case TypeId::kFixed:
    case TypeId::kBinary:
      return Value(BinaryValue{std::string(bytes)});
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return {};
}

}  // namespace

ChunkMetrics::ChunkMetrics(const ParquetLayout& layout, const std::map<int32_t, MetricsMode>& modes)
    : layout_(layout), modes_(modes), leaves_(layout.leaves.size()) {}

Status ChunkMetrics::Add(size_t leaf, const EncodedChunk& chunk) {
  Leaf& sums = leaves_[leaf];
  sums.stored_bytes += chunk.metadata.total_compressed_size;
  sums.value_count += chunk.metadata.num_values;
  sums.null_count += chunk.null_count;
  sums.nan_count += chunk.nan_count;
  if (!chunk.min || !chunk.max) return {};
  const Type& type = *layout_.fields[leaf].type;
  const PhysicalType physical = *layout_.leaves[leaf].element.type;
  Value lower = ToValue(*chunk.min, type, physical);
  Value upper = ToValue(*chunk.max, type, physical);
  if (sums.lower.is_null() || CompareValues(lower, sums.lower) < 0) sums.lower = std::move(lower);
  if (sums.upper.is_null() || CompareValues(upper, sums.upper) > 0) sums.upper = std::move(upper);
  return {};
}

Result<FileMetrics> ChunkMetrics::Finish() const {
  FileMetrics metrics;
  metrics.stored_empty = FileMetrics::kAllMaps;
  std::vector<std::pair<int32_t, size_t>> by_id;
  for (size_t i = 0; i < leaves_.size(); ++i)
    by_id.emplace_back(layout_.fields[i].id, i);
  std::sort(by_id.begin(), by_id.end());
  for (size_t i = 0; i < by_id.size(); ++i) {
    const auto [id, leaf] = by_id[i];
    Leaf sums = leaves_[leaf];
    // Of a variant both parts take room; there are as many of one as of the other.
    while (i + 1 < by_id.size() && by_id[i + 1].first == id)
      sums.stored_bytes += leaves_[by_id[++i].second].stored_bytes;
    const NestedField& field = layout_.fields[leaf];
    const auto mode = modes_.find(id);
    // Leaves inside lists and maps have sizes only.
    if (mode == modes_.end()) {
      metrics.column_sizes.emplace_back(id, sums.stored_bytes);
      continue;
    }
    FIRN_RETURN_IF_ERROR(AddLeafMetrics({.field = &field,
                                         .mode = mode->second,
                                         .stored_bytes = sums.stored_bytes,
                                         .value_count = sums.value_count,
                                         .null_count = sums.null_count,
                                         .nan_count = sums.nan_count,
                                         .lower = sums.lower,
                                         .upper = sums.upper},
                                        metrics));
  }
  return metrics;
}

}  // namespace firn
