#include <utility>

#include <arrow/array.h>

#include "firn/data/columns/leaf_column_internal.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/keys/key_set_internal.h"
#include "firn/data/write/partition_splitter_internal.h"

namespace firn {
namespace {

// Source values whose partition is remembered; beyond, the memory starts anew.
constexpr size_t kSourcesMax = 1 << 16;

}  // namespace

Result<PartitionSplitter> PartitionSplitter::Make(const PartitionSpec& spec, const Schema& schema) {
  PartitionSplitter splitter;
  for (const PartitionField& field : spec.fields) {
    Source source{.transform = field.transform};
    if (field.transform.kind == TransformKind::kUnknown) {
      return MakeError(ErrorCode::kUnsupported,
                       "partition field '{}' has the transform '{}', which cannot be computed",
                       field.name, FormatTransform(field.transform));
    }
    const NestedField* column = schema.FindField(field.source_id());
    source.places = FindFieldPlaces(schema.fields(), field.source_id());
    if (field.transform.kind != TransformKind::kVoid) {
      if (column == nullptr || source.places.empty()) {
        return MakeError(ErrorCode::kInvalidInput,
                         "the rows lack the source column (id {}) of partition field '{}'",
                         field.source_id(), field.name);
      }
      source.type = column->type;
    }
    splitter.sources_.push_back(std::move(source));
  }
  return splitter;
}

Result<std::vector<PartitionRows>> PartitionSplitter::Split(
    const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t rows,
    arrow::MemoryPool* pool) {
  std::vector<std::shared_ptr<arrow::Array>> sources;  // Null for void fields.
  std::vector<std::shared_ptr<arrow::Array>> keys;
  for (const Source& source : sources_) {
    sources.emplace_back();
    if (source.type == nullptr) continue;
    FIRN_ASSIGN(sources.back(), LeafColumn(columns, source.places, pool));
    keys.push_back(sources.back());
  }
  KeyEncoder encoder(keys);
  std::vector<PartitionRows> groups;
  std::unordered_map<size_t, size_t> group_of_partition;
  for (int64_t row = 0; row < rows; ++row) {
    const std::string key(encoder.Encode(row));
    auto known = by_source_.find(key);
    if (known == by_source_.end()) {
      if (by_source_.size() >= kSourcesMax) by_source_.clear();
      FIRN_ASSIGN(const size_t partition, FindPartition(sources, row));
      known = by_source_.emplace(key, partition).first;
    }
    const auto [group, is_new] = group_of_partition.emplace(known->second, groups.size());
    if (is_new) groups.push_back({.partition = known->second});
    groups[group->second].rows.push_back(row);
  }
  return groups;
}

Result<size_t> PartitionSplitter::FindPartition(
    const std::vector<std::shared_ptr<arrow::Array>>& sources, int64_t row) {
  StructValue partition;
  uint64_t hash = 0;
  for (size_t i = 0; i < sources_.size(); ++i) {
    Value value;
    if (sources[i] != nullptr) {
      FIRN_ASSIGN(value, ApplyTransform(sources_[i].transform, *sources_[i].type,
                                        ReadValue(*sources_[i].type, *sources[i], row)));
    }
    hash = hash * 31 + HashValue(value);
    partition.fields.push_back(std::move(value));
  }
  std::vector<size_t>& candidates = by_hash_[hash];
  for (const size_t candidate : candidates) {
    if (partitions_[candidate].fields == partition.fields) return candidate;
  }
  candidates.push_back(partitions_.size());
  partitions_.push_back(std::move(partition));
  return candidates.back();
}

}  // namespace firn
