#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/memory_budget.h"

/// Rows as byte keys, and a set of such keys within a memory budget.

namespace firn {

/// Writes rows of key columns as bytes: equal rows, and only those, give equal bytes. Null equals
/// null, NaN equals NaN; the two zeros differ, as partition values do.
class KeyEncoder {
 public:
  /// Columns of primitive types; they outlive the encoder.
  explicit KeyEncoder(const std::vector<std::shared_ptr<arrow::Array>>& columns);

  /// The key of a row; valid until the next call.
  std::string_view Encode(int64_t row);

 private:
  enum class Kind { kBits, kFixed, kFloat, kDouble, kBytes, kNulls };
  struct Column {
    Kind kind = Kind::kFixed;
    const uint8_t* validity = nullptr;  // Null: all valid.
    const uint8_t* values = nullptr;
    const int32_t* offsets = nullptr;
    int64_t offset = 0;
    size_t width = 0;
  };
  void Append(const Column& column, int64_t row);

  std::vector<Column> columns_;
  std::string key_;
};

/// Keys with the highest number given for each. Reads may run in parallel.
class KeySet {
 public:
  explicit KeySet(MemoryBudget* budget) : budget_(budget) {}

  /// Errors: kResourceExhausted.
  Status Insert(std::string_view key, int64_t number);

  /// The number of `key`; negative if it is missing.
  int64_t Find(std::string_view key) const;

  int64_t size() const { return static_cast<int64_t>(count_); }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint64_t offset = 0;
    uint32_t length = 0;
    bool is_used = false;
    int64_t number = 0;
  };
  size_t FindSlot(uint64_t hash, std::string_view key) const;
  Status Reserve(size_t slots, size_t key_bytes);

  MemoryBudget* budget_;
  std::vector<Slot> slots_;  // A power of two; linear probing.
  std::string bytes_;
  size_t count_ = 0;
  MemoryReservation memory_;
};

}  // namespace firn
