#pragma once

#include <optional>
#include <vector>

#include "firn/data/keys/key_partitions_internal.h"
#include "firn/data/keys/key_set_internal.h"

namespace firn {

/// Deleted keys, each with the highest sequence number that deletes it, in memory as long as a
/// share of it is enough, then on local disk. They are looked at in passes, of which each has all
/// keys of some hashes.
class DeletedKeys {
 public:
  explicit DeletedKeys(MemoryBudget* budget);

  /// Errors: kResourceExhausted: the disk is full.
  Status Add(std::string_view key, int64_t sequence_number);

  /// All keys are there. Errors: likewise.
  Status Finish();

  size_t pass_count() const { return passes_.empty() ? 1 : passes_.size(); }

  /// Passes are loaded once, in order. Errors: kResourceExhausted: even one part is too large.
  Status Load(size_t pass);

  /// The sequence number of `key`; negative if it is not deleted, or not in this pass. Reads may
  /// run in parallel.
  int64_t Find(std::string_view key) const;

 private:
  Status Spill();

  MemoryBudget* budget_;
  const int64_t bytes_max_;
  KeySet keys_;
  std::optional<KeyPartitions> partitions_;  // Empty: all keys are in `keys_`.
  std::vector<KeyPartitions::Range> passes_;
  KeyPartitions::Range pass_;
};

}  // namespace firn
