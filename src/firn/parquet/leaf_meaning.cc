#include "firn/parquet/leaf_meaning_internal.h"

namespace firn {
namespace {

// Members of the LogicalType union, and converted types.
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

// TimeType and TimestampType: {1: isAdjustedToUTC, 2: unit}.
int16_t ReadTimeUnit(ThriftReader& in) {
  int16_t unit = 0;
  const int16_t outer = in.EnterStruct();
  for (ThriftField field = in.NextField(); !field.is_stop(); field = in.NextField()) {
    if (field.id != 2 || !in.Expect(field, ThriftType::kStruct)) {
      if (field.id != 2) in.Skip(field.type);
      continue;
    }
    const int16_t union_outer = in.EnterStruct();
    for (ThriftField one = in.NextField(); !one.is_stop(); one = in.NextField()) {
      unit = one.id;
      in.Skip(one.type);
    }
    in.LeaveStruct(union_outer);
  }
  in.LeaveStruct(outer);
  return unit;
}

bool ReadIsSigned(ThriftReader& in) {
  bool is_signed = true;
  const int16_t outer = in.EnterStruct();
  for (ThriftField field = in.NextField(); !field.is_stop(); field = in.NextField()) {
    if (field.id == 2) is_signed = in.ReadBool(field);
    in.Skip(field.type);
  }
  in.LeaveStruct(outer);
  return is_signed;
}

}  // namespace

Kind KindOfConverted(int32_t converted) {
  switch (converted) {
    case 0:
      return Kind::kString;
    case 5:
      return Kind::kDecimal;
    case 6:
      return Kind::kDate;
    case 8:
      return Kind::kTimeMicros;
    case 10:
      return Kind::kTimestampMicros;
    case 15:  // Signed numbers of 8 to 64 bits.
    case 16:
    case 17:
    case 18:
      return Kind::kNone;
    default:
      return Kind::kOther;
  }
}

Kind ReadLogicalKind(ThriftReader& in) {
  Kind kind = Kind::kOther;
  const int16_t outer = in.EnterStruct();
  for (ThriftField field = in.NextField(); !field.is_stop(); field = in.NextField()) {
    if (!in.Expect(field, ThriftType::kStruct)) continue;
    switch (field.id) {
      case kLogicalTime:
        if (ReadTimeUnit(in) == kUnitMicros) kind = Kind::kTimeMicros;
        continue;
      case kLogicalTimestamp: {
        const int16_t unit = ReadTimeUnit(in);
        if (unit == kUnitMicros) kind = Kind::kTimestampMicros;
        if (unit == kUnitNanos) kind = Kind::kTimestampNanos;
        continue;
      }
      case kLogicalInteger:
        if (ReadIsSigned(in)) kind = Kind::kNone;
        continue;
      case kLogicalString:
        kind = Kind::kString;
        break;
      case kLogicalDecimal:
        kind = Kind::kDecimal;
        break;
      case kLogicalDate:
        kind = Kind::kDate;
        break;
      case kLogicalUuid:
        kind = Kind::kUuid;
        break;
      default:
        break;
    }
    in.Skip(ThriftType::kStruct);
  }
  in.LeaveStruct(outer);
  return kind;
}

}  // namespace firn
