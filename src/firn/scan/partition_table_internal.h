#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firn/format/types/value.h"

/// Distinct partitions as small numbers. For this module only.

namespace firn {

/// A partition: spec id and values. Equal if both are; floats by canonical bits.
struct PartitionKey {
  int32_t spec_id = 0;
  StructValue values;
};

/// Each distinct partition once, numbered from 0. `Find` is thread-safe while nobody adds.
class PartitionTable {
 public:
  uint32_t Add(int32_t spec_id, const StructValue& values);
  std::optional<uint32_t> Find(int32_t spec_id, const StructValue& values) const;

  const PartitionKey& operator[](uint32_t id) const { return keys_[id]; }
  size_t size() const { return keys_.size(); }

 private:
  size_t FindSlot(uint64_t hash, int32_t spec_id, const StructValue& values) const;
  void Grow();
  std::vector<PartitionKey> keys_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> slots_;  // Number plus one; 0 is empty.
};

uint64_t HashPartition(int32_t spec_id, const StructValue& values);

}  // namespace firn
