#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/format/json/extra_fields.h"

namespace firn {

using SnapshotId = int64_t;

/// Text to text, in the order written; keys are unique. All text lies in one piece of memory, since
/// a table may have tens of thousands of snapshots. At most 4 GiB.
///
///   for (const auto& [key, value] : summary) ...
class Summary {
 public:
  struct Entry {
    std::string_view key;
    std::string_view value;
    bool operator==(const Entry&) const = default;
  };

  class Iterator {
   public:
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Summary& summary, size_t index) : summary_(&summary), index_(index) {}
    Entry operator*() const { return (*summary_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {*summary_, index_++}; }
    bool operator==(const Iterator&) const = default;

   private:
    const Summary* summary_ = nullptr;
    size_t index_ = 0;
  };

  Summary() = default;
  Summary(std::initializer_list<Entry> entries);

  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  size_t size() const { return ends_.size() / 2; }
  bool empty() const { return ends_.empty(); }
  /// Views are valid until the summary is changed.
  Entry operator[](size_t index) const;
  /// Linear; nullopt if missing.
  std::optional<std::string_view> Find(std::string_view key) const;
  /// The value as an integer; nullopt if it is missing or none.
  std::optional<int64_t> FindNumber(std::string_view key) const;

  /// Replace the value in its place, or append.
  void Set(std::string_view key, std::string_view value);
  /// The key must be new.
  void Append(std::string_view key, std::string_view value);
  void Remove(std::string_view key);
  void Reserve(size_t text_bytes, size_t entries);

  bool operator==(const Summary&) const = default;

 private:
  std::string text_;            // key, value, key, value, ...
  std::vector<uint32_t> ends_;  // Where each of them ends in the text.
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
  ExtraFields extra;
  bool operator==(const SnapshotLogEntry&) const = default;
};

struct MetadataLogEntry {
  Timestamp timestamp{};
  std::string metadata_file;
  ExtraFields extra;
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
