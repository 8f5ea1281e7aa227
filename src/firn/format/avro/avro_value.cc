#include "firn/format/avro/avro_value.h"

#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "firn/base/int128.h"
#include "firn/base/number.h"

namespace firn {
namespace {

using Kind = AvroConversion::Kind;

constexpr int64_t kMicrosPerDay = 86'400'000'000;

bool IsInteger(const AvroNode& node) {
  return node.kind == AvroKind::kInt || node.kind == AvroKind::kLong;
}
bool IsBytes(const AvroNode& node) {
  return node.kind == AvroKind::kBytes || node.kind == AvroKind::kString ||
         node.kind == AvroKind::kFixed;
}
int64_t FixedSize(const AvroNode& node) { return node.kind == AvroKind::kFixed ? node.size : -1; }

// Factor from the stored unit of a time or timestamp to microseconds (or nanoseconds);
// 0 if the stored unit is finer than the wanted one.
int64_t UnitFactor(const AvroNode& node, bool is_nanos) {
  const std::string& logical = node.logical_type;
  const int64_t micros = is_nanos ? 1000 : 1;
  if (logical == "date") return kMicrosPerDay * micros;
  if (logical.ends_with("-millis")) return 1000 * micros;
  if (logical.ends_with("-micros")) return micros;
  if (logical.ends_with("-nanos")) return is_nanos ? 1 : 0;
  return 1;
}

std::optional<AvroConversion> ResolveTime(const AvroNode& node, bool is_nanos) {
  const int64_t factor = UnitFactor(node, is_nanos);
  if (!IsInteger(node) || factor == 0) return std::nullopt;
  return AvroConversion{.kind = Kind::kLong, .factor = factor};
}

std::optional<AvroConversion> ResolveText(const AvroNode& node) {
  if (node.kind == AvroKind::kString) return AvroConversion{.kind = Kind::kString};
  if (IsBytes(node)) return AvroConversion{.kind = Kind::kBytesText, .size = FixedSize(node)};
  if (IsInteger(node)) return AvroConversion{.kind = Kind::kIntegerText};
  if (node.kind == AvroKind::kBoolean || node.kind == AvroKind::kFloat ||
      node.kind == AvroKind::kDouble) {
    return AvroConversion{.kind = Kind::kOtherText};
  }
  return std::nullopt;
}

std::optional<AvroConversion> ResolveUuid(const AvroNode& node) {
  if (node.kind == AvroKind::kFixed && node.size == 16) {
    return AvroConversion{.kind = Kind::kUuid, .size = 16};
  }
  if (node.kind == AvroKind::kString) return AvroConversion{.kind = Kind::kUuidText};
  return std::nullopt;
}

std::optional<AvroConversion> ResolveDecimal(const AvroNode& node, const Type& type) {
  if (node.kind != AvroKind::kFixed && node.kind != AvroKind::kBytes) return std::nullopt;
  if (node.logical_type == "decimal" && node.scale != type.scale()) return std::nullopt;
  return AvroConversion{.kind = Kind::kDecimal, .size = FixedSize(node)};
}

std::optional<AvroConversion> ResolveFloat(const AvroNode& node, const Type& type) {
  if (type.id() == TypeId::kFloat) {
    if (node.kind != AvroKind::kFloat) return std::nullopt;
    return AvroConversion{.kind = Kind::kFloat};
  }
  if (node.kind == AvroKind::kFloat) return AvroConversion{.kind = Kind::kWidenedFloat};
  if (node.kind == AvroKind::kDouble) return AvroConversion{.kind = Kind::kDouble};
  return std::nullopt;
}

std::optional<AvroConversion> Resolve(const AvroNode& node, const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
      if (node.kind != AvroKind::kBoolean) return std::nullopt;
      return AvroConversion{.kind = Kind::kBoolean};
    case TypeId::kInt:
    case TypeId::kDate:
      if (!IsInteger(node)) return std::nullopt;
      return AvroConversion{.kind = Kind::kInt};
    case TypeId::kLong:
      if (!IsInteger(node)) return std::nullopt;
      return AvroConversion{.kind = Kind::kLong};
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
      return ResolveTime(node, false);
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return ResolveTime(node, true);
    case TypeId::kFloat:
    case TypeId::kDouble:
      return ResolveFloat(node, type);
    case TypeId::kDecimal:
      return ResolveDecimal(node, type);
    case TypeId::kString:
      return ResolveText(node);
    case TypeId::kUuid:
      return ResolveUuid(node);
    case TypeId::kFixed:
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      if (!IsBytes(node)) return std::nullopt;
      return AvroConversion{.kind = Kind::kBinary, .size = FixedSize(node)};
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return std::nullopt;
}

std::string_view ReadRaw(AvroCursor& cursor, const AvroConversion& conversion) {
  return conversion.size < 0 ? cursor.ReadBytes()
                             : cursor.ReadFixed(static_cast<uint64_t>(conversion.size));
}

Value ReadDecimal(AvroCursor& cursor, const AvroConversion& conversion) {
  const auto unscaled = FromBigEndian(AsBytes(ReadRaw(cursor, conversion)));
  if (!unscaled) return cursor.Fail("a decimal is empty or has more than 128 bits"), Value();
  return *unscaled;
}

Value ReadUuidText(AvroCursor& cursor) {
  const auto uuid = ParseValue(cursor.ReadBytes(), *Type::Primitive(TypeId::kUuid));
  if (!uuid.ok()) return cursor.Fail("the text of a uuid is not a uuid"), Value();
  return *uuid;
}

Value ReadOtherText(AvroCursor& cursor, const AvroNode& node) {
  if (node.kind == AvroKind::kBoolean) return std::string(cursor.ReadBool() ? "true" : "false");
  if (node.kind == AvroKind::kFloat) return FormatFloat(cursor.ReadFloat());
  return FormatDouble(cursor.ReadDouble());
}

template <typename T>
void AppendRaw(std::string& out, T value) {
  static_assert(std::endian::native == std::endian::little);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

Status AppendDecimal(std::string& out, Int128 unscaled, const Type& type) {
  const std::string shortest = ToBigEndian(unscaled);
  const auto width = static_cast<size_t>(DecimalByteWidth(type.precision()));
  if (shortest.size() > width) {
    return MakeError(ErrorCode::kInvalidInput, "{} does not fit {}", FormatInt128(unscaled),
                     FormatType(type));
  }
  out.append(width - shortest.size(), unscaled < 0 ? '\xff' : '\0');
  out += shortest;
  return {};
}

Status AppendBinary(std::string& out, const std::string& bytes, const Type& type) {
  if (type.id() != TypeId::kFixed) {
    AppendAvroBytes(out, bytes);
    return {};
  }
  if (bytes.size() != static_cast<size_t>(type.length())) {
    return MakeError(ErrorCode::kInvalidInput, "{} bytes for the type {}", bytes.size(),
                     FormatType(type));
  }
  out += bytes;
  return {};
}

}  // namespace

Result<AvroConversion> ResolveAvroValue(const AvroNode& node, const Type& type,
                                        std::string_view where) {
  auto conversion = Resolve(node, type);
  if (!conversion) {
    return MakeError(ErrorCode::kCorrupt, "{}: stored as Avro {}{}{}, expected {}", where,
                     FormatAvroKind(node.kind), node.logical_type.empty() ? "" : " ",
                     node.logical_type, FormatType(type));
  }
  conversion->node = &node;
  return *conversion;
}

Value ReadAvroValue(AvroCursor& cursor, const AvroConversion& conversion) {
  switch (conversion.kind) {
    case Kind::kNull:
      return {};
    case Kind::kBoolean:
      return cursor.ReadBool();
    case Kind::kInt:
      return cursor.ReadInt();
    case Kind::kLong: {
      int64_t value = cursor.ReadLong();
      if (__builtin_mul_overflow(value, conversion.factor, &value)) {
        cursor.Fail("a time does not fit 64 bits");
      }
      return value;
    }
    case Kind::kFloat:
      return cursor.ReadFloat();
    case Kind::kWidenedFloat:
      return static_cast<double>(cursor.ReadFloat());
    case Kind::kDouble:
      return cursor.ReadDouble();
    case Kind::kString:
      return std::string(cursor.ReadBytes());
    case Kind::kBinary:
      return BinaryValue{std::string(ReadRaw(cursor, conversion))};
    case Kind::kUuid: {
      UuidBytes uuid{};
      const std::string_view raw = cursor.ReadFixed(uuid.size());
      std::memcpy(uuid.data(), raw.data(), raw.size());
      return uuid;
    }
    case Kind::kUuidText:
      return ReadUuidText(cursor);
    case Kind::kDecimal:
      return ReadDecimal(cursor, conversion);
    case Kind::kIntegerText:
      return std::to_string(cursor.ReadLong());
    case Kind::kBytesText:
      return std::string(ReadRaw(cursor, conversion));
    case Kind::kOtherText:
      return ReadOtherText(cursor, *conversion.node);
  }
  return {};
}

void AppendAvroLong(std::string& out, int64_t value) {
  uint64_t rest = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  while (rest >= 0x80) {
    out += static_cast<char>(rest | 0x80);
    rest >>= 7;
  }
  out += static_cast<char>(rest);
}

void AppendAvroFloat(std::string& out, float value) { AppendRaw(out, value); }
void AppendAvroDouble(std::string& out, double value) { AppendRaw(out, value); }

void AppendAvroBytes(std::string& out, std::string_view bytes) {
  AppendAvroLong(out, static_cast<int64_t>(bytes.size()));
  out += bytes;
}

Status AppendAvroValue(std::string& out, const Value& value, const Type& type) {
  if (value.is_null() ? type.id() != TypeId::kUnknown : !HasFormOf(value, type)) {
    return MakeError(ErrorCode::kInvalidInput, "the value is not of the type {}", FormatType(type));
  }
  switch (type.id()) {
    case TypeId::kUnknown:
      return {};
    case TypeId::kBoolean:
      out += value.get<bool>() ? '\1' : '\0';
      return {};
    case TypeId::kInt:
    case TypeId::kDate:
      AppendAvroLong(out, value.get<int32_t>());
      return {};
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      AppendAvroLong(out, value.get<int64_t>());
      return {};
    case TypeId::kFloat:
      AppendAvroFloat(out, value.get<float>());
      return {};
    case TypeId::kDouble:
      AppendAvroDouble(out, value.get<double>());
      return {};
    case TypeId::kDecimal:
      return AppendDecimal(out, value.get<Int128>(), type);
    case TypeId::kString:
      AppendAvroBytes(out, value.get<std::string>());
      return {};
    case TypeId::kUuid:
      out += AsText(value.get<UuidBytes>());
      return {};
    case TypeId::kFixed:
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return AppendBinary(out, value.get<BinaryValue>().bytes, type);
    case TypeId::kVariant:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return MakeError(ErrorCode::kUnsupported, "a single Avro value of the type {}", FormatType(type));
}

}  // namespace firn
