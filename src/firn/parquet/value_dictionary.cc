#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "firn/base/hash.h"
#include "firn/parquet/rle_internal.h"
#include "firn/parquet/value_dictionary_internal.h"

namespace firn {
namespace {

// Few: a table may have thousands of columns.
constexpr size_t kSlotsMin = 64;
constexpr size_t kPrefix = sizeof(uint32_t);

// Byte arrays up to this size are loaded as two numbers, which may overlap.
constexpr size_t kShortMax = 16;

uint64_t Scramble(uint64_t number) {
  number *= 0x9E3779B97F4A7C15ULL;
  return number ^ (number >> 32);
}

template <typename T>
T Load(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

struct ShortBytes {
  uint64_t head = 0;
  uint64_t tail = 0;
};

// All of a byte array of up to kShortMax bytes.
ShortBytes LoadShort(std::string_view value) {
  const char* const bytes = value.data();
  const size_t size = value.size();
  if (size >= 8) return {Load<uint64_t>(bytes), Load<uint64_t>(bytes + size - 8)};
  if (size >= 4) return {Load<uint32_t>(bytes), Load<uint32_t>(bytes + size - 4)};
  if (size == 0) return {};
  return {static_cast<uint64_t>(Load<uint8_t>(bytes)) |
              static_cast<uint64_t>(Load<uint8_t>(bytes + size / 2)) << 8,
          Load<uint8_t>(bytes + size - 1)};
}

uint64_t HashBytes(std::string_view value) {
  if (value.size() > kShortMax) return HashFast(AsBytes(value));
  const ShortBytes bytes = LoadShort(value);
  return Scramble(Scramble(bytes.head + value.size()) ^ std::rotl(bytes.tail, 29) * 3);
}

bool AreEqual(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a.size() > kShortMax) return std::memcmp(a.data(), b.data(), a.size()) == 0;
  const ShortBytes left = LoadShort(a);
  const ShortBytes right = LoadShort(b);
  return left.head == right.head && left.tail == right.tail;
}

}  // namespace

ValueDictionary::ValueDictionary(size_t width) : width_(width), slots_(kSlotsMin) {}

uint64_t ValueDictionary::HashOf(std::string_view value) const {
  if (width_ == 0 || width_ > sizeof(uint64_t)) return HashBytes(value);
  uint64_t number = 0;
  std::memcpy(&number, value.data(), width_);
  return Scramble(number);
}

int ValueDictionary::index_bits() const { return size_ <= 1 ? 1 : BitWidth(size_ - 1); }

std::string_view ValueDictionary::At(uint32_t number) const {
  const auto* plain = reinterpret_cast<const char*>(plain_.data());
  if (width_ > 0) return {plain + number * width_, width_};
  const size_t start = starts_[number];
  uint32_t length = 0;
  std::memcpy(&length, plain + start - kPrefix, kPrefix);
  return {plain + start, length};
}

size_t ValueDictionary::held_bytes() const {
  return plain_.capacity() + starts_.capacity() * sizeof(size_t) + slots_.capacity() * sizeof(Slot);
}

std::optional<uint32_t> ValueDictionary::Find(std::string_view value) const {
  const uint64_t hash = HashOf(value);
  const size_t mask = slots_.size() - 1;
  const auto tag = static_cast<uint32_t>(hash >> 32);
  for (size_t at = hash & mask; slots_[at].number_plus_1 != 0; at = (at + 1) & mask) {
    const uint32_t number = slots_[at].number_plus_1 - 1;
    if (slots_[at].tag == tag && AreEqual(At(number), value)) return number;
  }
  return std::nullopt;
}

uint32_t ValueDictionary::Insert(std::string_view value) {
  const uint64_t hash = HashOf(value);
  const size_t mask = slots_.size() - 1;
  const auto tag = static_cast<uint32_t>(hash >> 32);
  for (size_t at = hash & mask; slots_[at].number_plus_1 != 0; at = (at + 1) & mask) {
    const uint32_t number = slots_[at].number_plus_1 - 1;
    if (slots_[at].tag == tag && AreEqual(At(number), value)) return number;
  }
  return Add(value, hash);
}

template <typename T>
void ValueDictionary::InsertNumbers(const std::byte* values, size_t count, uint32_t* numbers) {
  for (size_t i = 0; i < count; ++i) {
    const T value = Load<T>(values + i * sizeof(T));
    const uint64_t hash = Scramble(value);
    const size_t mask = slots_.size() - 1;
    const auto tag = static_cast<uint32_t>(hash >> 32);
    const std::byte* const known = plain_.data();
    size_t at = hash & mask;
    while (true) {
      const Slot slot = slots_[at];
      if (slot.number_plus_1 == 0) {
        numbers[i] = Add(AsText({values + i * sizeof(T), sizeof(T)}), hash);
        break;
      }
      const size_t number = slot.number_plus_1 - 1;
      if (slot.tag == tag && Load<T>(known + number * sizeof(T)) == value) {
        numbers[i] = static_cast<uint32_t>(number);
        break;
      }
      at = (at + 1) & mask;
    }
  }
}

void ValueDictionary::InsertFixed(const std::byte* values, size_t count, uint32_t* numbers) {
  if (width_ == sizeof(uint32_t)) return InsertNumbers<uint32_t>(values, count, numbers);
  if (width_ == sizeof(uint64_t)) return InsertNumbers<uint64_t>(values, count, numbers);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = Insert(AsText({values + i * width_, width_}));
}

void ValueDictionary::InsertBytes(std::span<const std::string_view> values, uint32_t* numbers) {
  for (size_t i = 0; i < values.size(); ++i)
    numbers[i] = Insert(values[i]);
}

// Behind those that are there.
uint32_t ValueDictionary::Add(std::string_view value, uint64_t hash) {
  if (width_ == 0) {
    const auto length = static_cast<uint32_t>(value.size());
    std::memcpy(plain_.Grow(kPrefix), &length, kPrefix);
    starts_.push_back(plain_.size());
  }
  plain_.Append(AsBytes(value));
  const auto number = static_cast<uint32_t>(size_++);
  if (size_ * 2 > slots_.size()) {
    Rehash(slots_.size() * 2);
  } else {
    Place(number, hash);
  }
  return number;
}

void ValueDictionary::Place(uint32_t number, uint64_t hash) {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].number_plus_1 != 0)
    at = (at + 1) & mask;
  slots_[at] = {.number_plus_1 = number + 1, .tag = static_cast<uint32_t>(hash >> 32)};
}

void ValueDictionary::Rehash(size_t slots) {
  slots_.assign(slots, Slot());
  for (uint32_t number = 0; number < size_; ++number)
    Place(number, HashOf(At(number)));
}

std::vector<uint32_t> ValueDictionary::Sort(ValueOrder order) {
  std::vector<uint32_t> sorted(size_);
  std::iota(sorted.begin(), sorted.end(), 0U);
  const auto nans = std::stable_partition(
      sorted.begin(), sorted.end(), [&](uint32_t number) { return !IsNan(order, At(number)); });
  nan_begin_ = static_cast<uint32_t>(nans - sorted.begin());
  std::sort(sorted.begin(), nans,
            [&](uint32_t a, uint32_t b) { return ComparePlain(order, At(a), At(b)) < 0; });
  PageBuffer plain;
  plain.Resize(plain_.size());
  std::vector<size_t> starts;
  std::vector<uint32_t> numbers(size_);
  size_t end = 0;
  for (uint32_t i = 0; i < size_; ++i) {
    const std::string_view value = At(sorted[i]);
    const size_t prefix = width_ == 0 ? kPrefix : 0;
    std::memcpy(plain.data() + end, value.data() - prefix, prefix + value.size());
    if (width_ == 0) starts.push_back(end + kPrefix);
    end += prefix + value.size();
    numbers[sorted[i]] = i;
  }
  plain_ = std::move(plain);
  starts_ = std::move(starts);
  Rehash(slots_.size());
  return numbers;
}

}  // namespace firn
