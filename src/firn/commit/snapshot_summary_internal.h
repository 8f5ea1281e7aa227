#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/snapshot.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// Counts the changes of one snapshot and makes its summary as Java does (reference 5.3).
class SnapshotSummary {
 public:
  void Add(const TableMetadata& metadata, const DataFile& file);
  void Remove(const TableMetadata& metadata, const DataFile& file);
  /// Totals were wrong by so much, though no file came or went.
  void Correct(int64_t records, int64_t bytes) {
    corrected_records_ += records;
    corrected_bytes_ += bytes;
  }
  void Set(std::string key, std::string value) { properties_[std::move(key)] = std::move(value); }

  int64_t added_records() const { return added_.records; }
  int64_t removed_records() const { return removed_.records; }
  int64_t removed_delete_files() const {
    return removed_.position_delete_files + removed_.equality_delete_files + removed_.dvs;
  }

  /// Counters above zero, changed partitions, properties, and totals: those of `head` (the branch's
  /// current snapshot, null for none) plus the changes; a total that `head` does not tell is left
  /// out rather than restarted.
  Summary Build(const Snapshot* head) const;

 private:
  struct Counts {
    int64_t data_files = 0;
    int64_t position_delete_files = 0;
    int64_t equality_delete_files = 0;
    int64_t dvs = 0;
    int64_t records = 0;
    int64_t position_deletes = 0;
    int64_t equality_deletes = 0;
    int64_t files_size = 0;

    int64_t delete_files() const { return position_delete_files + equality_delete_files + dvs; }
  };
  static void Count(Counts& counts, const DataFile& file);
  void Touch(const TableMetadata& metadata, const DataFile& file);

  Counts added_;
  Counts removed_;
  int64_t corrected_records_ = 0;
  int64_t corrected_bytes_ = 0;
  std::map<int32_t, TypePtr> partition_types_;  ///< By spec id: made once, not for every file.
  std::set<std::string> partitions_;
  std::map<std::string, std::string> properties_;
};

}  // namespace firn
