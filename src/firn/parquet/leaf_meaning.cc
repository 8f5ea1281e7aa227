#include "firn/parquet/leaf_meaning_internal.h"

namespace firn {
namespace {

// Members of the LogicalType union and of TimeUnit.
constexpr int16_t kLogicalString = 1;
constexpr int16_t kLogicalDecimal = 5;
constexpr int16_t kLogicalDate = 6;
constexpr int16_t kLogicalTime = 7;
constexpr int16_t kLogicalTimestamp = 8;
constexpr int16_t kLogicalInteger = 10;
constexpr int16_t kLogicalUuid = 14;
constexpr int16_t kUnitMicros = 2;
constexpr int16_t kUnitNanos = 3;

using Kind = LeafMeaning::Kind;

template <typename Visit>
void ForEachField(ThriftReader& in, const Visit& visit) {
  const int16_t outer = in.EnterStruct();
  for (ThriftField field = in.NextField(); !field.is_stop(); field = in.NextField())
    visit(field);
  in.LeaveStruct(outer);
}

// TimeType and TimestampType: {1: isAdjustedToUTC, 2: unit}.
int16_t ReadTimeUnit(ThriftReader& in) {
  int16_t unit = 0;
  ForEachField(in, [&](const ThriftField& field) {
    if (field.id != 2) return in.Skip(field.type);
    if (!in.Expect(field, ThriftType::kStruct)) return;
    ForEachField(in, [&](const ThriftField& member) {
      unit = member.id;
      in.Skip(member.type);
    });
  });
  return unit;
}

// IntType: {1: bitWidth, 2: isSigned}.
bool ReadIsSigned(ThriftReader& in) {
  bool is_signed = true;
  ForEachField(in, [&](const ThriftField& field) {
    if (field.id != 2) return in.Skip(field.type);
    is_signed = in.ReadBool(field);
  });
  return is_signed;
}

// DecimalType: {1: scale, 2: precision}.
int32_t ReadScale(ThriftReader& in) {
  int32_t scale = 0;
  ForEachField(in, [&](const ThriftField& field) {
    if (field.id != 1) return in.Skip(field.type);
    if (in.Expect(field, ThriftType::kI32)) scale = in.ReadI32();
  });
  return scale;
}

// The member `id` of the union, of which the struct follows.
LeafMeaning ReadMember(int16_t id, ThriftReader& in) {
  switch (id) {
    case kLogicalDecimal:
      return {.kind = Kind::kDecimal, .scale = ReadScale(in)};
    case kLogicalTime:
      return {.kind = ReadTimeUnit(in) == kUnitMicros ? Kind::kTimeMicros : Kind::kOther};
    case kLogicalTimestamp: {
      const int16_t unit = ReadTimeUnit(in);
      if (unit == kUnitMicros) return {.kind = Kind::kTimestampMicros};
      return {.kind = unit == kUnitNanos ? Kind::kTimestampNanos : Kind::kOther};
    }
    case kLogicalInteger:
      return {.kind = ReadIsSigned(in) ? Kind::kNone : Kind::kOther};
    default:
      break;
  }
  in.Skip(ThriftType::kStruct);
  if (id == kLogicalString) return {.kind = Kind::kString};
  if (id == kLogicalDate) return {.kind = Kind::kDate};
  return {.kind = id == kLogicalUuid ? Kind::kUuid : Kind::kOther};
}

}  // namespace

LeafMeaning ReadLogicalType(ThriftReader& in) {
  LeafMeaning meaning{.kind = Kind::kOther};
  ForEachField(in, [&](const ThriftField& field) {
    if (in.Expect(field, ThriftType::kStruct)) meaning = ReadMember(field.id, in);
  });
  return meaning;
}

LeafMeaning MeaningOfConverted(int32_t converted, int32_t scale) {
  switch (converted) {
    case 0:
      return {.kind = Kind::kString};
    case 5:
      return {.kind = Kind::kDecimal, .scale = scale};
    case 6:
      return {.kind = Kind::kDate};
    case 8:
      return {.kind = Kind::kTimeMicros};
    case 10:
      return {.kind = Kind::kTimestampMicros};
    case 15:  // Signed numbers of 8 to 64 bits.
    case 16:
    case 17:
    case 18:
      return {};
    default:
      return {.kind = Kind::kOther};
  }
}

}  // namespace firn
