#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include "firn/data/facts/footer_ranges_internal.h"
#include "firn/data/parquet/parquet_pruning_internal.h"

namespace firn {
namespace {

using ArrowId = arrow::Type;

std::optional<int64_t> LoadInteger(std::string_view encoded) {
  if (encoded.size() == sizeof(int32_t)) {
    int32_t value = 0;
    std::memcpy(&value, encoded.data(), sizeof(value));
    return value;
  }
  if (encoded.size() != sizeof(int64_t)) return std::nullopt;
  int64_t value = 0;
  std::memcpy(&value, encoded.data(), sizeof(value));
  return value;
}

// How many units of the table's type, microseconds or nanoseconds, one of the file's is. 0: they
// are the same, or not of this kind.
int64_t UnitsOf(const arrow::DataType& from, const Type& to) {
  const bool is_nano = to.id() == TypeId::kTimestampNs || to.id() == TypeId::kTimestamptzNs;
  if (from.id() == ArrowId::TIME32 && to.id() == TypeId::kTime) return 1000;
  if (from.id() != ArrowId::TIMESTAMP || !to.is_timestamp()) return 0;
  switch (static_cast<const arrow::TimestampType&>(from).unit()) {
    case arrow::TimeUnit::MILLI:
      return is_nano ? 1'000'000 : 1000;
    case arrow::TimeUnit::MICRO:
      return is_nano ? 1000 : 0;
    case arrow::TimeUnit::SECOND:
    case arrow::TimeUnit::NANO:
      break;
  }
  return 0;
}

// Null: the bound tells nothing.
Value BoundOf(const MatchedLeaf& leaf, parquet::Type::type physical, std::string_view encoded,
              bool is_upper) {
  const Type& type = *leaf.field.type;
  if (const int64_t units = UnitsOf(*leaf.file_type, type); units > 0) {
    const std::optional<int64_t> value = LoadInteger(encoded);
    int64_t product = 0;
    if (!value || __builtin_mul_overflow(*value, units, &product)) return {};
    return Value(product);
  }
  if (type.id() == TypeId::kDecimal && leaf.file_type->id() == ArrowId::DECIMAL128 &&
      static_cast<const arrow::Decimal128Type&>(*leaf.file_type).scale() != type.scale()) {
    return {};
  }
  const auto bytes = BoundFromStatistics({.leaf = leaf.leaf,
                                          .field_id = leaf.field.id,
                                          .type = leaf.field.type,
                                          .file_type = leaf.file_type},
                                         physical, encoded, is_upper);
  return bytes ? FromBoundBytes(AsBytes(*bytes), type) : Value();
}

}  // namespace

LeafTotals SumLeaf(const parquet::FileMetaData& metadata, const MatchedLeaf& leaf) {
  LeafTotals totals;
  ColumnRange& range = totals.range;
  range.null_count = 0;
  bool has_bounds = !leaf.is_repeated;
  for (int i = 0; i < metadata.num_row_groups(); ++i) {
    const auto chunk = metadata.RowGroup(i)->ColumnChunk(leaf.leaf);
    totals.stored_bytes += chunk->total_compressed_size();
    range.value_count += chunk->num_values();
    const std::shared_ptr<parquet::Statistics> statistics = chunk->statistics();
    std::optional<int64_t> nulls;
    if (statistics != nullptr && statistics->HasNullCount()) nulls = statistics->null_count();
    if (range.null_count && nulls) {
      *range.null_count += *nulls;
    } else {
      range.null_count.reset();
    }
    if (!has_bounds || chunk->num_values() == 0 || nulls == chunk->num_values()) continue;
    Value lower;
    Value upper;
    const bool is_known =
        statistics != nullptr && statistics->HasMinMax() && chunk->type() != parquet::Type::INT96;
    if (is_known) {
      range.is_exact &= statistics->is_min_value_exact().value_or(true) &&
                        statistics->is_max_value_exact().value_or(true);
      lower = BoundOf(leaf, chunk->type(), statistics->EncodeMin(), false);
      upper = BoundOf(leaf, chunk->type(), statistics->EncodeMax(), true);
    }
    has_bounds = !lower.is_null() && !upper.is_null() && CompareValues(lower, upper) <= 0;
    if (!has_bounds) continue;
    if (range.lower.is_null() || CompareValues(lower, range.lower) < 0) range.lower = lower;
    if (range.upper.is_null() || CompareValues(upper, range.upper) > 0) range.upper = upper;
  }
  if (!has_bounds) range.lower = range.upper = Value();
  return totals;
}

std::vector<int64_t> RowGroupOffsets(const parquet::FileMetaData& metadata) {
  std::vector<int64_t> offsets;
  if (metadata.num_columns() == 0) return offsets;
  for (int i = 0; i < metadata.num_row_groups(); ++i) {
    const auto chunk = metadata.RowGroup(i)->ColumnChunk(0);
    const bool has_dictionary = chunk->has_dictionary_page() &&
                                chunk->dictionary_page_offset() > 0 &&
                                chunk->dictionary_page_offset() < chunk->data_page_offset();
    offsets.push_back(has_dictionary ? chunk->dictionary_page_offset() : chunk->data_page_offset());
  }
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

}  // namespace firn
