#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "firn/data/keys/key_partitions_internal.h"
#include "firn/data/keys/key_table_internal.h"

namespace firn {

/// Called for a row whose key an earlier row has; an error ends the work.
using DuplicateVisitor = std::function<Status(int64_t earlier_row, int64_t later_row)>;

/// The keys of an input of any size. They are in memory as long as their share of it is enough;
/// then in scratch files, partitioned by hash, of which as many as fit are loaded in one pass. The
/// last row of a key stands for it.
class KeyStore {
 public:
  /// `width`: of every key, as KeyBatch tells it.
  KeyStore(MemoryBudget* budget, size_t width, DuplicateVisitor on_duplicate);
  ~KeyStore();

  /// Rows without nulls; the first has the number `first_row`. Calls the visitor, here or in
  /// `Load`. Errors: the visitor's; kResourceExhausted: the disk is full.
  Status Add(const KeyBatch& keys, int64_t first_row);

  /// All keys are there. Errors: kResourceExhausted: memory is too small even so.
  Status Finish();

  size_t pass_count() const { return passes_.empty() ? 1 : passes_.size(); }

  /// Put the keys of a pass into the table; passes are loaded once, in order.
  Status Load(size_t pass);
  KeyTable& table() { return table_; }

 private:
  Status Insert(std::string_view key, uint64_t hash, int64_t row);
  Status Spill();

  MemoryBudget* budget_;
  int64_t bytes_max_;
  size_t width_;
  DuplicateVisitor on_duplicate_;
  KeyTable table_;
  std::optional<KeyPartitions> partitions_;  // Empty: all keys are in the table.
  std::vector<KeyPartitions::Range> passes_;
};

}  // namespace firn
