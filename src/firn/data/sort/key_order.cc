#include <algorithm>
#include <numeric>

#include "firn/base/byte_prefix.h"
#include "firn/data/sort/key_order_internal.h"

namespace firn {
namespace {

// Of all keys.
struct KeyShape {
  size_t common = 0;  // Bytes that all begin with.
  size_t longest = 0;
  size_t shortest = SIZE_MAX;
};

KeyShape ShapeOf(const RowKeys& keys) {
  KeyShape shape;
  const std::string_view first = keys.at(0);
  shape.common = first.size();
  for (size_t row = 0; row < keys.size(); ++row) {
    const std::string_view key = keys.at(row);
    shape.longest = std::max(shape.longest, key.size());
    shape.shortest = std::min(shape.shortest, key.size());
    const size_t length = std::min(shape.common, key.size());
    if (key.substr(0, length) == first.substr(0, shape.common)) continue;
    shape.common = static_cast<size_t>(
        std::mismatch(key.begin(), key.begin() + static_cast<ptrdiff_t>(length), first.begin())
            .first -
        key.begin());
  }
  return shape;
}

}  // namespace

KeyPrefix PrefixOf(std::string_view key) {
  constexpr size_t kBytes = sizeof(uint64_t);
  KeyPrefix prefix{.high = BytePrefix(key)};
  if (key.size() > kBytes) prefix.low = BytePrefix(key.substr(kBytes));
  return prefix;
}

std::vector<uint32_t> SortKeys(const RowKeys& keys) {
  std::vector<uint32_t> rows(keys.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (rows.empty()) return rows;
  const KeyShape shape = ShapeOf(keys);
  std::vector<KeyedRow> entries(keys.size());
  for (size_t row = 0; row < keys.size(); ++row)
    entries[row] = {PrefixOf(keys.at(row).substr(shape.common)), static_cast<uint32_t>(row)};
  const bool is_decided =
      shape.shortest == shape.longest && shape.longest - shape.common <= sizeof(KeyPrefix);
  const auto is_before = [&](const KeyedRow& a, const KeyedRow& b) {
    if (const auto order = a.prefix <=> b.prefix; order != 0) return order < 0;
    if (is_decided) return a.row < b.row;
    const int order = keys.at(a.row).compare(keys.at(b.row));
    return order != 0 ? order < 0 : a.row < b.row;
  };
  if (std::is_sorted(entries.begin(), entries.end(), is_before)) return rows;
  std::sort(entries.begin(), entries.end(), is_before);
  for (size_t i = 0; i < entries.size(); ++i)
    rows[i] = entries[i].row;
  return rows;
}

}  // namespace firn
