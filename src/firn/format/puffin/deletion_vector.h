#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

namespace firn {

/// A set of row positions (0 <= p < 2^63) as a 64-bit roaring bitmap. Copies are deep.
class PositionSet {
 public:
  PositionSet();
  PositionSet(const PositionSet& other);
  PositionSet(PositionSet&& other) noexcept;
  PositionSet& operator=(PositionSet other) noexcept;
  ~PositionSet();

  void Add(int64_t position);
  void AddRange(int64_t begin, int64_t end);  ///< [begin, end)
  void Union(const PositionSet& other);
  bool Contains(int64_t position) const;
  int64_t cardinality() const;
  bool empty() const { return cardinality() == 0; }
  int64_t memory_bytes() const;

  /// Turn containers into runs where that is smaller; the content stays.
  void Optimize();

  /// Ascending positions in [begin, end).
  std::vector<int64_t> InRange(int64_t begin, int64_t end) const;
  /// How many positions lie in [begin, end).
  int64_t CountInRange(int64_t begin, int64_t end) const;

  /// Portable 64-bit form: count, then (key, 32-bit portable bitmap) by ascending key. Keys are
  /// dense from 0 as Java writes them, with empty bitmaps between, while they are below 4096.
  std::string Serialize() const;
  /// Container order, cardinalities and run bounds are checked before use. Errors: kCorrupt.
  static Result<PositionSet> Deserialize(std::span<const std::byte> bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The `deletion-vector-v1` blob: length, magic, bitmap, CRC.
std::string FormatDeletionVector(const PositionSet& positions);
/// Errors: kCorrupt: length, magic, CRC or bitmap.
Result<PositionSet> ParseDeletionVector(std::span<const std::byte> blob);

}  // namespace firn
