#include "firn/format/metadata/table_metadata.h"

#include <algorithm>

#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

// Element of a list of shared pointers for which `matches`, or null.
template <typename T, typename Predicate>
std::shared_ptr<const T> FindPointer(const std::vector<std::shared_ptr<const T>>& items,
                                     Predicate matches) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return matches(*item); });
  return found == items.end() ? nullptr : *found;
}

}  // namespace

SchemaPtr TableMetadata::FindSchema(int32_t schema_id) const {
  return FindPointer(schemas, [&](const Schema& item) { return item.schema_id() == schema_id; });
}

SchemaPtr TableMetadata::current_schema() const { return FindSchema(current_schema_id); }

PartitionSpecPtr TableMetadata::FindSpec(int32_t spec_id) const {
  return FindPointer(partition_specs,
                     [&](const PartitionSpec& item) { return item.spec_id == spec_id; });
}

PartitionSpecPtr TableMetadata::default_spec() const { return FindSpec(default_spec_id); }

const SortOrder* TableMetadata::FindSortOrder(int32_t order_id) const {
  const auto found = std::find_if(sort_orders.begin(), sort_orders.end(),
                                  [&](const auto& item) { return item.order_id == order_id; });
  return found == sort_orders.end() ? nullptr : &*found;
}

const Snapshot* TableMetadata::FindSnapshot(SnapshotId snapshot_id) const {
  // From the back: newer snapshots are asked for more often.
  const auto found = std::find_if(snapshots.rbegin(), snapshots.rend(), [&](const auto& item) {
    return item.snapshot_id == snapshot_id;
  });
  return found == snapshots.rend() ? nullptr : &*found;
}

const Snapshot* TableMetadata::current_snapshot() const {
  return current_snapshot_id ? FindSnapshot(*current_snapshot_id) : nullptr;
}

std::optional<SnapshotId> TableMetadata::RefSnapshotId(std::string_view ref) const {
  const auto found = refs.find(ref);
  if (found == refs.end()) return std::nullopt;
  return found->second.snapshot_id;
}

const Snapshot* TableMetadata::RefSnapshot(std::string_view ref) const {
  const auto id = RefSnapshotId(ref);
  return id ? FindSnapshot(*id) : nullptr;
}

std::vector<SchemaPtr> TableMetadata::SchemasNewestFirst() const {
  std::vector<SchemaPtr> sorted = schemas;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const SchemaPtr& a, const SchemaPtr& b) {
    const bool a_is_current = a->schema_id() == current_schema_id;
    const bool b_is_current = b->schema_id() == current_schema_id;
    if (a_is_current != b_is_current) return a_is_current;
    return a->schema_id() > b->schema_id();
  });
  return sorted;
}

Result<int64_t> TableMetadata::IntProperty(std::string_view key, int64_t fallback) const {
  const auto found = properties.find(key);
  if (found == properties.end()) return fallback;
  const auto value = ParseInt64(found->second);
  if (!value) {
    return MakeError(ErrorCode::kInvalidInput,
                     "table property '{}' is '{}', expected a whole number", key, found->second);
  }
  return *value;
}

std::string TableMetadata::Property(std::string_view key, std::string_view fallback) const {
  const auto found = properties.find(key);
  return found == properties.end() ? std::string(fallback) : found->second;
}

std::string TableMetadata::MetadataLocation() const {
  const auto found = properties.find("write.metadata.path");
  if (found == properties.end() || found->second.empty()) return location + "/metadata";
  return std::string(StripTrailingSlash(found->second));
}

std::unordered_map<SnapshotId, const Snapshot*> IndexSnapshots(const TableMetadata& metadata) {
  std::unordered_map<SnapshotId, const Snapshot*> index;
  index.reserve(metadata.snapshots.size());
  for (const Snapshot& snapshot : metadata.snapshots)
    index.emplace(snapshot.snapshot_id, &snapshot);
  return index;
}

std::vector<const Snapshot*> AncestorsOf(const TableMetadata& metadata, SnapshotId snapshot_id) {
  const auto index = IndexSnapshots(metadata);
  std::vector<const Snapshot*> ancestors;
  std::optional<SnapshotId> next = snapshot_id;
  while (next && ancestors.size() < metadata.snapshots.size()) {
    const auto found = index.find(*next);
    if (found == index.end()) break;
    ancestors.push_back(found->second);
    next = found->second->parent_snapshot_id;
  }
  return ancestors;
}

Result<const Snapshot*> FindSnapshotAsOf(const TableMetadata& metadata, Timestamp time) {
  const SnapshotLogEntry* found = nullptr;
  for (const SnapshotLogEntry& entry : metadata.snapshot_log) {
    if (entry.timestamp <= time) found = &entry;
  }
  if (found == nullptr) {
    return MakeError(
        ErrorCode::kNotFound, "the table has no snapshot as of {}{}", FormatInstant(time),
        metadata.snapshot_log.empty()
            ? std::string()
            : "; its history begins at " + FormatInstant(metadata.snapshot_log.front().timestamp));
  }
  const Snapshot* snapshot = metadata.FindSnapshot(found->snapshot_id);
  if (snapshot == nullptr) {
    return MakeError(ErrorCode::kNotFound,
                     "snapshot {}, which was current as of {}, is not in the table any more",
                     found->snapshot_id, FormatInstant(time));
  }
  return snapshot;
}

}  // namespace firn
