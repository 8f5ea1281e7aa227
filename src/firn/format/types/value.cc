#include "firn/format/types/value.h"

#include <bit>
#include <cmath>

#include "firn/base/hash.h"
#include "firn/format/types/type.h"

namespace firn {
namespace {

// Equal for all NaN; different for the two zeros.
uint32_t CanonicalBits(float value) {
  return std::isnan(value) ? 0x7FC00000U : std::bit_cast<uint32_t>(value);
}
uint64_t CanonicalBits(double value) {
  return std::isnan(value) ? 0x7FF8000000000000ULL : std::bit_cast<uint64_t>(value);
}

// A number that orders floats as the spec wants: -NaN < -Inf < .. < -0 < +0 < .. < +Inf < NaN. The
// payload of a NaN does not count.
int32_t OrderKey(float value) {
  int32_t bits = std::bit_cast<int32_t>(value);
  if (std::isnan(value)) bits = bits < 0 ? std::bit_cast<int32_t>(0xFFC00000U) : 0x7FC00000;
  return bits < 0 ? bits ^ INT32_MAX : bits;
}
int64_t OrderKey(double value) {
  int64_t bits = std::bit_cast<int64_t>(value);
  if (std::isnan(value)) {
    bits = bits < 0 ? std::bit_cast<int64_t>(0xFFF8000000000000ULL) : 0x7FF8000000000000LL;
  }
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

struct EqualVisitor {
  const Value& other;

  bool operator()(std::monostate) const { return true; }
  bool operator()(float value) const {
    return CanonicalBits(value) == CanonicalBits(other.get<float>());
  }
  bool operator()(double value) const {
    return CanonicalBits(value) == CanonicalBits(other.get<double>());
  }
  bool operator()(const std::shared_ptr<const StructValue>& value) const {
    return value->fields == other.as_struct().fields;
  }
  bool operator()(const std::shared_ptr<const ListValue>& value) const {
    return value->elements == other.as_list().elements;
  }
  bool operator()(const std::shared_ptr<const MapValue>& value) const {
    return value->entries == other.as_map().entries;
  }
  template <typename T>
  bool operator()(const T& value) const {
    return value == other.get<T>();
  }
};

uint64_t MixHash(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93ULL;
  return hash ^ (hash >> 29);
}

struct HashVisitor {
  uint64_t seed;

  uint64_t operator()(std::monostate) const { return MixHash(seed, 0); }
  uint64_t operator()(bool value) const { return MixHash(seed, value ? 1 : 0); }
  uint64_t operator()(int32_t value) const { return MixHash(seed, static_cast<uint64_t>(value)); }
  uint64_t operator()(int64_t value) const { return MixHash(seed, static_cast<uint64_t>(value)); }
  uint64_t operator()(float value) const { return MixHash(seed, CanonicalBits(value)); }
  uint64_t operator()(double value) const { return MixHash(seed, CanonicalBits(value)); }
  uint64_t operator()(Int128 value) const {
    const auto bits = static_cast<UInt128>(value);
    return MixHash(MixHash(seed, static_cast<uint64_t>(bits)), static_cast<uint64_t>(bits >> 64));
  }
  uint64_t operator()(const std::string& value) const { return HashFast(AsBytes(value), seed); }
  uint64_t operator()(const UuidBytes& value) const { return HashFast(value, seed); }
  uint64_t operator()(const BinaryValue& value) const {
    return HashFast(AsBytes(value.bytes), seed);
  }
  uint64_t operator()(const std::shared_ptr<const StructValue>& value) const {
    uint64_t hash = seed;
    for (const Value& field : value->fields)
      hash = MixHash(hash, HashValue(field));
    return hash;
  }
  uint64_t operator()(const std::shared_ptr<const ListValue>& value) const {
    uint64_t hash = seed;
    for (const Value& element : value->elements)
      hash = MixHash(hash, HashValue(element));
    return hash;
  }
  uint64_t operator()(const std::shared_ptr<const MapValue>& value) const {
    uint64_t hash = seed;
    for (const auto& [key, entry] : value->entries) {
      hash = MixHash(MixHash(hash, HashValue(key)), HashValue(entry));
    }
    return hash;
  }
};

std::strong_ordering CompareLists(const std::vector<Value>& a, const std::vector<Value>& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const auto order = CompareValues(a[i], b[i]); order != 0) return order;
  }
  return a.size() <=> b.size();
}

struct CompareVisitor {
  const Value& other;

  std::strong_ordering operator()(std::monostate) const { return std::strong_ordering::equal; }
  std::strong_ordering operator()(float value) const {
    return OrderKey(value) <=> OrderKey(other.get<float>());
  }
  std::strong_ordering operator()(double value) const {
    return OrderKey(value) <=> OrderKey(other.get<double>());
  }
  std::strong_ordering operator()(const std::shared_ptr<const StructValue>& value) const {
    return CompareLists(value->fields, other.as_struct().fields);
  }
  std::strong_ordering operator()(const std::shared_ptr<const ListValue>& value) const {
    return CompareLists(value->elements, other.as_list().elements);
  }
  std::strong_ordering operator()(const std::shared_ptr<const MapValue>& value) const {
    const auto& entries = other.as_map().entries;
    for (size_t i = 0; i < value->entries.size() && i < entries.size(); ++i) {
      const auto& [a_key, a_value] = value->entries[i];
      const auto& [b_key, b_value] = entries[i];
      if (const auto order = CompareValues(a_key, b_key); order != 0) return order;
      if (const auto order = CompareValues(a_value, b_value); order != 0) return order;
    }
    return value->entries.size() <=> entries.size();
  }
  // Text and bytes: char_traits<char> compares as unsigned, and so does std::byte.
  template <typename T>
  std::strong_ordering operator()(const T& value) const {
    return value <=> other.get<T>();
  }
};

}  // namespace

Value Value::Struct(std::vector<Value> fields) {
  return Value(std::make_shared<const StructValue>(StructValue{std::move(fields)}));
}

Value Value::List(std::vector<Value> elements) {
  return Value(std::make_shared<const ListValue>(ListValue{std::move(elements)}));
}

Value Value::Map(std::vector<std::pair<Value, Value>> entries) {
  return Value(std::make_shared<const MapValue>(MapValue{std::move(entries)}));
}

bool Value::operator==(const Value& other) const {
  return storage_.index() == other.storage_.index() && std::visit(EqualVisitor{other}, storage_);
}

bool HasFormOf(const Value& value, const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return value.is<bool>();
    case TypeId::kInt:
    case TypeId::kDate:
      return value.is<int32_t>();
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return value.is<int64_t>();
    case TypeId::kFloat:
      return value.is<float>();
    case TypeId::kDouble:
      return value.is<double>();
    case TypeId::kDecimal:
      return value.is<Int128>();
    case TypeId::kString:
      return value.is<std::string>();
    case TypeId::kUuid:
      return value.is<UuidBytes>();
    case TypeId::kFixed:
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kVariant:
      return value.is<BinaryValue>();
    case TypeId::kStruct:
      return value.is<std::shared_ptr<const StructValue>>();
    case TypeId::kList:
      return value.is<std::shared_ptr<const ListValue>>();
    case TypeId::kMap:
      return value.is<std::shared_ptr<const MapValue>>();
    case TypeId::kUnknown:
      return false;
  }
  return false;
}

uint64_t HashValue(const Value& value) {
  return std::visit(HashVisitor{value.storage().index()}, value.storage());
}

std::strong_ordering CompareValues(const Value& a, const Value& b) {
  const size_t a_index = a.storage().index();
  const size_t b_index = b.storage().index();
  if (a_index != b_index) return a_index <=> b_index;
  return std::visit(CompareVisitor{b}, a.storage());
}

}  // namespace firn
