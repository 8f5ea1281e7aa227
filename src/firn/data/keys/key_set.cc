#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <arrow/array.h>
#include <arrow/util/bit_util.h>

#include "firn/base/bytes.h"
#include "firn/base/hash.h"
#include "firn/base/passing_reservation.h"
#include "firn/data/keys/key_set_internal.h"

namespace firn {
namespace {

constexpr size_t kSlotsMin = 64;

// Two of three are used at the most.
size_t SlotsFor(size_t keys) { return std::bit_ceil(std::max(kSlotsMin, keys + keys / 2 + 1)); }

constexpr char kNull = 0;
constexpr char kValid = 1;

template <typename T>
void AppendRaw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
void AppendFloat(std::string& out, const uint8_t* values, uint64_t index) {
  T value;
  std::memcpy(&value, values + index * sizeof(T), sizeof(T));
  AppendRaw(out, std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value);
}

}  // namespace

KeyEncoder::KeyEncoder(const std::vector<std::shared_ptr<arrow::Array>>& columns) {
  for (const std::shared_ptr<arrow::Array>& array : columns) {
    const arrow::ArrayData& data = *array->data();
    Column column{.offset = data.offset};
    if (data.buffers[0] != nullptr && data.GetNullCount() > 0) {
      column.validity = data.buffers[0]->data();
    }
    const auto buffer = [&data](size_t i) -> const uint8_t* {
      return data.buffers[i] == nullptr ? nullptr : data.buffers[i]->data();
    };
    switch (static_cast<int>(data.type->id())) {  // Few of Arrow's many types.
      case arrow::Type::NA:
        column.kind = Kind::kNulls;
        break;
      case arrow::Type::BOOL:
        column.kind = Kind::kBits;
        break;
      case arrow::Type::FLOAT:
        column.kind = Kind::kFloat;
        break;
      case arrow::Type::DOUBLE:
        column.kind = Kind::kDouble;
        break;
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
        column.kind = Kind::kBytes;
        column.offsets = reinterpret_cast<const int32_t*>(buffer(1));
        column.values = buffer(2);
        break;
      default:
        column.width = static_cast<size_t>(
            static_cast<const arrow::FixedWidthType&>(*data.type).bit_width() / 8);
        break;
    }
    if (column.kind != Kind::kBytes && column.kind != Kind::kNulls) column.values = buffer(1);
    columns_.push_back(column);
  }
}

std::string_view KeyEncoder::Encode(int64_t row) {
  key_.clear();
  for (const Column& column : columns_)
    Append(column, row);
  return key_;
}

void KeyEncoder::Append(const Column& column, int64_t row) {
  const auto index = static_cast<uint64_t>(column.offset + row);
  if (column.kind == Kind::kNulls ||
      (column.validity != nullptr && !arrow::bit_util::GetBit(column.validity, index))) {
    key_.push_back(kNull);
    return;
  }
  key_.push_back(kValid);
  switch (column.kind) {
    case Kind::kBits:
      key_.push_back(arrow::bit_util::GetBit(column.values, index) ? 1 : 0);
      break;
    case Kind::kFloat:
      AppendFloat<float>(key_, column.values, index);
      break;
    case Kind::kDouble:
      AppendFloat<double>(key_, column.values, index);
      break;
    case Kind::kBytes: {
      const int32_t begin = column.offsets[index];
      const int32_t length = column.offsets[index + 1] - begin;
      AppendRaw(key_, length);
      key_.append(reinterpret_cast<const char*>(column.values) + begin,
                  static_cast<size_t>(length));
      break;
    }
    case Kind::kFixed:
      key_.append(reinterpret_cast<const char*>(column.values) + index * column.width,
                  column.width);
      break;
    case Kind::kNulls:
      break;
  }
}

size_t KeySet::FindSlot(uint64_t hash, std::string_view key) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (!slot.is_used) return i;
    if (slot.hash == hash && slot.length == key.size() &&
        std::memcmp(bytes_.data() + slot.offset, key.data(), key.size()) == 0) {
      return i;
    }
  }
}

Status KeySet::ReserveBytes(size_t slots, size_t key_bytes) {
  const auto needed = static_cast<int64_t>(slots * sizeof(Slot) + key_bytes);
  if (needed <= memory_.bytes()) return {};
  // The old table and the new one exist together while keys move.
  FIRN_ASSIGN(MemoryReservation memory, ReserveOrPass(*budget_, needed),
              "holding {} keys of equality deletes; compact the table, or give more with --memory",
              count_);
  memory_ = std::move(memory);
  return {};
}

Status KeySet::Rehash(size_t slots) {
  FIRN_RETURN_IF_ERROR(ReserveBytes(slots, bytes_.capacity()));
  std::vector<Slot> old(slots);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (!slot.is_used) continue;
    size_t i = slot.hash & (slots - 1);
    while (slots_[i].is_used)
      i = (i + 1) & (slots - 1);
    slots_[i] = slot;
  }
  return {};
}

int64_t KeySet::BytesFor(size_t keys, size_t key_bytes) {
  return static_cast<int64_t>(SlotsFor(keys) * sizeof(Slot) + key_bytes);
}

Status KeySet::Reserve(size_t keys, size_t key_bytes) {
  FIRN_RETURN_IF_ERROR(ReserveBytes(SlotsFor(keys), key_bytes));
  bytes_.reserve(key_bytes);
  return SlotsFor(keys) > slots_.size() ? Rehash(SlotsFor(keys)) : Status();
}

Status KeySet::Insert(std::string_view key, int64_t number) {
  if (key.size() > std::numeric_limits<uint32_t>::max()) {
    return MakeError(ErrorCode::kUnsupported, "a key of an equality delete has {} bytes",
                     key.size());
  }
  if (count_ * 3 >= slots_.size() * 2) {
    FIRN_RETURN_IF_ERROR(Rehash(std::max(kSlotsMin, slots_.size() * 2)));
  }
  const uint64_t hash = HashFast(AsBytes(key));
  Slot& slot = slots_[FindSlot(hash, key)];
  if (slot.is_used) {
    slot.number = std::max(slot.number, number);
    return {};
  }
  if (bytes_.size() + key.size() > bytes_.capacity()) {
    const size_t bytes = std::max(bytes_.capacity() * 2, bytes_.size() + key.size());
    FIRN_RETURN_IF_ERROR(ReserveBytes(slots_.size(), bytes));
    bytes_.reserve(bytes);
  }
  slot = {.hash = hash,
          .offset = bytes_.size(),
          .length = static_cast<uint32_t>(key.size()),
          .is_used = true,
          .number = number};
  bytes_.append(key);
  ++count_;
  return {};
}

int64_t KeySet::Find(std::string_view key) const { return Find(key, HashFast(AsBytes(key))); }

int64_t KeySet::Find(std::string_view key, uint64_t hash) const {
  if (slots_.empty()) return -1;
  const Slot& slot = slots_[FindSlot(hash, key)];
  return slot.is_used ? slot.number : -1;
}

}  // namespace firn
