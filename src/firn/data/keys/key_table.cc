#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "firn/base/bytes.h"
#include "firn/base/hash.h"
#include "firn/base/passing_reservation.h"
#include "firn/data/keys/key_table_internal.h"

namespace firn {
namespace {

constexpr size_t kKeysMin = 1024;
constexpr size_t kKeysMax = std::numeric_limits<KeyOrdinal>::max() - 1;
constexpr uint64_t kHashHalf = 0xffffffff00000000;
// Slots are fetched into the cache this many keys ahead.
constexpr int64_t kBlock = 64;

}  // namespace

uint64_t KeyTable::Hash(std::string_view key) { return HashFast(AsBytes(key)); }

std::string_view KeyTable::key(KeyOrdinal ordinal) const {
  if (width_ > 0) return {bytes_.data() + ordinal * width_, width_};
  const size_t begin = ordinal == 0 ? 0 : ends_[ordinal - 1];
  return {bytes_.data() + begin, ends_[ordinal] - begin};
}

// Half of the slots are free, so a search ends soon.
size_t KeyTable::FindSlot(uint64_t hash, std::string_view key) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const uint64_t slot = slots_[i];
    if (slot == 0) return i;
    if ((slot & kHashHalf) != (hash & kHashHalf)) continue;
    const std::string_view other = this->key(static_cast<KeyOrdinal>(slot & ~kHashHalf) - 1);
    if (other == key) return i;
  }
}

int64_t KeyTable::BytesFor(size_t keys, size_t key_bytes, size_t width) {
  const size_t numbers = 2 * sizeof(int64_t) + (width > 0 ? 0 : sizeof(size_t));
  return static_cast<int64_t>(std::bit_ceil(keys * 2) * sizeof(uint64_t) + keys * numbers +
                              key_bytes);
}

Status KeyTable::Reserve(size_t keys, size_t key_bytes) {
  keys = std::max(keys, capacity_);
  key_bytes = std::max(key_bytes, bytes_.capacity());
  const int64_t needed = BytesFor(keys, key_bytes, width_);
  if (keys > kKeysMax || needed > bytes_max_) {
    return MakeError(ErrorCode::kResourceExhausted,
                     "{} keys would take {} bytes of memory, more than their share of {}", keys,
                     needed, bytes_max_);
  }
  // The old arrays and the new ones exist together while keys move.
  FIRN_ASSIGN(MemoryReservation memory, ReserveOrPass(*budget_, needed));
  bytes_.reserve(key_bytes);
  if (keys > capacity_) Resize(keys);
  memory_ = std::move(memory);
  return {};
}

void KeyTable::Resize(size_t keys) {
  capacity_ = keys;
  rows_.reserve(keys);
  row_ids_.reserve(keys);
  if (width_ == 0) ends_.reserve(keys);
  std::vector<uint64_t>(std::bit_ceil(keys * 2)).swap(slots_);
  for (KeyOrdinal i = 0; i < rows_.size(); ++i) {
    const uint64_t hash = Hash(key(i));
    slots_[FindSlot(hash, key(i))] = (hash & kHashHalf) | (uint64_t{i} + 1);
  }
}

// Make room for one key more.
Status KeyTable::Grow(size_t key_bytes) {
  const bool has_slot = rows_.size() < capacity_;
  const bool has_room = bytes_.size() + key_bytes <= bytes_.capacity();
  if (has_slot && has_room) return {};
  const size_t keys = has_slot ? capacity_ : std::max(kKeysMin, rows_.size() * 2);
  const size_t bytes = std::max(keys * width_, has_room ? 0 : bytes_.size() * 3 / 2 + key_bytes);
  return Reserve(keys, bytes);
}

Result<std::optional<KeyOrdinal>> KeyTable::Insert(std::string_view key, uint64_t hash,
                                                   int64_t row) {
  FIRN_RETURN_IF_ERROR(Grow(key.size()));
  const size_t slot = FindSlot(hash, key);
  if (slots_[slot] != 0) {
    return std::optional(static_cast<KeyOrdinal>(slots_[slot] & ~kHashHalf) - 1);
  }
  slots_[slot] = (hash & kHashHalf) | (uint64_t{rows_.size()} + 1);
  bytes_.insert(bytes_.end(), key.begin(), key.end());
  if (width_ == 0) ends_.push_back(bytes_.size());
  rows_.push_back(row);
  row_ids_.push_back(kUnmatched);
  return std::optional<KeyOrdinal>();
}

void KeyTable::Find(const KeyBatch& batch, std::vector<int64_t>& ordinals) const {
  ordinals.assign(static_cast<size_t>(batch.size()), kNotFound);
  if (rows_.empty()) return;
  const size_t mask = slots_.size() - 1;
  uint64_t hashes[kBlock];
  for (int64_t begin = 0; begin < batch.size(); begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, batch.size());
    for (int64_t i = begin; i < end; ++i) {
      if (batch.is_null(i)) continue;
      hashes[i - begin] = Hash(batch.key(i));
      __builtin_prefetch(&slots_[hashes[i - begin] & mask]);
    }
    for (int64_t i = begin; i < end; ++i) {
      if (batch.is_null(i)) continue;
      const uint64_t slot = slots_[FindSlot(hashes[i - begin], batch.key(i))];
      if (slot != 0) ordinals[static_cast<size_t>(i)] = static_cast<int64_t>(slot & ~kHashHalf) - 1;
    }
  }
}

void KeyTable::Match(KeyOrdinal ordinal, int64_t row_id) {
  std::atomic_ref<int64_t> lowest(row_ids_[ordinal]);
  int64_t seen = lowest.load(std::memory_order_relaxed);
  while (row_id < seen && !lowest.compare_exchange_weak(seen, row_id, std::memory_order_relaxed)) {
  }
}

}  // namespace firn
