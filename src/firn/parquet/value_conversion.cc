#include <algorithm>
#include <cstring>

#include "firn/base/bytes.h"
#include "firn/base/random.h"
#include "firn/base/utf8.h"
#include "firn/parquet/value_conversion_internal.h"
#include "firn/parquet/value_order_internal.h"

namespace firn {
namespace {

using Kind = LeafMeaning::Kind;
using Found = std::optional<ValueConversion>;

constexpr size_t kPrefix = sizeof(uint32_t);
constexpr int32_t kDecimalBytesMax = 16;
constexpr int kDigitsMax = 38;
constexpr int32_t kUuidBytes = 16;
constexpr int32_t kNarrowBits = 16;
constexpr int32_t kWordBits = 32;
constexpr size_t kInt96Bytes = 12;
constexpr int64_t kMillisPerSecond = 1000;
constexpr int64_t kMicrosPerSecond = 1000000;
constexpr int64_t kNanosPerSecond = 1000000000;
constexpr int64_t kSecondsPerDay = 86400;
// INT96: the day as astronomers count.
constexpr int64_t kEpochDay = 2440588;

Found NoneIf(bool fits) { return fits ? Found(ValueConversion::kNone) : std::nullopt; }

bool IsSame(const SchemaElement& from, const SchemaElement& to) {
  return from.type == to.type && from.meaning == to.meaning &&
         (from.type != PhysicalType::kFixedLenByteArray || from.type_length == to.type_length);
}

bool IsInteger(const SchemaElement& leaf) {
  return leaf.type == PhysicalType::kInt32 || leaf.type == PhysicalType::kInt64;
}

// A number whose bits are the same if it is read as a signed one.
bool IsNumber(const SchemaElement& leaf) {
  if (leaf.meaning.kind == Kind::kNone) return true;
  return leaf.meaning.kind == Kind::kUnsigned && leaf.type == PhysicalType::kInt32 &&
         leaf.meaning.bits <= kNarrowBits;
}

bool IsText(const SchemaElement& leaf) {
  return leaf.type == PhysicalType::kByteArray &&
         (leaf.meaning.kind == Kind::kString || leaf.meaning.kind == Kind::kJson);
}

// Byte arrays of any length that are no numbers.
bool IsBytes(const SchemaElement& leaf) {
  return IsText(leaf) || (leaf.type == PhysicalType::kByteArray &&
                          (leaf.meaning.kind == Kind::kNone || leaf.meaning.kind == Kind::kBytes));
}

bool IsFixed(const SchemaElement& leaf) {
  return leaf.type == PhysicalType::kFixedLenByteArray && leaf.type_length > 0 &&
         (leaf.meaning.kind == Kind::kNone || leaf.meaning.kind == Kind::kUuid);
}

bool HoldsDecimals(const SchemaElement& leaf) {
  return IsInteger(leaf) || (leaf.type == PhysicalType::kFixedLenByteArray &&
                             leaf.type_length > 0 && leaf.type_length <= kDecimalBytesMax);
}

Found FindInteger(const SchemaElement& from, const SchemaElement& to) {
  if (from.type == to.type) return NoneIf(IsNumber(from));
  if (from.type != PhysicalType::kInt32 || to.type != PhysicalType::kInt64) return std::nullopt;
  if (IsNumber(from)) return ValueConversion::kWidenInteger;
  const LeafMeaning& meaning = from.meaning;
  const bool is_unsigned = meaning.kind == Kind::kUnsigned && meaning.bits <= kWordBits;
  return is_unsigned ? Found(ValueConversion::kWidenUnsigned) : std::nullopt;
}

Found FindFixed(const SchemaElement& from, const SchemaElement& to) {
  if (to.type != PhysicalType::kFixedLenByteArray || to.type_length <= 0) return std::nullopt;
  if (IsFixed(from)) return NoneIf(from.type_length == to.type_length);
  return IsBytes(from) ? Found(ValueConversion::kToFixed) : std::nullopt;
}

Found FindDecimal(const SchemaElement& from, const SchemaElement& to) {
  if (from.meaning.kind != Kind::kDecimal || from.meaning.scale != to.meaning.scale ||
      from.meaning.precision > to.meaning.precision) {
    return std::nullopt;
  }
  const bool is_fixed = to.type == PhysicalType::kFixedLenByteArray;
  if (from.type == to.type && (!is_fixed || from.type_length == to.type_length)) {
    return NoneIf(IsInteger(to) || (is_fixed && to.type_length > 0));
  }
  const bool fits =
      (HoldsDecimals(from) || from.type == PhysicalType::kByteArray) && HoldsDecimals(to);
  return fits ? Found(ValueConversion::kDecimal) : std::nullopt;
}

// Steps of a second; 0: `kind` is no time.
int64_t StepsOf(Kind kind) {
  if (kind == Kind::kTimeMillis || kind == Kind::kTimestampMillis) return kMillisPerSecond;
  if (kind == Kind::kTimeMicros || kind == Kind::kTimestampMicros) return kMicrosPerSecond;
  if (kind == Kind::kTimeNanos || kind == Kind::kTimestampNanos) return kNanosPerSecond;
  return 0;
}

bool IsTimestamp(const SchemaElement& leaf) {
  const Kind kind = leaf.meaning.kind;
  return leaf.type == PhysicalType::kInt64 &&
         (kind == Kind::kTimestampMillis || kind == Kind::kTimestampMicros ||
          kind == Kind::kTimestampNanos);
}

bool IsTime(const SchemaElement& leaf) {
  const Kind kind = leaf.meaning.kind;
  if (kind == Kind::kTimeMillis) return leaf.type == PhysicalType::kInt32;
  return leaf.type == PhysicalType::kInt64 &&
         (kind == Kind::kTimeMicros || kind == Kind::kTimeNanos);
}

Found FindTime(const SchemaElement& from, const SchemaElement& to) {
  if (to.type != PhysicalType::kInt64) return std::nullopt;
  const bool is_timestamp = IsTimestamp(to);
  if (from.type == PhysicalType::kInt64 && from.meaning.kind == Kind::kNone) {
    return ValueConversion::kNone;
  }
  if (is_timestamp ? IsTimestamp(from) : IsTime(from)) {
    const bool is_same = StepsOf(from.meaning.kind) == StepsOf(to.meaning.kind);
    return is_same ? ValueConversion::kNone : ValueConversion::kScale;
  }
  if (!is_timestamp) return std::nullopt;
  const bool is_date = from.type == PhysicalType::kInt32 && from.meaning.kind == Kind::kDate;
  if (is_date && !to.meaning.is_utc) return ValueConversion::kScale;
  // Read as microseconds, whatever the nanoseconds are.
  const bool is_old = from.type == PhysicalType::kInt96 && from.meaning.kind == Kind::kNone;
  return is_old && to.meaning.kind == Kind::kTimestampMicros ? Found(ValueConversion::kInt96)
                                                             : std::nullopt;
}

Found FindPlain(const SchemaElement& from, const SchemaElement& to) {
  if (IsInteger(to)) return FindInteger(from, to);
  if (to.type == PhysicalType::kDouble) {
    const bool widens = from.type == PhysicalType::kFloat && from.meaning.kind == Kind::kNone;
    return widens ? Found(ValueConversion::kWidenFloat) : std::nullopt;
  }
  if (to.type == PhysicalType::kFixedLenByteArray) return FindFixed(from, to);
  if (to.type != PhysicalType::kByteArray) return std::nullopt;
  if (IsFixed(from)) return ValueConversion::kToBytes;
  return NoneIf(IsBytes(from));
}

template <typename T>
T Load(const std::byte* in) {
  T value;
  std::memcpy(&value, in, sizeof(value));
  return value;
}

template <typename From, typename To>
void Widen(std::span<const std::byte> values, size_t count, std::byte* out) {
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<To>(Load<From>(values.data() + i * sizeof(From)));
    std::memcpy(out + i * sizeof(To), &value, sizeof(To));
  }
}

// Two's complement, big-endian.
Int128 LoadBigEndian(std::span<const std::byte> bytes) {
  UInt128 number = !bytes.empty() && static_cast<int8_t>(bytes[0]) < 0 ? ~UInt128{0} : 0;
  for (const std::byte byte : bytes)
    number = number << 8 | static_cast<uint8_t>(byte);
  return static_cast<Int128>(number);
}

Error DoesNotFit(int64_t value) {
  return MakeError(ErrorCode::kCorrupt, "the value {} does not fit the type of the table", value);
}

template <typename From>
Status Multiply(std::span<const std::byte> values, size_t count, int64_t factor, std::byte* out) {
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = Load<From>(values.data() + i * sizeof(From));
    int64_t product = 0;
    if (__builtin_mul_overflow(value, factor, &product)) return DoesNotFit(value);
    std::memcpy(out + i * sizeof(product), &product, sizeof(product));
  }
  return {};
}

// Toward the past.
void Divide(std::span<const std::byte> values, size_t count, int64_t divisor, std::byte* out) {
  for (size_t i = 0; i < count; ++i) {
    const auto value = Load<int64_t>(values.data() + i * sizeof(int64_t));
    const int64_t quotient = value / divisor - (value % divisor < 0 ? 1 : 0);
    std::memcpy(out + i * sizeof(quotient), &quotient, sizeof(quotient));
  }
}

// Nanoseconds of the day, and the day.
Status ToMicros(std::span<const std::byte> values, size_t count, std::byte* out) {
  for (size_t i = 0; i < count; ++i) {
    const std::byte* in = values.data() + i * kInt96Bytes;
    const auto nanos = Load<uint64_t>(in);
    const int64_t days = int64_t{Load<uint32_t>(in + sizeof(nanos))} - kEpochDay;
    int64_t micros = 0;
    if (__builtin_mul_overflow(days, kSecondsPerDay * kMicrosPerSecond, &micros) ||
        __builtin_add_overflow(
            micros, static_cast<int64_t>(nanos / (kNanosPerSecond / kMicrosPerSecond)), &micros)) {
      return DoesNotFit(days);
    }
    std::memcpy(out + i * sizeof(micros), &micros, sizeof(micros));
  }
  return {};
}

// Call `visit` with each of `count` byte arrays, which were checked.
template <typename Visit>
Status ForEachBytes(std::span<const std::byte> values, size_t count, const Visit& visit) {
  for (size_t i = 0; i < count; ++i) {
    const auto length = Load<uint32_t>(values.data());
    FIRN_RETURN_IF_ERROR(visit(values.subspan(kPrefix, length)));
    values = values.subspan(kPrefix + length);
  }
  return {};
}

Status CheckTexts(std::span<const std::byte> values, size_t count) {
  return ForEachBytes(values, count, [](std::span<const std::byte> value) -> Status {
    if (IsValidUtf8(AsText(value))) return {};
    return MakeError(ErrorCode::kCorrupt, "a value of a binary column is no text: not UTF-8");
  });
}

}  // namespace

std::optional<ValueConversion> FindConversion(const SchemaElement& from, const SchemaElement& to) {
  const bool has_length = to.type != PhysicalType::kFixedLenByteArray || to.type_length > 0;
  if (!from.type || !to.type || to.type == PhysicalType::kInt96 || !has_length) return std::nullopt;
  if (IsSame(from, to)) return ValueConversion::kNone;
  switch (to.meaning.kind) {
    case Kind::kNone:
      return FindPlain(from, to);
    case Kind::kString:
      if (to.type != PhysicalType::kByteArray || !IsBytes(from)) return std::nullopt;
      return IsText(from) ? ValueConversion::kNone : ValueConversion::kCheckText;
    case Kind::kDecimal:
      return FindDecimal(from, to);
    case Kind::kDate:
      return NoneIf(from.type == PhysicalType::kInt32 && to.type == from.type &&
                    from.meaning.kind == Kind::kNone);
    case Kind::kTimeMicros:
    case Kind::kTimestampMicros:
    case Kind::kTimestampNanos:
      return FindTime(from, to);
    case Kind::kUuid:
      return to.type_length == kUuidBytes ? FindFixed(from, to) : std::nullopt;
    case Kind::kJson:
    case Kind::kBytes:
    case Kind::kTimeMillis:
    case Kind::kTimeNanos:
    case Kind::kTimestampMillis:
    case Kind::kUnsigned:
    case Kind::kList:
    case Kind::kMap:
    case Kind::kOther:
      break;
  }
  return std::nullopt;
}

ValueConverter::ValueConverter(const SchemaElement& from, const SchemaElement& to)
    : conversion_(*FindConversion(from, to)),
      from_type_(*from.type),
      to_type_(*to.type),
      from_width_(ValueWidth(from)),
      to_width_(ValueWidth(to)),
      is_uuid_(to.meaning.kind == Kind::kUuid) {
  if (conversion_ == ValueConversion::kDecimal) {
    const int32_t told = from.meaning.precision;
    decimal_end_ = PowerOfTen(std::clamp(told > 0 ? told : to.meaning.precision, 0, kDigitsMax));
  } else if (conversion_ == ValueConversion::kScale) {
    const int64_t steps = StepsOf(to.meaning.kind);
    const int64_t from_steps = StepsOf(from.meaning.kind);
    factor_ = steps * kSecondsPerDay;
    if (from_steps > 0) factor_ = steps > from_steps ? steps / from_steps : -(from_steps / steps);
  }
}

Result<std::span<const std::byte>> ValueConverter::Convert(std::span<const std::byte> values,
                                                           size_t count, PageBuffer& out) const {
  if (conversion_ == ValueConversion::kNone || count == 0) return values;
  if (conversion_ == ValueConversion::kCheckText) {
    FIRN_RETURN_IF_ERROR(CheckTexts(values, count));
    return values;
  }
  const size_t width = conversion_ == ValueConversion::kToBytes ? kPrefix + from_width_ : to_width_;
  out.Clear();
  std::byte* const to = out.Grow(count * width);
  switch (conversion_) {
    case ValueConversion::kWidenInteger:
      Widen<int32_t, int64_t>(values, count, to);
      break;
    case ValueConversion::kWidenUnsigned:
      Widen<uint32_t, int64_t>(values, count, to);
      break;
    case ValueConversion::kWidenFloat:
      Widen<float, double>(values, count, to);
      break;
    case ValueConversion::kDecimal:
      FIRN_RETURN_IF_ERROR(ToDecimals(values, count, to));
      break;
    case ValueConversion::kScale:
      FIRN_RETURN_IF_ERROR(Scale(values, count, to));
      break;
    case ValueConversion::kInt96:
      FIRN_RETURN_IF_ERROR(ToMicros(values, count, to));
      break;
    case ValueConversion::kToFixed:
      FIRN_RETURN_IF_ERROR(ToFixed(values, count, to));
      break;
    case ValueConversion::kToBytes:
      ToBytes(values, count, to);
      break;
    case ValueConversion::kNone:
    case ValueConversion::kCheckText:
      break;
  }
  return out.span();
}

Status ValueConverter::Scale(std::span<const std::byte> values, size_t count,
                             std::byte* out) const {
  if (from_type_ == PhysicalType::kInt32) return Multiply<int32_t>(values, count, factor_, out);
  if (factor_ > 0) return Multiply<int64_t>(values, count, factor_, out);
  Divide(values, count, -factor_, out);
  return {};
}

Status ValueConverter::ToDecimals(std::span<const std::byte> values, size_t count,
                                  std::byte* out) const {
  if (from_type_ == PhysicalType::kByteArray) {
    return ForEachBytes(values, count, [&](std::span<const std::byte> value) -> Status {
      if (value.empty() || value.size() > static_cast<size_t>(kDecimalBytesMax)) {
        return MakeError(ErrorCode::kCorrupt, "a decimal of {} bytes, expected 1 to {}",
                         value.size(), kDecimalBytesMax);
      }
      const Status status = AddDecimal(LoadBigEndian(value), out);
      out += to_width_;
      return status;
    });
  }
  for (size_t i = 0; i < count; ++i) {
    const std::byte* in = values.data() + i * from_width_;
    Int128 number = 0;
    if (from_type_ == PhysicalType::kInt32) {
      number = Load<int32_t>(in);
    } else if (from_type_ == PhysicalType::kInt64) {
      number = Load<int64_t>(in);
    } else {
      number = LoadBigEndian({in, from_width_});
    }
    FIRN_RETURN_IF_ERROR(AddDecimal(number, out + i * to_width_));
  }
  return {};
}

Status ValueConverter::AddDecimal(Int128 number, std::byte* out) const {
  const size_t bits = to_width_ * 8;
  const Int128 above = number >> (bits - 1);
  if (number >= decimal_end_ || number <= -decimal_end_ || (above != 0 && above != -1)) {
    return MakeError(ErrorCode::kCorrupt,
                     "the unscaled decimal {} has more digits than the precision of its column",
                     FormatInt128(number));
  }
  if (to_type_ != PhysicalType::kFixedLenByteArray) {
    std::memcpy(out, &number, to_width_);
    return {};
  }
  for (size_t i = to_width_; i-- > 0;) {
    out[i] = static_cast<std::byte>(number & 0xFF);
    number >>= 8;
  }
  return {};
}

Status ValueConverter::ToFixed(std::span<const std::byte> values, size_t count,
                               std::byte* out) const {
  return ForEachBytes(values, count, [&](std::span<const std::byte> value) -> Status {
    std::byte* const to = out;
    out += to_width_;
    if (value.size() == to_width_) {
      std::memcpy(to, value.data(), to_width_);
      return {};
    }
    if (is_uuid_) {
      if (const std::optional<UuidBytes> uuid = ParseUuid(AsText(value))) {
        std::memcpy(to, uuid->data(), sizeof(UuidBytes));
        return {};
      }
    }
    return MakeError(ErrorCode::kCorrupt, "a value has {} bytes, expected {}", value.size(),
                     to_width_);
  });
}

void ValueConverter::ToBytes(std::span<const std::byte> values, size_t count,
                             std::byte* out) const {
  const auto length = static_cast<uint32_t>(from_width_);
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(out, &length, kPrefix);
    std::memcpy(out + kPrefix, values.data() + i * from_width_, from_width_);
    out += kPrefix + from_width_;
  }
}

}  // namespace firn
