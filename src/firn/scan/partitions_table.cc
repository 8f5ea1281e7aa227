#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "firn/scan/metadata_table_internal.h"
#include "firn/scan/partition_table_internal.h"

// partitions: live files summed up by partition, over all specs; no deletes are applied.

namespace firn {
namespace {

Result<TypePtr> PartitionsType(const MetadataTableRequest& request) {
  const TypePtr integer = Type::Primitive(TypeId::kInt);
  const TypePtr number = Type::Primitive(TypeId::kLong);
  const TypePtr partition_type = TablePartitionType(*request.metadata);
  std::vector<NestedField> fields;
  if (!partition_type->fields().empty()) {
    fields.push_back(RequiredField(1, "partition", partition_type));
    fields.push_back(RequiredField(4, "spec_id", integer));
  }
  const std::vector<NestedField> rest = {
      RequiredField(2, "record_count", number),
      RequiredField(3, "file_count", integer),
      RequiredField(11, "total_data_file_size_in_bytes", number),
      RequiredField(5, "position_delete_record_count", number),
      RequiredField(6, "position_delete_file_count", integer),
      RequiredField(7, "equality_delete_record_count", number),
      RequiredField(8, "equality_delete_file_count", integer),
      OptionalField(9, "last_updated_at", Type::Primitive(TypeId::kTimestamptz)),
      OptionalField(10, "last_updated_snapshot_id", number)};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return Type::Struct(std::move(fields));
}

struct Totals {
  int32_t spec_id = 0;  // As Java has it where all snapshots that changed the partition are gone.
  int64_t record_count = 0;
  int32_t file_count = 0;
  int64_t file_bytes = 0;
  int64_t position_records = 0;
  int32_t position_files = 0;
  int64_t equality_records = 0;
  int32_t equality_files = 0;
  const Snapshot* last_updated = nullptr;

  void AddFile(const DataFile& file) {
    if (file.content == FileContent::kData) {
      record_count += file.record_count;
      file_bytes += file.file_size_in_bytes;
      ++file_count;
    } else if (file.content == FileContent::kPositionDeletes) {
      position_records += file.record_count;
      ++position_files;
    } else {
      equality_records += file.record_count;
      ++equality_files;
    }
  }

  // The spec shown is the one of the last update.
  void AddUpdate(const Snapshot* snapshot, int32_t file_spec_id) {
    if (IsLater(snapshot)) {
      last_updated = snapshot;
      spec_id = file_spec_id;
    } else if (snapshot != nullptr && snapshot == last_updated) {
      spec_id = std::max(spec_id, file_spec_id);
    }
  }

  bool IsLater(const Snapshot* snapshot) const {
    if (snapshot == nullptr || last_updated == nullptr) return snapshot != nullptr;
    return std::pair(snapshot->timestamp, snapshot->sequence_number) >
           std::pair(last_updated->timestamp, last_updated->sequence_number);
  }

  void Merge(const Totals& other) {
    record_count += other.record_count;
    file_count += other.file_count;
    file_bytes += other.file_bytes;
    position_records += other.position_records;
    position_files += other.position_files;
    equality_records += other.equality_records;
    equality_files += other.equality_files;
    AddUpdate(other.last_updated, other.spec_id);
  }
};

// Totals by partition of the unified type.
struct PartitionTotals {
  PartitionTable partitions;
  std::vector<Totals> totals;

  Totals& operator[](const StructValue& partition) {
    const uint32_t number = partitions.Add(0, partition);
    if (number == totals.size()) totals.emplace_back();
    return totals[number];
  }
};

// Null first.
bool IsBefore(const StructValue& a, const StructValue& b) {
  for (size_t i = 0; i < a.fields.size() && i < b.fields.size(); ++i) {
    const Value& left = a.fields[i];
    const Value& right = b.fields[i];
    if (left.is_null() != right.is_null()) return left.is_null();
    if (left.is_null()) continue;
    if (const auto order = CompareValues(left, right); order != 0) return order < 0;
  }
  return false;
}

class PartitionSums {
 public:
  explicit PartitionSums(const TableMetadata& metadata)
      : metadata_(metadata), type_(TablePartitionType(metadata)) {
    for (const Snapshot& snapshot : metadata.snapshots)
      snapshots_.emplace(snapshot.snapshot_id, &snapshot);
  }

  // Thread-safe.
  Status AddManifest(FileIO& io, const ManifestFile& manifest) {
    FIRN_ASSIGN(const ManifestSpec spec, FindManifestSpec(metadata_, manifest));
    const ManifestReadOptions options{.with_metrics = false, .with_deleted = false};
    PartitionTotals own;
    const auto add = [&](ManifestEntry& entry) -> Status {
      Totals& totals = own[ToUnifiedPartition(*spec.spec, entry.file.partition, *type_)];
      totals.AddFile(entry.file);
      totals.AddUpdate(FindSnapshot(entry.snapshot_id), spec.spec->spec_id);
      return {};
    };
    FIRN_RETURN_IF_ERROR(ReadManifest(io, manifest, *spec.partition_type, options, add));
    const std::lock_guard lock(mutex_);
    for (uint32_t i = 0; i < own.totals.size(); ++i)
      sums_[own.partitions[i].values].Merge(own.totals[i]);
    return {};
  }

  // In the order of partitions.
  Status Visit(const RowVisitor& visit) const {
    std::vector<uint32_t> order(sums_.totals.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return IsBefore(sums_.partitions[a].values, sums_.partitions[b].values);
    });
    for (const uint32_t number : order)
      FIRN_RETURN_IF_ERROR(visit(MakeRow(sums_.partitions[number].values, sums_.totals[number])));
    return {};
  }

 private:
  const Snapshot* FindSnapshot(std::optional<SnapshotId> id) const {
    const auto found = id ? snapshots_.find(*id) : snapshots_.end();
    return found == snapshots_.end() ? nullptr : found->second;
  }

  StructValue MakeRow(const StructValue& partition, const Totals& totals) const {
    StructValue row;
    if (!type_->fields().empty()) {
      row.fields.push_back(Value::Struct(partition.fields));
      row.fields.emplace_back(totals.spec_id);
    }
    const Snapshot* last = totals.last_updated;
    const std::vector<Value> rest = {totals.record_count,
                                     totals.file_count,
                                     totals.file_bytes,
                                     totals.position_records,
                                     totals.position_files,
                                     totals.equality_records,
                                     totals.equality_files,
                                     last == nullptr ? Value() : ToTimestamptz(last->timestamp),
                                     last == nullptr ? Value() : Value(last->snapshot_id)};
    row.fields.insert(row.fields.end(), rest.begin(), rest.end());
    return row;
  }

  const TableMetadata& metadata_;
  const TypePtr type_;
  std::unordered_map<SnapshotId, const Snapshot*> snapshots_;
  std::mutex mutex_;
  PartitionTotals sums_;
};

Status VisitPartitions(const MetadataTableRequest& request, const RowVisitor& visit) {
  FIRN_ASSIGN(const std::vector<ManifestFile> manifests, ReadSelectedManifests(request));
  PartitionSums sums(*request.metadata);
  const auto add = [&](size_t index) { return sums.AddManifest(*request.io, manifests[index]); };
  FIRN_RETURN_IF_ERROR(ParallelFor(*request.executor, manifests.size(), add, request.cancel));
  return sums.Visit(visit);
}

}  // namespace

MetadataTable DescribePartitions() {
  return {"partitions", "live files of a snapshot, summed up by partition", PartitionsType,
          VisitPartitions};
}

}  // namespace firn
