#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "firn/parquet/compression_internal.h"
#include "firn/parquet/value_order_internal.h"

namespace firn {

/// The distinct values of a column chunk. Numbered as they come; `Sort` numbers them anew, by their
/// order, so that the least and the greatest of some values are those with the least and the
/// greatest number.
class ValueDictionary {
 public:
  /// `width` 0: byte arrays.
  explicit ValueDictionary(size_t width);

  uint32_t Insert(std::string_view value);
  /// Insert `count` values of fixed width, one after the other; their numbers go to `numbers`.
  void InsertFixed(const std::byte* values, size_t count, uint32_t* numbers);
  void InsertBytes(std::span<const std::string_view> values, uint32_t* numbers);
  std::optional<uint32_t> Find(std::string_view value) const;

  size_t size() const { return size_; }
  /// 0: byte arrays.
  size_t width() const { return width_; }
  /// Of a number; at least one, since readers differ over runs of none.
  int index_bits() const;
  /// Bytes of all values in PLAIN form.
  size_t plain_bytes() const { return plain_.size(); }
  std::span<const std::byte> plain() const { return plain_.span(); }
  std::string_view At(uint32_t number) const;
  /// Bytes of memory.
  size_t held_bytes() const;

  /// Returns the new number of each old one. NaN come last: `nan_begin` is the first of them.
  /// No value may be inserted any more.
  std::vector<uint32_t> Sort(ValueOrder order);
  uint32_t nan_begin() const { return nan_begin_; }

 private:
  struct Slot {
    uint32_t number_plus_1 = 0;  // 0: free.
    uint32_t tag = 0;
  };

  template <typename T>
  void InsertNumbers(const std::byte* values, size_t count, uint32_t* numbers);
  uint32_t Add(std::string_view value, uint64_t hash);
  uint64_t HashOf(std::string_view value) const;
  void Rehash(size_t slots);
  void Place(uint32_t number, uint64_t hash);

  size_t width_;
  size_t size_ = 0;
  PageBuffer plain_;
  std::vector<size_t> starts_;  // Of byte arrays: where the bytes begin.
  std::vector<Slot> slots_;
  uint32_t nan_begin_ = 0;
};

}  // namespace firn
