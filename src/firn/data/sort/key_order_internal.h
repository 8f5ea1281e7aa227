#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "firn/data/sort/sort_keys.h"

namespace firn {

/// The first bytes of a key as numbers that order as they do; shorter keys are filled up with
/// zeros. Unequal ones decide a comparison, which spares most looks at the keys themselves.
struct KeyPrefix {
  uint64_t high = 0;
  uint64_t low = 0;
  friend auto operator<=>(const KeyPrefix&, const KeyPrefix&) = default;
};

KeyPrefix PrefixOf(std::string_view key);

/// A row while rows are sorted.
struct KeyedRow {
  KeyPrefix prefix;  ///< Of what follows the bytes that all keys begin with.
  uint32_t row = 0;
};

/// The rows of `keys` (fewer than 2^32) in order; rows with equal keys stay as they are.
std::vector<uint32_t> SortKeys(const RowKeys& keys);

}  // namespace firn
