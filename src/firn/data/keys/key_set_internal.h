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

  /// The number of `key`; negative if it is missing. `hash`: HashFast of it.
  int64_t Find(std::string_view key, uint64_t hash) const;
  int64_t Find(std::string_view key) const;

  int64_t size() const { return static_cast<int64_t>(count_); }
  size_t key_bytes() const { return bytes_.size(); }

  /// What a set of so many keys takes.
  static int64_t BytesFor(size_t keys, size_t key_bytes);

  /// Make room for so many keys in all. Errors: kResourceExhausted.
  Status Reserve(size_t keys, size_t key_bytes);

  /// Call `visit(std::string_view key, int64_t number) -> Status` for all keys, in no order.
  template <typename Visitor>
  Status Visit(Visitor&& visit) const {
    for (const Slot& slot : slots_) {
      if (!slot.is_used) continue;
      FIRN_RETURN_IF_ERROR(
          visit(std::string_view(bytes_).substr(slot.offset, slot.length), slot.number));
    }
    return {};
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint64_t offset = 0;
    uint32_t length = 0;
    bool is_used = false;
    int64_t number = 0;
  };
  size_t FindSlot(uint64_t hash, std::string_view key) const;
  Status ReserveBytes(size_t slots, size_t key_bytes);
  Status Rehash(size_t slots);

  MemoryBudget* budget_;
  std::vector<Slot> slots_;  // A power of two; linear probing.
  std::string bytes_;
  size_t count_ = 0;
  MemoryReservation memory_;
};

}  // namespace firn
