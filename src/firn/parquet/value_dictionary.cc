#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "firn/base/hash.h"
#include "firn/parquet/rle_internal.h"
#include "firn/parquet/value_dictionary_internal.h"

namespace firn {
namespace {

constexpr size_t kSlotsMin = 1024;
constexpr size_t kPrefix = sizeof(uint32_t);

uint64_t Scramble(uint64_t number) {
  number *= 0x9E3779B97F4A7C15ULL;
  return number ^ (number >> 32);
}

}  // namespace

ValueDictionary::ValueDictionary(size_t width) : width_(width), slots_(kSlotsMin) {}

uint64_t ValueDictionary::HashOf(std::string_view value) const {
  if (width_ == 0 || width_ > sizeof(uint64_t)) return HashFast(AsBytes(value));
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

std::optional<uint32_t> ValueDictionary::Find(std::string_view value) const {
  const uint64_t hash = HashOf(value);
  const size_t mask = slots_.size() - 1;
  const auto tag = static_cast<uint32_t>(hash >> 32);
  for (size_t at = hash & mask; slots_[at].number_plus_1 != 0; at = (at + 1) & mask) {
    const uint32_t number = slots_[at].number_plus_1 - 1;
    if (slots_[at].tag == tag && At(number) == value) return number;
  }
  return std::nullopt;
}

uint32_t ValueDictionary::Insert(std::string_view value) {
  const uint64_t hash = HashOf(value);
  const size_t mask = slots_.size() - 1;
  const auto tag = static_cast<uint32_t>(hash >> 32);
  for (size_t at = hash & mask; slots_[at].number_plus_1 != 0; at = (at + 1) & mask) {
    const uint32_t number = slots_[at].number_plus_1 - 1;
    if (slots_[at].tag == tag && At(number) == value) return number;
  }
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
