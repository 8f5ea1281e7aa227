#include "firn/scan/partition_table_internal.h"

namespace firn {

uint64_t HashPartition(int32_t spec_id, const StructValue& values) {
  constexpr uint64_t kSpecFactor = 0x9E3779B97F4A7C15;
  constexpr uint64_t kValueFactor = 0xD6E8FEB86659FD93;
  uint64_t hash = static_cast<uint64_t>(spec_id) * kSpecFactor;
  for (const Value& value : values.fields)
    hash = (hash ^ HashValue(value)) * kValueFactor + (hash >> 32);
  return hash ^ (hash >> 32);
}

uint32_t PartitionTable::Add(int32_t spec_id, const StructValue& values) {
  if ((keys_.size() + 1) * 2 > slots_.size()) Grow();
  const uint64_t hash = HashPartition(spec_id, values);
  const size_t slot = FindSlot(hash, spec_id, values);
  if (slots_[slot] == 0) {
    keys_.push_back({spec_id, values});
    hashes_.push_back(hash);
    slots_[slot] = static_cast<uint32_t>(keys_.size());
  }
  return slots_[slot] - 1;
}

std::optional<uint32_t> PartitionTable::Find(int32_t spec_id, const StructValue& values) const {
  if (slots_.empty()) return std::nullopt;
  const uint32_t found = slots_[FindSlot(HashPartition(spec_id, values), spec_id, values)];
  return found == 0 ? std::nullopt : std::optional<uint32_t>(found - 1);
}

// The slot of the partition, or the empty one where it belongs.
size_t PartitionTable::FindSlot(uint64_t hash, int32_t spec_id, const StructValue& values) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (slots_[slot] != 0) {
    const uint32_t id = slots_[slot] - 1;
    if (hashes_[id] == hash && keys_[id].spec_id == spec_id &&
        keys_[id].values.fields == values.fields) {
      break;
    }
    slot = (slot + 1) & mask;
  }
  return slot;
}

void PartitionTable::Grow() {
  slots_.assign(slots_.empty() ? 16 : slots_.size() * 2, 0);
  const size_t mask = slots_.size() - 1;
  for (size_t id = 0; id < keys_.size(); ++id) {
    size_t slot = hashes_[id] & mask;
    while (slots_[slot] != 0)
      slot = (slot + 1) & mask;
    slots_[slot] = static_cast<uint32_t>(id + 1);
  }
}

}  // namespace firn
