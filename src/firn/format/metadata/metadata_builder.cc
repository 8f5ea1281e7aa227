#include <algorithm>
#include <array>
#include <utility>

#include "firn/base/text.h"
#include "firn/format/metadata/metadata_builder_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr int kMaxFormatVersion = 3;

// What other fields of the metadata say; engines show them as if they were properties.
constexpr std::array<std::string_view, 9> kReservedProperties = {"current-schema",
                                                                 "current-snapshot-id",
                                                                 "current-snapshot-summary",
                                                                 "current-snapshot-timestamp-ms",
                                                                 "default-partition-spec",
                                                                 "default-sort-order",
                                                                 "format-version",
                                                                 "snapshot-count",
                                                                 "uuid"};

// Put `file` in the place of the one with the same snapshot. False if nothing changes.
template <typename File>
bool ReplaceBySnapshot(std::vector<File>& files, File file) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const File& other) {
    return other.snapshot_id == file.snapshot_id;
  });
  if (found == files.end()) {
    files.push_back(std::move(file));
    return true;
  }
  if (*found == file) return false;
  *found = std::move(file);
  return true;
}

template <typename File>
bool EraseBySnapshot(std::vector<File>& files, SnapshotId snapshot_id) {
  return std::erase_if(files, [&](const File& file) { return file.snapshot_id == snapshot_id; }) >
         0;
}

}  // namespace

MetadataBuilder::MetadataBuilder(const TableMetadata& base, std::string base_location)
    : metadata_(base),
      is_version_open_(false),
      base_location_(std::move(base_location)),
      base_last_updated_(base.last_updated),
      base_current_snapshot_id_(base.current_snapshot_id) {}

Status MetadataBuilder::AssignUuid(std::string_view uuid) {
  if (uuid.empty()) return InvalidUpdate("the table UUID is empty");
  if (!metadata_.table_uuid.empty()) {
    if (EqualsIgnoreCase(metadata_.table_uuid, uuid)) return {};
    return InvalidUpdate("the table has the UUID '{}', which cannot become '{}'",
                         metadata_.table_uuid, uuid);
  }
  metadata_.table_uuid = uuid;
  has_changes_ = true;
  return {};
}

Status MetadataBuilder::UpgradeFormatVersion(int format_version) {
  if (format_version < 1)
    return InvalidUpdate("format version {}, expected 1 to 3", format_version);
  if (format_version > kMaxFormatVersion) {
    return MakeError(ErrorCode::kUnsupported, "format version {}, firn writes 1 to {}",
                     format_version, kMaxFormatVersion);
  }
  if (format_version < metadata_.format_version && !is_version_open_) {
    return InvalidUpdate("the table has format version {}, which cannot be lowered to {}",
                         metadata_.format_version, format_version);
  }
  has_changes_ |= is_version_open_ || format_version != metadata_.format_version;
  is_version_open_ = false;
  metadata_.format_version = format_version;
  return {};
}

Status MetadataBuilder::SetLocation(std::string_view location) {
  const std::string_view stripped = StripTrailingSlash(location);
  if (stripped.empty()) return InvalidUpdate("the table location is empty");
  has_changes_ |= stripped != metadata_.location;
  metadata_.location = stripped;
  return {};
}

Status MetadataBuilder::SetProperties(const Properties& updates) {
  for (const auto& [key, value] : updates) {
    if (std::find(kReservedProperties.begin(), kReservedProperties.end(), key) !=
        kReservedProperties.end()) {
      return InvalidUpdate("table property '{}' is reserved: the metadata has a field for it", key);
    }
  }
  for (const auto& [key, value] : updates) {
    const auto [entry, is_new] = metadata_.properties.try_emplace(key, value);
    has_changes_ |= is_new || entry->second != value;
    entry->second = value;
  }
  return {};
}

Status MetadataBuilder::RemoveProperties(const std::vector<std::string>& keys) {
  for (const std::string& key : keys)
    has_changes_ |= metadata_.properties.erase(key) > 0;
  return {};
}

Status MetadataBuilder::SetStatistics(StatisticsFile file) {
  if (metadata_.FindSnapshot(file.snapshot_id) == nullptr) {
    return Stale("statistics '{}' are of snapshot {}, which is not in the table", file.path,
                 file.snapshot_id);
  }
  has_changes_ |= ReplaceBySnapshot(metadata_.statistics, std::move(file));
  return {};
}

Status MetadataBuilder::RemoveStatistics(SnapshotId snapshot_id) {
  has_changes_ |= EraseBySnapshot(metadata_.statistics, snapshot_id);
  return {};
}

Status MetadataBuilder::SetPartitionStatistics(PartitionStatisticsFile file) {
  if (metadata_.FindSnapshot(file.snapshot_id) == nullptr) {
    return Stale("partition statistics '{}' are of snapshot {}, which is not in the table",
                 file.path, file.snapshot_id);
  }
  has_changes_ |= ReplaceBySnapshot(metadata_.partition_statistics, std::move(file));
  return {};
}

Status MetadataBuilder::RemovePartitionStatistics(SnapshotId snapshot_id) {
  has_changes_ |= EraseBySnapshot(metadata_.partition_statistics, snapshot_id);
  return {};
}

Status MetadataBuilder::AddEncryptionKey(EncryptionKey key) {
  for (const EncryptionKey& other : metadata_.encryption_keys) {
    if (other.key_id != key.key_id) continue;
    if (other == key) return {};
    return InvalidUpdate("the table has another encryption key '{}'", key.key_id);
  }
  metadata_.encryption_keys.push_back(std::move(key));
  has_changes_ = true;
  return {};
}

Status MetadataBuilder::RemoveEncryptionKey(std::string_view key_id) {
  has_changes_ |= std::erase_if(metadata_.encryption_keys,
                                [&](const EncryptionKey& key) { return key.key_id == key_id; }) > 0;
  return {};
}

}  // namespace firn
