#include "random_rows.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "firn/base/int128.h"
#include "firn/format/json/json_writer.h"
#include "firn/format/variant/variant.h"

namespace firn::round_trip {
namespace {

bool Chance(Random& random, uint64_t percent) { return random.Below(100) < percent; }

template <typename T, size_t kCount>
T OneOf(Random& random, const T (&values)[kCount]) {
  return values[random.Below(kCount)];
}

constexpr TypeId kPrimitives[] = {
    TypeId::kBoolean,   TypeId::kInt,         TypeId::kLong,   TypeId::kFloat,  TypeId::kDouble,
    TypeId::kDate,      TypeId::kTime,        TypeId::kString, TypeId::kString, TypeId::kUuid,
    TypeId::kTimestamp, TypeId::kTimestamptz, TypeId::kBinary};

TypePtr DrawPrimitive(Random& random, int format_version) {
  if (format_version >= 3 && Chance(random, 10)) {
    constexpr TypeId kNew[] = {TypeId::kTimestampNs, TypeId::kTimestamptzNs, TypeId::kVariant};
    return Type::Primitive(OneOf(random, kNew));
  }
  if (Chance(random, 15)) {
    constexpr int32_t kPrecisions[] = {1, 4, 9, 10, 18, 19, 28, 38};
    const int32_t precision = OneOf(random, kPrecisions);
    return Type::Decimal(precision,
                         static_cast<int32_t>(random.Below(static_cast<uint64_t>(precision) + 1)));
  }
  if (Chance(random, 5)) return Type::Fixed(static_cast<int32_t>(1 + random.Below(20)));
  return Type::Primitive(OneOf(random, kPrimitives));
}

NestedField Part(Random& random, std::string name, TypePtr type) {
  NestedField field;
  field.name = std::move(name);
  field.type = std::move(type);
  field.required = Chance(random, 20);
  return field;
}

int64_t DrawInteger(Random& random, int64_t low, int64_t high) {
  const int64_t kValues[] = {low, high, 0, 1, -1, 7};
  const int64_t drawn = OneOf(random, kValues);
  if (Chance(random, 60) && drawn >= low) return drawn;
  const auto span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (Chance(random, 50)) return static_cast<int64_t>(random.Below(20));
  const uint64_t offset = span == UINT64_MAX ? random.Next() : random.Below(span + 1);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
}

template <typename Float>
Value DrawFloat(Random& random) {
  using Limits = std::numeric_limits<Float>;
  const Float kValues[] = {Float{0},           -Float{0},           Limits::quiet_NaN(),
                           Limits::max(),      Limits::lowest(),    Limits::min(),
                           Limits::infinity(), -Limits::infinity(), Limits::denorm_min(),
                           Float(0.1),         Float(-1.5),         Float(16777217)};
  return Value(OneOf(random, kValues));
}

std::string DrawBytes(Random& random, size_t length) {
  std::string bytes;
  for (size_t i = 0; i < length; ++i)
    bytes += static_cast<char>(random.Below(256));
  return bytes;
}

std::string DrawText(Random& random) {
  const char* const kTexts[] = {"",      "a",      "b",    "ab",         "A",       "null", "\"",
                                "a,b\n", "\u00e4", "日本", "\U0001F600", "e\u0301", "%_\\"};
  if (Chance(random, 70)) return OneOf(random, kTexts);
  // Around the 16 characters at which bounds are cut, whose last cannot always be raised.
  std::string text(14 + random.Below(5), 'x');
  text += OneOf(random, kTexts);
  if (Chance(random, 30)) text += std::string(300, '\x7f');
  if (Chance(random, 20)) text = "\U0010FFFF\U0010FFFF\U0010FFFF\U0010FFFF" + text;
  return text;
}

Int128 DrawDecimal(Random& random, int32_t precision) {
  Int128 limit = 1;
  for (int32_t i = 0; i < precision; ++i)
    limit *= 10;
  switch (random.Below(5)) {
    case 0:
      return limit - 1;
    case 1:
      return 1 - limit;
    case 2:
      return 0;
    default:
      return static_cast<Int128>(DrawInteger(random, INT64_MIN, INT64_MAX)) % limit;
  }
}

Value DrawNested(Random& random, const Type& type) {
  if (type.id() == TypeId::kStruct) {
    std::vector<Value> fields;
    for (const NestedField& field : type.fields())
      fields.push_back(DrawFieldValue(random, field));
    return Value::Struct(std::move(fields));
  }
  const size_t count = Chance(random, 30) ? 0 : random.Below(4);
  if (type.id() == TypeId::kList) {
    std::vector<Value> elements;
    for (size_t i = 0; i < count; ++i)
      elements.push_back(DrawFieldValue(random, type.fields()[0]));
    return Value::List(std::move(elements));
  }
  std::vector<std::pair<Value, Value>> entries;
  for (size_t i = 0; i < count; ++i) {
    Value key = DrawFieldValue(random, type.fields()[0]);
    const bool is_known = std::any_of(entries.begin(), entries.end(),
                                      [&](const auto& entry) { return entry.first == key; });
    if (!is_known) entries.emplace_back(std::move(key), DrawFieldValue(random, type.fields()[1]));
  }
  return Value::Map(std::move(entries));
}

TypePtr WithIds(const TypePtr& type, int32_t& next_id) {
  if (!type->is_nested()) return type;
  std::vector<NestedField> parts = type->fields();
  for (NestedField& part : parts)
    part.id = next_id++;
  for (NestedField& part : parts)
    part.type = WithIds(part.type, next_id);
  if (type->id() == TypeId::kList) return Type::List(parts[0]);
  if (type->id() == TypeId::kMap) return Type::Map(parts[0], parts[1]);
  return Type::Struct(std::move(parts));
}

}  // namespace

TypePtr DrawType(Random& random, int format_version, int depth) {
  if (depth >= 2 || !Chance(random, 25)) return DrawPrimitive(random, format_version);
  switch (random.Below(3)) {
    case 0: {
      std::vector<NestedField> fields;
      for (size_t i = 0; i < 1 + random.Below(3); ++i)
        fields.push_back(
            Part(random, fmt::format("f{}", i), DrawType(random, format_version, depth + 1)));
      return Type::Struct(std::move(fields));
    }
    case 1:
      return Type::List(Part(random, "element", DrawType(random, format_version, depth + 1)));
    default: {
      constexpr TypeId kKeys[] = {TypeId::kInt, TypeId::kString, TypeId::kDate};
      NestedField key = Part(random, "key", Type::Primitive(OneOf(random, kKeys)));
      key.required = true;
      return Type::Map(std::move(key),
                       Part(random, "value", DrawType(random, format_version, depth + 1)));
    }
  }
}

std::vector<NestedField> DrawFields(Random& random, int format_version) {
  std::vector<NestedField> fields;
  const size_t count = 1 + random.Below(6);
  for (size_t i = 0; i < count; ++i) {
    fields.push_back(Part(random, fmt::format("c{}", i), DrawType(random, format_version)));
    fields.back().id = static_cast<int32_t>(i) + 1;
  }
  auto next_id = static_cast<int32_t>(count) + 1;
  for (NestedField& field : fields)
    field.type = WithIds(field.type, next_id);
  return fields;
}

Value DrawValue(Random& random, const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return Value(Chance(random, 50));
    case TypeId::kInt:
      return Value(static_cast<int32_t>(DrawInteger(random, INT32_MIN, INT32_MAX)));
    case TypeId::kDate:  // Years 1 to 9999.
      return Value(static_cast<int32_t>(DrawInteger(random, -719162, 2932896)));
    case TypeId::kLong:
      return Value(DrawInteger(random, INT64_MIN, INT64_MAX));
    case TypeId::kTime:
      return Value(DrawInteger(random, 0, 86'399'999'999));
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
      return Value(DrawInteger(random, -62'135'596'800'000'000, 253'402'300'799'999'999));
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return Value(DrawInteger(random, INT64_MIN + 1, INT64_MAX));
    case TypeId::kFloat:
      return DrawFloat<float>(random);
    case TypeId::kDouble:
      return DrawFloat<double>(random);
    case TypeId::kDecimal:
      return Value(DrawDecimal(random, type.precision()));
    case TypeId::kString:
      return Value(DrawText(random));
    case TypeId::kUuid:
      return Value(MakeUuid(random));
    case TypeId::kFixed:
      return Value(BinaryValue{DrawBytes(random, static_cast<size_t>(type.length()))});
    case TypeId::kBinary:
      return Value(BinaryValue{DrawBytes(random, random.Below(20))});
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return DrawNested(random, type);
    case TypeId::kVariant: {
      std::string json;
      AppendJsonString(json, DrawText(random));
      const auto variant = VariantFromJson(
          fmt::format("[{},{{{}:{}}}]", DrawInteger(random, INT64_MIN, INT64_MAX), json, json));
      return Value(BinaryValue{JoinVariant(variant->metadata, variant->value)});
    }
    case TypeId::kUnknown:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return {};
  }
  return {};
}

Value DrawFieldValue(Random& random, const NestedField& field) {
  if (!field.required && Chance(random, 20)) return {};
  return DrawValue(random, *field.type);
}

StructValue DrawRow(Random& random, const Type& row_type) {
  StructValue row;
  for (const NestedField& field : row_type.fields())
    row.fields.push_back(DrawFieldValue(random, field));
  return row;
}

}  // namespace firn::round_trip
