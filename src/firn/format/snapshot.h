#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/format/extra_fields.h"

namespace firn {

using SnapshotId = int64_t;

/// Text to text, in the order written; keys are unique.
class Summary {
 public:
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }
  /// Null if missing.
  const std::string* Find(std::string_view key) const;
  void Set(std::string_view key, std::string value);
  void Append(std::string key, std::string value) {  ///< The key is known to be new.
    entries_.emplace_back(std::move(key), std::move(value));
  }
  bool empty() const { return entries_.empty(); }
  bool operator==(const Summary&) const = default;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

struct Snapshot {
  SnapshotId snapshot_id = 0;
  std::optional<SnapshotId> parent_snapshot_id;
  int64_t sequence_number = 0;  ///< 0 in v1.
  Timestamp timestamp{};
  std::string manifest_list;           ///< Empty: v1 with `manifests`.
  std::vector<std::string> manifests;  ///< v1 only.
  Summary summary;                     ///< Without the operation.
  std::string operation;               ///< "append", ...; empty if the writer left it out.
  std::optional<int32_t> schema_id;
  std::optional<int64_t> first_row_id;
  std::optional<int64_t> added_rows;
  std::optional<std::string> key_id;
  ExtraFields extra;

  bool operator==(const Snapshot&) const = default;
};

enum class RefType { kBranch, kTag };

struct SnapshotRef {
  SnapshotId snapshot_id = 0;
  RefType type = RefType::kBranch;
  std::optional<int32_t> min_snapshots_to_keep;
  std::optional<int64_t> max_snapshot_age_ms;
  std::optional<int64_t> max_ref_age_ms;
  ExtraFields extra;

  bool operator==(const SnapshotRef&) const = default;
};

inline constexpr std::string_view kMainBranch = "main";

struct SnapshotLogEntry {
  Timestamp timestamp{};
  SnapshotId snapshot_id = 0;
  bool operator==(const SnapshotLogEntry&) const = default;
};

struct MetadataLogEntry {
  Timestamp timestamp{};
  std::string metadata_file;
  bool operator==(const MetadataLogEntry&) const = default;
};

struct BlobMetadata {
  std::string type;
  SnapshotId snapshot_id = 0;
  int64_t sequence_number = 0;
  std::vector<int32_t> fields;
  std::vector<std::pair<std::string, std::string>> properties;
  ExtraFields extra;
  bool operator==(const BlobMetadata&) const = default;
};

/// A Puffin file of table statistics.
struct StatisticsFile {
  SnapshotId snapshot_id = 0;
  std::string path;
  int64_t file_size_in_bytes = 0;
  int64_t file_footer_size_in_bytes = 0;
  std::optional<std::string> key_metadata;  ///< Base64 as stored.
  std::vector<BlobMetadata> blobs;
  ExtraFields extra;
  bool operator==(const StatisticsFile&) const = default;
};

struct PartitionStatisticsFile {
  SnapshotId snapshot_id = 0;
  std::string path;
  int64_t file_size_in_bytes = 0;
  ExtraFields extra;
  bool operator==(const PartitionStatisticsFile&) const = default;
};

struct EncryptionKey {
  std::string key_id;
  std::string encrypted_key_metadata;  ///< Base64 as stored.
  std::optional<std::string> encrypted_by_id;
  std::vector<std::pair<std::string, std::string>> properties;
  ExtraFields extra;
  bool operator==(const EncryptionKey&) const = default;
};

}  // namespace firn
