#include <algorithm>
#include <map>
#include <memory>

#include <arrow/type.h>
#include <parquet/bloom_filter.h>
#include <parquet/bloom_filter_reader.h>
#include <parquet/types.h>

#include "firn/data/parquet/parquet_bloom_internal.h"

namespace firn {
namespace {

// How values of a leaf are hashed; others say nothing.
bool HasKnownHash(const FilterLeaf& leaf) {
  const arrow::Type::type file_type = leaf.file_type->id();
  switch (leaf.type->id()) {
    case TypeId::kInt:
      return file_type == arrow::Type::INT32;
    case TypeId::kDate:
      return file_type == arrow::Type::DATE32;
    case TypeId::kLong:
      return file_type == arrow::Type::INT64;
    case TypeId::kString:
      return file_type == arrow::Type::STRING;
    case TypeId::kBinary:
      return file_type == arrow::Type::BINARY;
    case TypeId::kUuid:
      return file_type == arrow::Type::FIXED_SIZE_BINARY;
    case TypeId::kUnknown:
    case TypeId::kBoolean:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
    case TypeId::kFixed:
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

bool MightHold(const parquet::BloomFilter& filter, const Value& value) {
  const auto find_bytes = [&](std::string_view bytes) {
    const parquet::ByteArray array(bytes);
    return filter.FindHash(filter.Hash(&array));
  };
  if (const auto* number = value.get_if<int32_t>()) return filter.FindHash(filter.Hash(*number));
  if (const auto* number = value.get_if<int64_t>()) return filter.FindHash(filter.Hash(*number));
  if (const auto* text = value.get_if<std::string>()) return find_bytes(*text);
  if (const auto* binary = value.get_if<BinaryValue>()) return find_bytes(binary->bytes);
  if (const auto* uuid = value.get_if<UuidBytes>()) {
    const parquet::FLBA fixed(reinterpret_cast<const uint8_t*>(uuid->data()));
    return filter.FindHash(filter.Hash(&fixed, static_cast<uint32_t>(uuid->size())));
  }
  return true;
}

class BloomEvaluator {
 public:
  BloomEvaluator(parquet::ParquetFileReader& file, int row_group,
                 const std::vector<FilterLeaf>& leaves)
      : file_(file), row_group_(row_group), leaves_(leaves) {}

  bool MightMatch(const Expression& filter) {
    const auto might_match = [this](const ExpressionPtr& child) { return MightMatch(*child); };
    const auto& children = filter.children();
    switch (filter.kind()) {
      case ExpressionKind::kAnd:
        return std::all_of(children.begin(), children.end(), might_match);
      case ExpressionKind::kOr:
        return std::any_of(children.begin(), children.end(), might_match);
      case ExpressionKind::kEqual:
      case ExpressionKind::kIn:
        return MightHoldOne(filter);
      case ExpressionKind::kTrue:
      case ExpressionKind::kFalse:
      case ExpressionKind::kNot:
      case ExpressionKind::kIsNull:
      case ExpressionKind::kNotNull:
      case ExpressionKind::kIsNan:
      case ExpressionKind::kNotNan:
      case ExpressionKind::kLess:
      case ExpressionKind::kLessEqual:
      case ExpressionKind::kGreater:
      case ExpressionKind::kGreaterEqual:
      case ExpressionKind::kNotEqual:
      case ExpressionKind::kNotIn:
      case ExpressionKind::kStartsWith:
      case ExpressionKind::kNotStartsWith:
      case ExpressionKind::kLike:
      case ExpressionKind::kNotLike:
        return true;
    }
    return true;
  }

 private:
  bool MightHoldOne(const Expression& predicate) {
    if (predicate.term().transform.kind != TransformKind::kIdentity) return true;
    const parquet::BloomFilter* filter = FilterOf(predicate.term().field_id);
    if (filter == nullptr) return true;
    const auto& literals = predicate.literals();
    return std::any_of(literals.begin(), literals.end(), [&](const Literal& literal) {
      return literal.value.is_null() || MightHold(*filter, literal.value);
    });
  }

  const parquet::BloomFilter* FilterOf(int32_t field_id) {
    const auto [known, is_new] = filters_.emplace(field_id, nullptr);
    if (!is_new) return known->second.get();
    const auto leaf =
        std::find_if(leaves_.begin(), leaves_.end(),
                     [&](const FilterLeaf& candidate) { return candidate.field_id == field_id; });
    if (leaf == leaves_.end() || !HasKnownHash(*leaf)) return nullptr;
    const auto chunk = file_.metadata()->RowGroup(row_group_)->ColumnChunk(leaf->leaf);
    if (!chunk->bloom_filter_offset()) return nullptr;
    const auto row_group = file_.GetBloomFilterReader().RowGroup(row_group_);
    if (row_group != nullptr) known->second = row_group->GetColumnBloomFilter(leaf->leaf);
    return known->second.get();
  }

  parquet::ParquetFileReader& file_;
  const int row_group_;
  const std::vector<FilterLeaf>& leaves_;
  std::map<int32_t, std::unique_ptr<parquet::BloomFilter>> filters_;  // Null: there is none.
};

}  // namespace

bool MightMatchBloomFilters(parquet::ParquetFileReader& file, int row_group,
                            const Expression& filter, const std::vector<FilterLeaf>& leaves) {
  return BloomEvaluator(file, row_group, leaves).MightMatch(filter);
}

}  // namespace firn
