#include <algorithm>
#include <utility>

#include "firn/maintain/statistics/partition_totals_internal.h"

namespace firn {
namespace {

NestedField Field(int32_t id, std::string name, TypePtr type, bool required) {
  return {.id = id, .name = std::move(name), .type = std::move(type), .required = required};
}

NestedField CountOfVectors() {
  NestedField field = Field(13, "dv_count", Type::Primitive(TypeId::kInt), true);
  field.initial_default = Value(0);
  field.write_default = Value(0);
  return field;
}

constexpr int kVectorsVersion = 3;

template <typename T>
Value OptionalCell(const std::optional<T>& value) {
  return value ? Value(*value) : Value();
}

// Reads the cells of a row one after the other.
class RowCells {
 public:
  RowCells(const StructValue& row, size_t first) : row_(row), place_(first) {}

  template <typename T>
  std::optional<T> Next() {
    const Value& value = row_.fields[place_++];
    return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
  }
  template <typename T>
  T Count() {
    return Next<T>().value_or(0);
  }

 private:
  const StructValue& row_;
  size_t place_;
};

}  // namespace

Schema PartitionStatisticsSchema(const TableMetadata& metadata) {
  const TypePtr partition =
      UnifiedPartitionType(metadata.partition_specs, metadata.SchemasNewestFirst());
  const TypePtr number = Type::Primitive(TypeId::kLong);
  const TypePtr count = Type::Primitive(TypeId::kInt);
  const bool has_vectors = metadata.format_version >= kVectorsVersion;
  std::vector<NestedField> fields = {Field(1, "partition", partition, true),
                                     Field(2, "spec_id", count, true),
                                     Field(3, "data_record_count", number, true),
                                     Field(4, "data_file_count", count, true),
                                     Field(5, "total_data_file_size_in_bytes", number, true),
                                     Field(6, "position_delete_record_count", number, has_vectors),
                                     Field(7, "position_delete_file_count", count, has_vectors)};
  fields.push_back(Field(8, "equality_delete_record_count", number, has_vectors));
  fields.push_back(Field(9, "equality_delete_file_count", count, has_vectors));
  fields.push_back(Field(10, "total_record_count", number, false));
  fields.push_back(Field(11, "last_updated_at", number, false));
  fields.push_back(Field(12, "last_updated_snapshot_id", number, false));
  if (has_vectors) fields.push_back(CountOfVectors());
  return Schema(0, std::move(fields));
}

void PartitionTotals::Add(const DataFile& file, int sign) {
  switch (file.content) {
    case FileContent::kData:
      data_records += sign * file.record_count;
      data_files += sign;
      data_bytes += sign * file.file_size_in_bytes;
      return;
    case FileContent::kPositionDeletes:
      position_delete_records += sign * file.record_count;
      (file.is_deletion_vector() ? deletion_vectors : position_delete_files) += sign;
      return;
    case FileContent::kEqualityDeletes:
      equality_delete_records += sign * file.record_count;
      equality_delete_files += sign;
      return;
  }
}

void PartitionTotals::Touch(int64_t at_ms, SnapshotId snapshot_id) {
  if (updated_at_ms && *updated_at_ms >= at_ms) return;
  updated_at_ms = at_ms;
  updated_by = snapshot_id;
}

void PartitionTotals::Merge(const PartitionTotals& other) {
  data_records += other.data_records;
  data_files += other.data_files;
  data_bytes += other.data_bytes;
  position_delete_records += other.position_delete_records;
  position_delete_files += other.position_delete_files;
  deletion_vectors += other.deletion_vectors;
  equality_delete_records += other.equality_delete_records;
  equality_delete_files += other.equality_delete_files;
  if (other.updated_at_ms && other.updated_by) Touch(*other.updated_at_ms, *other.updated_by);
}

bool PartitionSums::Key::operator<(const Key& other) const {
  for (size_t i = 0; i < partition.fields.size(); ++i) {
    const auto order = CompareValues(partition.fields[i], other.partition.fields[i]);
    if (order != 0) return order < 0;
  }
  return spec_id < other.spec_id;
}

PartitionSums::PartitionSums(const TableMetadata& metadata)
    : metadata_(metadata),
      partition_type_(
          UnifiedPartitionType(metadata.partition_specs, metadata.SchemasNewestFirst())),
      snapshots_(IndexSnapshots(metadata)) {}

Status PartitionSums::AddManifest(FileIO& io, const ManifestFile& manifest, Count count) {
  const PartitionSpecPtr spec = metadata_.FindSpec(manifest.partition_spec_id);
  if (spec == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "manifest '{}' has the unknown partition spec {}",
                     manifest.manifest_path, manifest.partition_spec_id);
  }
  const TypePtr type = PartitionType(*spec, metadata_.SchemasNewestFirst());
  std::map<Key, PartitionTotals> own;
  const auto add = [&](ManifestEntry& entry) -> Status {
    if (count == Count::kChanges && entry.status == EntryStatus::kExisting) return {};
    PartitionTotals& totals =
        own[{ToUnifiedPartition(*spec, entry.file.partition, *partition_type_), spec->spec_id}];
    if (entry.is_live()) {
      totals.Add(entry.file, 1);
    } else if (count == Count::kChanges) {
      totals.Add(entry.file, -1);
    }
    const auto snapshot =
        entry.snapshot_id ? snapshots_.find(*entry.snapshot_id) : snapshots_.end();
    if (snapshot != snapshots_.end()) {
      totals.Touch(snapshot->second->timestamp.time_since_epoch().count(), snapshot->first);
    }
    return {};
  };
  FIRN_RETURN_IF_ERROR(ReadManifest(io, manifest, *type, {.with_metrics = false}, add));
  const std::lock_guard lock(mutex_);
  for (auto& [key, totals] : own)
    sums_[key].Merge(totals);
  return {};
}

Status PartitionSums::AddRow(const StructValue& row) {
  if (row.fields[0].is_null() || row.fields[1].is_null()) {
    return MakeError(ErrorCode::kCorrupt, "a row has no partition or no spec id");
  }
  const Key key{row.fields[0].as_struct(), row.fields[1].get<int32_t>()};
  if (metadata_.FindSpec(key.spec_id) == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "a row has the unknown partition spec {}", key.spec_id);
  }
  constexpr size_t kFirstCount = 2;
  RowCells cells(row, kFirstCount);
  PartitionTotals totals;
  totals.data_records = cells.Count<int64_t>();
  totals.data_files = cells.Count<int32_t>();
  totals.data_bytes = cells.Count<int64_t>();
  totals.position_delete_records = cells.Count<int64_t>();
  totals.position_delete_files = cells.Count<int32_t>();
  totals.equality_delete_records = cells.Count<int64_t>();
  totals.equality_delete_files = cells.Count<int32_t>();
  cells.Next<int64_t>();  // The total of records, which is not kept up.
  totals.updated_at_ms = cells.Next<int64_t>();
  totals.updated_by = cells.Next<int64_t>();
  if (metadata_.format_version >= kVectorsVersion) totals.deletion_vectors = cells.Count<int32_t>();
  if (!sums_.emplace(key, totals).second) {
    return MakeError(ErrorCode::kCorrupt, "two rows have the same partition and spec {}",
                     key.spec_id);
  }
  return {};
}

std::vector<StructValue> PartitionSums::Rows() const {
  std::vector<StructValue> rows;
  rows.reserve(sums_.size());
  for (const auto& [key, totals] : sums_) {
    StructValue row{{Value::Struct(key.partition.fields), Value(key.spec_id),
                     Value(totals.data_records), Value(totals.data_files), Value(totals.data_bytes),
                     Value(totals.position_delete_records), Value(totals.position_delete_files)}};
    row.fields.emplace_back(totals.equality_delete_records);
    row.fields.emplace_back(totals.equality_delete_files);
    row.fields.emplace_back();
    row.fields.push_back(OptionalCell(totals.updated_at_ms));
    row.fields.push_back(OptionalCell(totals.updated_by));
    if (metadata_.format_version >= kVectorsVersion) {
      row.fields.emplace_back(totals.deletion_vectors);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace firn
