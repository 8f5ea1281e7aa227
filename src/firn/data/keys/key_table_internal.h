#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "firn/base/memory_budget.h"
#include "firn/data/keys/key_batch_internal.h"

namespace firn {

/// A key of the input, by the order in which keys were inserted.
using KeyOrdinal = uint32_t;

/// Keys of the rows of an input, each with the number of its row, and, once it is looked for in a
/// table, with what was found. Memory is drawn from a budget, up to a share of it.
class KeyTable {
 public:
  /// `width`: of every key, as KeyBatch tells it. `bytes_max`: the share.
  KeyTable(MemoryBudget* budget, int64_t bytes_max, size_t width)
      : budget_(budget), bytes_max_(bytes_max), width_(width) {}

  static uint64_t Hash(std::string_view key);

  /// What a table of so many keys takes.
  static int64_t BytesFor(size_t keys, size_t key_bytes, size_t width);

  /// Make room. Errors: kResourceExhausted: the share or the budget is not enough.
  Status Reserve(size_t keys, size_t key_bytes);

  /// Returns the key that was there already; nullopt: it is new. Errors: kResourceExhausted: no
  /// room; nothing changed.
  Result<std::optional<KeyOrdinal>> Insert(std::string_view key, uint64_t hash, int64_t row);

  size_t size() const { return rows_.size(); }
  std::string_view key(KeyOrdinal ordinal) const;
  int64_t row(KeyOrdinal ordinal) const { return rows_[ordinal]; }
  void set_row(KeyOrdinal ordinal, int64_t row) { rows_[ordinal] = row; }

  static constexpr int64_t kNotFound = -1;

  /// The keys of `batch`: kNotFound, or an ordinal. Thread-safe, as long as nothing is inserted.
  void Find(const KeyBatch& batch, std::vector<int64_t>& ordinals) const;

  /// Row ids of a key that was not found, and of one whose rows have none.
  static constexpr int64_t kUnmatched = std::numeric_limits<int64_t>::max();
  static constexpr int64_t kNoRowId = kUnmatched - 1;

  /// A row of the table has the key; the lowest row id is kept. Thread-safe.
  void Match(KeyOrdinal ordinal, int64_t row_id);
  int64_t row_id(KeyOrdinal ordinal) const { return row_ids_[ordinal]; }

 private:
  Status Grow(size_t key_bytes);
  void Resize(size_t keys);
  size_t FindSlot(uint64_t hash, std::string_view key) const;

  MemoryBudget* budget_;
  int64_t bytes_max_;
  size_t width_;                 // Of every key; 0: see `ends_`.
  size_t capacity_ = 0;          // Keys there is room for.
  std::vector<uint64_t> slots_;  // Half of the hash, and the ordinal + 1; 0: free. A power of two.
  std::vector<char> bytes_;      // Keys, one after the other.
  std::vector<size_t> ends_;     // Of keys in `bytes_`, if their widths differ.
  std::vector<int64_t> rows_;
  std::vector<int64_t> row_ids_;
  MemoryReservation memory_;
};

}  // namespace firn
