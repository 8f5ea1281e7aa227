#include <algorithm>

#include "firn/base/number.h"
#include "firn/format/manifest/manifest_program_internal.h"

namespace firn {
namespace {

// Bits of ids below this are looked up in a table, others in a sorted list.
constexpr int32_t kSmallIds = 1 << 16;

void AssignValue(AvroCursor& cursor, const AvroNode&, int64_t& value) { value = cursor.ReadLong(); }
void AssignValue(AvroCursor& cursor, const AvroNode& node, std::string& value) {
  value.assign(ReadMemberBytes(cursor, node));
}
void SkipValue(AvroCursor& cursor, const FieldMap<int64_t>&) { cursor.SkipLong(); }
void SkipValue(AvroCursor& cursor, const FieldMap<std::string>&) { cursor.SkipBytes(); }

// The next free item of `map`, whose first `count` are in use.
template <typename T>
std::pair<int32_t, T>* NextItem(AvroCursor& cursor, FieldMap<T>& map, size_t count) {
  if (count < map.size()) return &map[count];
  if (count >= kMapItemsMax) {
    cursor.Fail("a metrics map has more than a million items");
    return nullptr;
  }
  return &map.emplace_back();
}

// Sort by id; of an id that is there twice the last wins, as in the maps of other engines.
template <typename T>
void SortById(FieldMap<T>& map) {
  std::stable_sort(map.begin(), map.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  size_t kept = 0;
  for (size_t i = 0; i < map.size(); ++i) {
    if (i + 1 < map.size() && map[i + 1].first == map[i].first) continue;
    if (kept != i) map[kept] = std::move(map[i]);
    ++kept;
  }
  map.resize(kept);
}

// Keep the first `count` items, in the order of their ids.
template <typename T>
void Finish(FieldMap<T>& map, size_t count) {
  map.resize(count);
  const bool is_sorted =
      std::adjacent_find(map.begin(), map.end(), [](const auto& a, const auto& b) {
        return a.first >= b.first;
      }) == map.end();
  if (!is_sorted) SortById(map);
}

template <typename T>
void ReadPlainMap(AvroCursor& cursor, const MapPlan& plan, const FieldIdFilter& filter,
                  FieldMap<T>& map) {
  size_t used = 0;
  while (int64_t count = cursor.ReadItemCount(plan.item_min_size)) {
    for (; count > 0 && cursor.ok(); --count) {
      const int32_t key = cursor.ReadInt();
      if (!filter.Keeps(key)) {
        SkipValue(cursor, map);
        continue;
      }
      auto* item = NextItem(cursor, map, used);
      if (item == nullptr) return;
      item->first = key;
      AssignValue(cursor, *plan.value.value, item->second);
      ++used;
    }
  }
  Finish(map, used);
}

// One item of an unusual map: its key, and whether it has a value (written to `value`).
template <typename T>
bool ReadOddItem(AvroCursor& cursor, const MapPlan& plan, int32_t& key, T& value) {
  const auto read_value = [&] {
    if (plan.value.branch_count > 0 &&
        cursor.ReadIndex(static_cast<size_t>(plan.value.branch_count)) == plan.value.null_branch) {
      return false;
    }
    if (plan.value.value == nullptr) return false;
    AssignValue(cursor, *plan.value.value, value);
    return true;
  };
  if (plan.is_avro_map) {
    const auto parsed = ParseInt32(cursor.ReadBytes());
    if (!parsed) cursor.Fail("a key of a metrics map is not a field id");
    key = parsed.value_or(0);
    return read_value();
  }
  bool has_value = false;
  for (size_t i = 0; i < plan.record->fields.size(); ++i) {
    if (i == plan.value_index) {
      has_value = read_value();
    } else if (i != plan.key_index) {
      cursor.Skip(*plan.record->fields[i].type);
    } else if (plan.key.branch_count > 0 && cursor.ReadIndex(static_cast<size_t>(
                                                plan.key.branch_count)) == plan.key.null_branch) {
      cursor.Fail("a key of a metrics map is null");
    } else {
      key = cursor.ReadInt();
    }
  }
  return has_value;
}

template <typename T>
void ReadOddMap(AvroCursor& cursor, const MapPlan& plan, const FieldIdFilter& filter,
                FieldMap<T>& map) {
  size_t used = 0;
  while (int64_t count = cursor.ReadItemCount(plan.item_min_size)) {
    for (; count > 0 && cursor.ok(); --count) {
      int32_t key = 0;
      T value{};
      if (!ReadOddItem(cursor, plan, key, value) || !cursor.ok() || !filter.Keeps(key)) continue;
      auto* item = NextItem(cursor, map, used);
      if (item == nullptr) return;
      *item = {key, std::move(value)};
      ++used;
    }
  }
  Finish(map, used);
}

template <typename T, typename ReadItem>
void ReadArray(AvroCursor& cursor, const AvroNode& node, std::vector<T>& array, ReadItem read) {
  array.clear();
  while (int64_t count = cursor.ReadItemCount(node.items().min_size)) {
    if (static_cast<size_t>(count) > kArrayItemsMax - array.size()) {
      return cursor.Fail("an array has more than four million items");
    }
    for (; count > 0 && cursor.ok(); --count)
      array.push_back(read());
  }
}

}  // namespace

FieldIdFilter::FieldIdFilter(const std::vector<int32_t>* ids) : keeps_all_(ids == nullptr) {
  if (keeps_all_) return;
  for (const int32_t id : *ids) {
    if (id < 0 || id >= kSmallIds) {
      large_.push_back(id);
      continue;
    }
    if (static_cast<size_t>(id) >= small_.size()) small_.resize(static_cast<size_t>(id) + 1);
    small_[static_cast<size_t>(id)] = 1;
  }
  std::sort(large_.begin(), large_.end());
}

bool FieldIdFilter::KeepsLarge(int32_t id) const {
  return std::binary_search(large_.begin(), large_.end(), id);
}

void ReadLongMap(AvroCursor& cursor, const MapPlan& plan, const FieldIdFilter& filter,
                 FieldMap<int64_t>& map) {
  if (plan.is_plain) return ReadPlainMap(cursor, plan, filter, map);
  ReadOddMap(cursor, plan, filter, map);
}

void ReadBytesMap(AvroCursor& cursor, const MapPlan& plan, const FieldIdFilter& filter,
                  FieldMap<std::string>& map) {
  if (plan.is_plain) return ReadPlainMap(cursor, plan, filter, map);
  ReadOddMap(cursor, plan, filter, map);
}

void ReadLongArray(AvroCursor& cursor, const AvroNode& node, std::vector<int64_t>& array) {
  ReadArray(cursor, node, array, [&] { return cursor.ReadLong(); });
}

void ReadIntArray(AvroCursor& cursor, const AvroNode& node, std::vector<int32_t>& array) {
  ReadArray(cursor, node, array, [&] { return cursor.ReadInt(); });
}

void RunSkipStep(AvroCursor& cursor, const ReadStep& step) {
  switch (step.kind) {
    case ReadStep::Kind::kSkipLong:
      return cursor.SkipLong();
    case ReadStep::Kind::kSkipBytes:
      return cursor.SkipBytes();
    case ReadStep::Kind::kSkipLongMap:
    case ReadStep::Kind::kSkipBytesMap: {
      if (!EntersMember(cursor, step)) return;
      const bool has_bytes = step.kind == ReadStep::Kind::kSkipBytesMap;
      while (int64_t count = cursor.ReadItemCount(2)) {
        for (; count > 0 && cursor.ok(); --count) {
          cursor.SkipLong();
          has_bytes ? cursor.SkipBytes() : cursor.SkipLong();
        }
      }
      return;
    }
    case ReadStep::Kind::kSkip:
    case ReadStep::Kind::kRead:
    case ReadStep::Kind::kEnter:
      return cursor.Skip(*step.node);
  }
}

}  // namespace firn
