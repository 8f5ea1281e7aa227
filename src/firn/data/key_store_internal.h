#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "firn/data/key_table_internal.h"
#include "firn/io/scratch_file.h"

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
  struct Partition {
    std::shared_ptr<ScratchFile> file;
    std::string buffer;  // Not yet written.
    size_t keys = 0;
    size_t key_bytes = 0;
  };
  struct Pass {
    size_t begin = 0;  // Partitions [begin, end).
    size_t end = 0;
  };
  Status Insert(std::string_view key, uint64_t hash, int64_t row);
  Status Spill();
  Status AddToPartition(std::string_view key, uint64_t hash, int64_t row);
  Status LoadPartition(const Partition& partition);

  MemoryBudget* budget_;
  int64_t bytes_max_;
  size_t width_;
  DuplicateVisitor on_duplicate_;
  KeyTable table_;
  std::vector<Partition> partitions_;  // Empty: all keys are in the table.
  std::vector<Pass> passes_;
};

}  // namespace firn
