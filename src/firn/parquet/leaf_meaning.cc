#include "firn/parquet/leaf_meaning_internal.h"

namespace firn {
namespace {

// Members of the LogicalType union and of TimeUnit.
constexpr int16_t kLogicalString = 1;
constexpr int16_t kLogicalMap = 2;
constexpr int16_t kLogicalList = 3;
constexpr int16_t kLogicalEnum = 4;
constexpr int16_t kLogicalDecimal = 5;
constexpr int16_t kLogicalDate = 6;
constexpr int16_t kLogicalTime = 7;
constexpr int16_t kLogicalTimestamp = 8;
constexpr int16_t kLogicalInteger = 10;
constexpr int16_t kLogicalJson = 12;
constexpr int16_t kLogicalBson = 13;
constexpr int16_t kLogicalUuid = 14;
constexpr int16_t kUnitMillis = 1;
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

struct TimeParts {
  bool is_utc = false;
  int16_t unit = 0;
};

// TimeType and TimestampType: {1: isAdjustedToUTC, 2: unit}.
TimeParts ReadTimeParts(ThriftReader& in) {
  TimeParts parts;
  ForEachField(in, [&](const ThriftField& field) {
    if (field.id == 1) {
      parts.is_utc = in.ReadBool(field);
      return;
    }
    if (field.id != 2) return in.Skip(field.type);
    if (!in.Expect(field, ThriftType::kStruct)) return;
    ForEachField(in, [&](const ThriftField& member) {
      parts.unit = member.id;
      in.Skip(member.type);
    });
  });
  return parts;
}

LeafMeaning TimeMeaning(const TimeParts& parts, Kind millis, Kind micros, Kind nanos) {
  LeafMeaning meaning{.kind = Kind::kOther, .is_utc = parts.is_utc};
  if (parts.unit == kUnitMillis) meaning.kind = millis;
  if (parts.unit == kUnitMicros) meaning.kind = micros;
  if (parts.unit == kUnitNanos) meaning.kind = nanos;
  return meaning;
}

// IntType: {1: bitWidth, 2: isSigned}.
LeafMeaning ReadInteger(ThriftReader& in) {
  LeafMeaning meaning;
  int32_t bits = 0;
  ForEachField(in, [&](const ThriftField& field) {
    if (field.id == 1 && field.type == ThriftType::kByte) {
      bits = in.ReadByte();
    } else if (field.id == 2) {
      if (!in.ReadBool(field)) meaning.kind = Kind::kUnsigned;
    } else {
      in.Skip(field.type);
    }
  });
  if (meaning.kind == Kind::kUnsigned) meaning.bits = bits;
  return meaning;
}

// DecimalType: {1: scale, 2: precision}.
LeafMeaning ReadDecimal(ThriftReader& in) {
  LeafMeaning meaning{.kind = Kind::kDecimal};
  ForEachField(in, [&](const ThriftField& field) {
    if (field.id != 1 && field.id != 2) return in.Skip(field.type);
    if (!in.Expect(field, ThriftType::kI32)) return;
    (field.id == 1 ? meaning.scale : meaning.precision) = in.ReadI32();
  });
  return meaning;
}

// Of members that tell nothing but their kind.
Kind KindOf(int16_t id) {
  switch (id) {
    case kLogicalString:
      return Kind::kString;
    case kLogicalMap:
      return Kind::kMap;
    case kLogicalList:
      return Kind::kList;
    case kLogicalEnum:
    case kLogicalBson:
      return Kind::kBytes;
    case kLogicalDate:
      return Kind::kDate;
    case kLogicalJson:
      return Kind::kJson;
    case kLogicalUuid:
      return Kind::kUuid;
    default:
      return Kind::kOther;
  }
}

// The member `id` of the union, of which the struct follows.
LeafMeaning ReadMember(int16_t id, ThriftReader& in) {
  switch (id) {
    case kLogicalDecimal:
      return ReadDecimal(in);
    case kLogicalTime:
      return TimeMeaning(ReadTimeParts(in), Kind::kTimeMillis, Kind::kTimeMicros, Kind::kTimeNanos);
    case kLogicalTimestamp:
      return TimeMeaning(ReadTimeParts(in), Kind::kTimestampMillis, Kind::kTimestampMicros,
                         Kind::kTimestampNanos);
    case kLogicalInteger:
      return ReadInteger(in);
    default:
      break;
  }
  in.Skip(ThriftType::kStruct);
  return {.kind = KindOf(id)};
}

}  // namespace

LeafMeaning ReadLogicalType(ThriftReader& in) {
  LeafMeaning meaning{.kind = Kind::kOther};
  ForEachField(in, [&](const ThriftField& field) {
    if (in.Expect(field, ThriftType::kStruct)) meaning = ReadMember(field.id, in);
  });
  return meaning;
}

LeafMeaning MeaningOfConverted(int32_t converted, int32_t scale, int32_t precision) {
  constexpr int32_t kFirstUnsigned = 11;  // Of 8 bits.
  switch (converted) {
    case 0:
      return {.kind = Kind::kString};
    case 1:
    case 2:
      return {.kind = Kind::kMap};
    case 3:
      return {.kind = Kind::kList};
    case 4:
    case 20:
      return {.kind = Kind::kBytes};
    case 5:
      return {.kind = Kind::kDecimal, .scale = scale, .precision = precision};
    case 6:
      return {.kind = Kind::kDate};
    case 7:
      return {.kind = Kind::kTimeMillis, .is_utc = true};
    case 8:
      return {.kind = Kind::kTimeMicros, .is_utc = true};
    case 9:
      return {.kind = Kind::kTimestampMillis, .is_utc = true};
    case 10:
      return {.kind = Kind::kTimestampMicros, .is_utc = true};
    case 11:
    case 12:
    case 13:
    case 14:
      return {.kind = Kind::kUnsigned, .bits = 8 << (converted - kFirstUnsigned)};
    case 15:  // Signed numbers of 8 to 64 bits.
    case 16:
    case 17:
    case 18:
      return {};
    case 19:
      return {.kind = Kind::kJson};
    default:
      return {.kind = Kind::kOther};
  }
}

bool AreContradictory(const LeafMeaning& logical, const LeafMeaning& converted) {
  const auto is_number = [](const LeafMeaning& meaning) {
    // In the order of the enumeration: decimals, dates, times and unsigned numbers.
    return meaning.kind >= Kind::kDecimal && meaning.kind <= Kind::kUnsigned;
  };
  if (!is_number(logical) || !is_number(converted)) return false;
  if (logical.kind != converted.kind || logical.bits != converted.bits) return true;
  // Scale and precision may stand in the logical type alone.
  return (converted.scale != 0 && logical.scale != converted.scale) ||
         (converted.precision != 0 && logical.precision != converted.precision);
}

}  // namespace firn
