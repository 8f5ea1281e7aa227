#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/extension_type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>
#include <arrow/util/utf8.h>

#include "firn/base/int128.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/column_convert_internal.h"

namespace firn {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;
using ArrowId = arrow::Type;

bool IsBytes(ArrowId::type id) {
  return id == ArrowId::STRING || id == ArrowId::BINARY || id == ArrowId::LARGE_STRING ||
         id == ArrowId::LARGE_BINARY || id == ArrowId::STRING_VIEW || id == ArrowId::BINARY_VIEW;
}

bool IsNarrowInteger(ArrowId::type id) {
  return id == ArrowId::INT8 || id == ArrowId::INT16 || id == ArrowId::INT32 ||
         id == ArrowId::UINT8 || id == ArrowId::UINT16;
}

bool IsDecimal(ArrowId::type id) {
  return id == ArrowId::DECIMAL32 || id == ArrowId::DECIMAL64 || id == ArrowId::DECIMAL128 ||
         id == ArrowId::DECIMAL256;
}

bool CanConvertDecimal(const arrow::DataType& from, const Type& to) {
  if (!IsDecimal(from.id())) return false;
  const auto& decimal = static_cast<const arrow::DecimalType&>(from);
  return decimal.scale() == to.scale() && decimal.precision() <= to.precision();
}

bool CanConvertToFixed(const arrow::DataType& from, int32_t length) {
  if (from.id() == ArrowId::FIXED_SIZE_BINARY) {
    return static_cast<const arrow::FixedSizeBinaryType&>(from).byte_width() == length;
  }
  return IsBytes(from.id());
}

// Steps of a second of a time or timestamp type of Arrow.
int64_t UnitSteps(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1000;
    case arrow::TimeUnit::MICRO:
      return 1000000;
    case arrow::TimeUnit::NANO:
      return 1000000000;
  }
  return 1;
}

std::optional<int64_t> TimeSteps(const arrow::DataType& type) {
  if (type.id() == ArrowId::TIME32 || type.id() == ArrowId::TIME64) {
    return UnitSteps(static_cast<const arrow::TimeType&>(type).unit());
  }
  if (type.id() == ArrowId::TIMESTAMP) {
    return UnitSteps(static_cast<const arrow::TimestampType&>(type).unit());
  }
  return std::nullopt;
}

// Same bytes, another type.
ArrayDataPtr WithType(const arrow::ArrayData& column, std::shared_ptr<arrow::DataType> type) {
  ArrayDataPtr data = column.Copy();
  data->type = std::move(type);
  return data;
}

bool IsValidAt(const arrow::ArrayData& column, int64_t i) {
  return column.buffers[0] == nullptr ||
         arrow::bit_util::GetBit(column.buffers[0]->data(),
                                 static_cast<uint64_t>(column.offset + i));
}

// `column` with 64-bit values computed from its own; `convert` is false where one does not fit.
template <typename From, typename Convert>
Result<ArrayDataPtr> MapToInt64(const arrow::ArrayData& column,
                                const std::shared_ptr<arrow::DataType>& type,
                                arrow::MemoryPool* pool, const Convert& convert) {
  const int64_t end =
      column.offset + column.length;  // Keeps the offset, so the validity is shared.
  FIRN_ASSIGN(std::shared_ptr<arrow::Buffer> values, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::AllocateBuffer(end * static_cast<int64_t>(sizeof(int64_t)), pool);
              }));
  const From* in = column.GetValues<From>(1, 0);
  auto* out = values->mutable_data_as<int64_t>();
  for (int64_t i = 0; i < column.offset; ++i)
    out[i] = 0;
  for (int64_t i = column.offset; i < end; ++i) {
    if (convert(in[i], &out[i])) [[likely]]
      continue;
    out[i] = 0;
    if (IsValidAt(column, i - column.offset)) {
      return MakeError(ErrorCode::kCorrupt, "the value {} does not fit type {}", in[i],
                       type->ToString());
    }
  }
  return arrow::ArrayData::Make(type, column.length, {column.buffers[0], std::move(values)},
                                column.null_count.load(), column.offset);
}

Result<ArrayDataPtr> ConvertUnits(const arrow::ArrayData& column, int64_t from_steps,
                                  const std::shared_ptr<arrow::DataType>& type, int64_t to_steps,
                                  bool is_exact, arrow::MemoryPool* pool) {
  if (column.type->id() == ArrowId::TIME32) {
    const int64_t factor = to_steps / from_steps;
    return MapToInt64<int32_t>(column, type, pool, [factor](int32_t value, int64_t* out) {
      *out = value * factor;
      return true;
    });
  }
  if (to_steps >= from_steps) {
    const int64_t factor = to_steps / from_steps;
    return MapToInt64<int64_t>(column, type, pool, [factor](int64_t value, int64_t* out) {
      return !__builtin_mul_overflow(value, factor, out);
    });
  }
  const int64_t divisor = from_steps / to_steps;
  return MapToInt64<int64_t>(column, type, pool, [divisor, is_exact](int64_t value, int64_t* out) {
    *out = value / divisor - (value % divisor < 0 ? 1 : 0);  // Toward the past, as Java does.
    return !is_exact || value % divisor == 0;
  });
}

Result<ArrayDataPtr> ConvertToTime(const arrow::ArrayData& column,
                                   const std::shared_ptr<arrow::DataType>& type, bool is_exact,
                                   arrow::MemoryPool* pool) {
  const int64_t to_steps = *TimeSteps(*type);
  if (column.type->id() == ArrowId::INT64) return WithType(column, type);
  if (column.type->id() == ArrowId::DATE32) {
    const int64_t steps_per_day = 86400 * to_steps;
    return MapToInt64<int32_t>(column, type, pool, [=](int32_t days, int64_t* out) {
      return !__builtin_mul_overflow(int64_t{days}, steps_per_day, out);
    });
  }
  const int64_t from_steps = *TimeSteps(*column.type);
  if (from_steps == to_steps) return WithType(column, type);
  return ConvertUnits(column, from_steps, type, to_steps, is_exact, pool);
}

// A physical width may hold more digits than the file's own type declares.
Status CheckDigits(const arrow::ArrayData& column, int32_t precision) {
  const Int128 limit = PowerOfTen(precision);
  const auto* values = column.GetValues<arrow::Decimal128>(1);
  for (int64_t i = 0; i < column.length; ++i) {
    const Int128 value = static_cast<Int128>(
        (static_cast<UInt128>(static_cast<uint64_t>(values[i].high_bits())) << 64) |
        values[i].low_bits());
    if (value < limit && value > -limit) [[likely]]
      continue;
    if (!IsValidAt(column, i)) continue;
    return MakeError(ErrorCode::kCorrupt,
                     "the unscaled decimal {} has more digits than the precision {} of its column",
                     FormatInt128(value), precision);
  }
  return {};
}

Result<ArrayDataPtr> CastColumn(const arrow::ArrayData& column,
                                const std::shared_ptr<arrow::DataType>& type,
                                arrow::MemoryPool* pool) {
  FIRN_RETURN_IF_ERROR(InitializeArrowCompute());
  return GuardArrowResult(ErrorCode::kCorrupt, [&]() -> arrow::Result<ArrayDataPtr> {
    arrow::compute::ExecContext context(pool);
    context.set_use_threads(false);
    ARROW_ASSIGN_OR_RAISE(const auto array,
                          arrow::compute::Cast(*arrow::MakeArray(column.Copy()), type,
                                               arrow::compute::CastOptions::Safe(), &context));
    return array->data();
  });
}

Result<ArrayDataPtr> ConvertDecimal(const arrow::ArrayData& column, const Type& to,
                                    const std::shared_ptr<arrow::DataType>& type,
                                    arrow::MemoryPool* pool) {
  const auto& from = static_cast<const arrow::DecimalType&>(*column.type);
  if (from.id() != ArrowId::DECIMAL128) {
    FIRN_ASSIGN(const auto wide,
                CastColumn(column, arrow::decimal128(to.precision(), to.scale()), pool));
    FIRN_RETURN_IF_ERROR(CheckDigits(*wide, from.precision()));
    return wide;
  }
  FIRN_RETURN_IF_ERROR(CheckDigits(column, from.precision()));
  return WithType(column, type);
}

// `value` as the bytes of a fixed; the text of a uuid as its 16 bytes.
Status WriteFixed(std::string_view value, const Type& to, int32_t length, uint8_t* out) {
  if (value.size() == static_cast<size_t>(length)) {
    std::memcpy(out, value.data(), value.size());
    return {};
  }
  if (to.id() != TypeId::kUuid) {
    return MakeError(ErrorCode::kCorrupt, "a value has {} bytes, expected {}", value.size(),
                     length);
  }
  const Result<Value> parsed = ParseValue(value, to);
  if (!parsed.ok()) return Error(ErrorCode::kCorrupt, parsed.error().message());
  std::memcpy(out, parsed->get<UuidBytes>().data(), sizeof(UuidBytes));
  return {};
}

Result<ArrayDataPtr> ConvertToFixed(const arrow::ArrayData& column, const Type& to,
                                    const std::shared_ptr<arrow::DataType>& type,
                                    arrow::MemoryPool* pool) {
  if (column.type->id() == ArrowId::FIXED_SIZE_BINARY) return WithType(column, type);
  const int32_t length = static_cast<const arrow::FixedSizeBinaryType&>(*type).byte_width();
  FIRN_ASSIGN(const auto bytes, CastColumn(column, arrow::binary(), pool));
  const arrow::BinaryArray array(bytes);
  FIRN_ASSIGN(std::shared_ptr<arrow::Buffer> values, GuardArrowResult(ErrorCode::kInternal, [&] {
                return arrow::AllocateBuffer((bytes->offset + bytes->length) * length, pool);
              }));
  std::memset(values->mutable_data(), 0, static_cast<size_t>(values->size()));
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    FIRN_RETURN_IF_ERROR(WriteFixed(array.GetView(i), to, length,
                                    values->mutable_data() + (bytes->offset + i) * length));
  }
  return arrow::ArrayData::Make(type, bytes->length, {bytes->buffers[0], std::move(values)},
                                bytes->null_count.load(), bytes->offset);
}

Status CheckUtf8(const arrow::ArrayData& column) {
  const arrow::BinaryArray array(column.Copy());
  arrow::util::InitializeUTF8();
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    const std::string_view value = array.GetView(i);
    if (!arrow::util::ValidateUTF8(value)) {
      return MakeError(ErrorCode::kCorrupt, "a value of a binary column is no text: not UTF-8");
    }
  }
  return {};
}

Result<ArrayDataPtr> ConvertToBytes(const arrow::ArrayData& column,
                                    const std::shared_ptr<arrow::DataType>& type,
                                    arrow::MemoryPool* pool) {
  const ArrowId::type from = column.type->id();
  if (from == ArrowId::STRING) return WithType(column, type);
  if (from == ArrowId::BINARY) {
    if (type->id() == ArrowId::STRING) FIRN_RETURN_IF_ERROR(CheckUtf8(column));
    return WithType(column, type);
  }
  return CastColumn(column, type, pool);
}

}  // namespace

bool CanConvertColumn(const arrow::DataType& from, const Type& to) {
  const ArrowId::type id = from.id();
  if (id == ArrowId::NA) return true;
  if (id == ArrowId::EXTENSION) {
    return CanConvertColumn(*static_cast<const arrow::ExtensionType&>(from).storage_type(), to);
  }
  if (id == ArrowId::DICTIONARY) {
    return CanConvertColumn(*static_cast<const arrow::DictionaryType&>(from).value_type(), to);
  }
  switch (to.id()) {
    case TypeId::kBoolean:
      return id == ArrowId::BOOL;
    case TypeId::kInt:
      return IsNarrowInteger(id);
    case TypeId::kLong:
      return IsNarrowInteger(id) || id == ArrowId::INT64 || id == ArrowId::UINT32;
    case TypeId::kFloat:
      return id == ArrowId::FLOAT || id == ArrowId::HALF_FLOAT;
    case TypeId::kDouble:
      return id == ArrowId::FLOAT || id == ArrowId::HALF_FLOAT || id == ArrowId::DOUBLE;
    case TypeId::kDecimal:
      return CanConvertDecimal(from, to);
    case TypeId::kDate:
      return id == ArrowId::DATE32 || id == ArrowId::INT32;
    case TypeId::kTime:
      return id == ArrowId::TIME32 || id == ArrowId::TIME64 || id == ArrowId::INT64;
    case TypeId::kTimestamp:
    case TypeId::kTimestampNs:
      return id == ArrowId::TIMESTAMP || id == ArrowId::INT64 || id == ArrowId::DATE32;
    case TypeId::kTimestamptz:
    case TypeId::kTimestamptzNs:
      return id == ArrowId::TIMESTAMP || id == ArrowId::INT64;
    case TypeId::kString:
      return IsBytes(id);
    case TypeId::kBinary:
      return IsBytes(id) || id == ArrowId::FIXED_SIZE_BINARY;
    case TypeId::kUuid:
      return CanConvertToFixed(from, 16);
    case TypeId::kFixed:
      return CanConvertToFixed(from, to.length());
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return false;
  }
  return false;
}

Result<ArrayDataPtr> ConvertColumn(const arrow::ArrayData& column, const Type& to,
                                   arrow::MemoryPool* pool, bool is_exact) {
  if (column.type->id() == ArrowId::EXTENSION) {
    const auto& extension = static_cast<const arrow::ExtensionType&>(*column.type);
    return ConvertColumn(*WithType(column, extension.storage_type()), to, pool, is_exact);
  }
  FIRN_ASSIGN(const auto type, ToArrowType(to));
  if (column.type->id() == ArrowId::NA) {
    FIRN_ASSIGN(const auto nulls, GuardArrowResult(ErrorCode::kInternal, [&] {
                  return arrow::MakeArrayOfNull(type, column.length, pool);
                }));
    return nulls->data();
  }
  if (column.type->id() == ArrowId::DICTIONARY) {
    const auto& dictionary = static_cast<const arrow::DictionaryType&>(*column.type);
    FIRN_ASSIGN(const auto decoded, CastColumn(column, dictionary.value_type(), pool));
    return ConvertColumn(*decoded, to, pool, is_exact);
  }
  if (to.id() == TypeId::kDecimal) return ConvertDecimal(column, to, type, pool);
  if (column.type->Equals(*type)) return column.Copy();
  const TypeId id = to.id();
  if (id == TypeId::kDate) return WithType(column, type);  // From plain 32-bit integers.
  if (id == TypeId::kTime || to.is_timestamp()) return ConvertToTime(column, type, is_exact, pool);
  if (id == TypeId::kString || id == TypeId::kBinary) return ConvertToBytes(column, type, pool);
  if (id == TypeId::kUuid || id == TypeId::kFixed) return ConvertToFixed(column, to, type, pool);
  return CastColumn(column, type, pool);  // Integers and floats widen.
}

}  // namespace firn
