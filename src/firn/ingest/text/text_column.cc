#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/utf8.h>

#include "firn/base/civil_time.h"
#include "firn/base/int128.h"
#include "firn/base/text.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/format/types/value.h"
#include "firn/format/variant/variant.h"
#include "firn/ingest/text/text_column_internal.h"
#include "firn/ingest/text/text_numbers_internal.h"

namespace firn {
namespace {

using Texts = std::span<const std::string_view>;

bool IsNull(std::string_view text) { return text.data() == nullptr; }

// Which rows have a value; made where the first one has none.
class Validity {
 public:
  Validity(size_t rows, arrow::MemoryPool* pool) : rows_(static_cast<int64_t>(rows)), pool_(pool) {}

  arrow::Status Clear(size_t row) {
    if (bits_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(bits_, arrow::AllocateBitmap(rows_, pool_));
      std::memset(bits_->mutable_data(), 0xFF, static_cast<size_t>(bits_->size()));
    }
    arrow::bit_util::ClearBit(bits_->mutable_data(), static_cast<int64_t>(row));
    ++null_count_;
    return arrow::Status::OK();
  }

  const std::shared_ptr<arrow::Buffer>& bits() const { return bits_; }
  int64_t null_count() const { return null_count_; }

 private:
  int64_t rows_;
  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::Buffer> bits_;
  int64_t null_count_ = 0;
};

// Of what `parse` makes of a text, without further ado.
template <typename T, typename Parse>
arrow::Result<TextColumn> ConvertFixed(const std::shared_ptr<arrow::DataType>& type, Texts texts,
                                       arrow::MemoryPool* pool, const Parse& parse) {
  const auto bytes = static_cast<int64_t>(texts.size() * sizeof(T));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(bytes, pool));
  auto* const values = buffer->mutable_data_as<T>();
  Validity validity(texts.size(), pool);
  TextColumn column;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::optional<T> value = IsNull(texts[i]) ? std::optional<T>() : parse(texts[i]);
    values[i] = value.value_or(T());
    if (value) continue;
    ARROW_RETURN_NOT_OK(validity.Clear(i));
    if (!IsNull(texts[i])) column.bad.push_back(i);
  }
  column.values = arrow::MakeArray(arrow::ArrayData::Make(
      type, static_cast<int64_t>(texts.size()), {validity.bits(), buffer}, validity.null_count()));
  return column;
}

arrow::Result<TextColumn> ConvertStrings(const std::shared_ptr<arrow::DataType>& type, Texts texts,
                                         bool are_ascii, arrow::MemoryPool* pool) {
  size_t size = 0;
  for (const std::string_view text : texts)
    size += text.size();
  if (size > std::numeric_limits<int32_t>::max()) {
    return arrow::Status::CapacityError("texts of ", size, " bytes in one block");
  }
  const auto rows = static_cast<int64_t>(texts.size());
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> offset_buffer,
      arrow::AllocateBuffer((rows + 1) * static_cast<int64_t>(sizeof(int32_t)), pool));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> data,
                        arrow::AllocateBuffer(static_cast<int64_t>(size), pool));
  auto* const offsets = offset_buffer->mutable_data_as<int32_t>();
  uint8_t* to = data->mutable_data();
  Validity validity(texts.size(), pool);
  TextColumn column;
  offsets[0] = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string_view text = texts[i];
    const bool is_bad = !are_ascii && !arrow::util::ValidateUTF8(text);
    if (is_bad || IsNull(text)) {
      ARROW_RETURN_NOT_OK(validity.Clear(i));
      if (is_bad) column.bad.push_back(i);
    } else if (!text.empty()) {
      std::memcpy(to, text.data(), text.size());
      to += text.size();
    }
    offsets[i + 1] = static_cast<int32_t>(to - data->data());
  }
  column.values = arrow::MakeArray(arrow::ArrayData::Make(
      type, rows, {validity.bits(), offset_buffer, data}, validity.null_count()));
  return column;
}

// Of the types that are rare in text.
template <typename Builder, typename Parse>
arrow::Result<TextColumn> ConvertRare(const std::shared_ptr<arrow::DataType>& type, Texts texts,
                                      arrow::MemoryPool* pool, const Parse& parse) {
  Builder builder(type, pool);
  TextColumn column;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto value = IsNull(texts[i]) ? std::nullopt : parse(texts[i]);
    ARROW_RETURN_NOT_OK(value ? builder.Append(*value) : builder.AppendNull());
    if (!value && !IsNull(texts[i])) column.bad.push_back(i);
  }
  ARROW_RETURN_NOT_OK(builder.Finish(&column.values));
  return column;
}

// For the types that are rare in text.
std::optional<std::string> ParseBytes(std::string_view text, const Type& type) {
  const Result<Value> value = ParseValue(TrimBlanks(text), type);
  if (!value.ok()) return std::nullopt;
  if (const auto* uuid = value->get_if<UuidBytes>()) {
    return std::string(reinterpret_cast<const char*>(uuid->data()), uuid->size());
  }
  const auto* binary = value->get_if<BinaryValue>();
  if (binary == nullptr) return std::nullopt;
  const bool fits =
      type.id() != TypeId::kFixed || binary->bytes.size() == static_cast<size_t>(type.length());
  return fits ? std::optional(binary->bytes) : std::nullopt;
}

// Decimals, most of which are written with as many digits behind the point as they have.
class DecimalParser {
 public:
  explicit DecimalParser(const Type& type) : type_(type) {
    for (int32_t i = 0; i < type.precision(); ++i)
      limit_ *= 10;
    for (int32_t i = 0; i < std::min(type.scale(), kPlainScaleMax); ++i)
      power_ *= 10;
  }

  std::optional<Int128> operator()(std::string_view text) const {
    std::optional<int64_t> plain;
    if (type_.scale() == 0) {
      plain = ReadPlainInteger(text);
    } else if (type_.scale() > 0 && type_.scale() <= kPlainScaleMax) {
      plain = ReadPlainDecimal(text, static_cast<size_t>(type_.scale()), power_);
    }
    if (plain && *plain < limit_ && -*plain < limit_) return *plain;
    const Result<Value> value = ParseValue(TrimBlanks(text), type_);
    if (!value.ok()) return std::nullopt;
    const auto* decimal = value->get_if<Int128>();
    return decimal == nullptr ? std::nullopt : std::optional(*decimal);
  }

 private:
  static constexpr int32_t kPlainScaleMax = 8;
  const Type& type_;
  Int128 limit_ = 1;
  int64_t power_ = 1;
};

std::optional<int64_t> ParseTimestampText(std::string_view text, TimeUnit unit, bool wants_zone) {
  const auto parsed = ParseTimestamp(TrimBlanks(text), unit);
  // A time without zone is UTC where the column wants an instant; one with a zone has no meaning
  // where it does not.
  if (!parsed || (parsed->has_zone && !wants_zone)) return std::nullopt;
  return parsed->value;
}

std::optional<int32_t> ParseIntText(std::string_view text) {
  const auto value = ParseIntegerText(text);
  if (!value || *value < INT32_MIN || *value > INT32_MAX) return std::nullopt;
  return static_cast<int32_t>(*value);
}

std::optional<float> ParseFloatText(std::string_view text) {
  const auto value = ParseDoubleText(text);
  if (!value) return std::nullopt;
  const auto narrow = static_cast<float>(*value);
  if (std::isinf(narrow) && !std::isinf(*value)) return std::nullopt;
  return narrow;
}

}  // namespace

bool IsAscii(std::string_view text) {
  uint64_t seen = 0;
  size_t at = 0;
  for (; at + sizeof(seen) <= text.size(); at += sizeof(seen)) {
    uint64_t characters = 0;
    std::memcpy(&characters, text.data() + at, sizeof(characters));
    seen |= characters;
  }
  for (; at < text.size(); ++at)
    seen |= static_cast<unsigned char>(text[at]);
  return (seen & 0x8080808080808080ULL) == 0;
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

std::optional<bool> ParseBooleanText(std::string_view text) {
  text = TrimBlanks(text);
  for (const std::string_view word : {"true", "t", "yes", "y", "1"}) {
    if (EqualsIgnoreCase(text, word)) return true;
  }
  for (const std::string_view word : {"false", "f", "no", "n", "0"}) {
    if (EqualsIgnoreCase(text, word)) return false;
  }
  return std::nullopt;
}

std::optional<int64_t> ParseIntegerText(std::string_view text) {
  if (const auto plain = ReadPlainInteger(text)) return plain;
  text = TrimBlanks(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> ParseDoubleText(std::string_view text) {
  text = TrimBlanks(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::nullopt;
  if (error != std::errc()) return std::nullopt;
  if (std::isnan(value) && !EqualsIgnoreCase(text, "nan")) return std::nullopt;  // nan(...)
  return value;
}

namespace {

arrow::Result<TextColumn> ConvertTimestamps(const std::shared_ptr<arrow::DataType>& arrow_type,
                                            const Type& type, Texts texts,
                                            arrow::MemoryPool* pool) {
  const bool is_nanos = type.id() == TypeId::kTimestampNs || type.id() == TypeId::kTimestamptzNs;
  const bool has_zone = type.id() == TypeId::kTimestamptz || type.id() == TypeId::kTimestamptzNs;
  const TimeUnit unit = is_nanos ? TimeUnit::kNanos : TimeUnit::kMicros;
  return ConvertFixed<int64_t>(arrow_type, texts, pool, [unit, has_zone](std::string_view text) {
    return ParseTimestampText(text, unit, has_zone);
  });
}

// Texts are JSON.
arrow::Result<TextColumn> ConvertVariants(const std::shared_ptr<arrow::DataType>& type, Texts texts,
                                          arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto builder, arrow::MakeBuilder(type, pool));
  const TypePtr variant_type = Type::Primitive(TypeId::kVariant);
  TextColumn column;
  for (size_t i = 0; i < texts.size(); ++i) {
    Value value;
    if (!IsNull(texts[i])) {
      const auto variant = VariantFromJson(texts[i]);
      if (variant.ok()) {
        value = BinaryValue{JoinVariant(variant->metadata, variant->value)};
      } else {
        column.bad.push_back(i);
      }
    }
    const Status appended = AppendValue(*variant_type, value, *builder);
    if (!appended.ok()) return ToArrowStatus(appended.error());
  }
  ARROW_RETURN_NOT_OK(builder->Finish(&column.values));
  return column;
}

arrow::Result<TextColumn> Convert(const std::shared_ptr<arrow::DataType>& arrow_type,
                                  const Type& type, Texts texts, bool are_ascii,
                                  arrow::MemoryPool* pool) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return ConvertRare<arrow::BooleanBuilder>(arrow_type, texts, pool, ParseBooleanText);
    case TypeId::kInt:
      return ConvertFixed<int32_t>(arrow_type, texts, pool, ParseIntText);
    case TypeId::kLong:
      return ConvertFixed<int64_t>(arrow_type, texts, pool, ParseIntegerText);
    case TypeId::kFloat:
      return ConvertFixed<float>(arrow_type, texts, pool, ParseFloatText);
    case TypeId::kDouble:
      return ConvertFixed<double>(arrow_type, texts, pool, ParseDoubleText);
    case TypeId::kDecimal:
      return ConvertFixed<Int128>(arrow_type, texts, pool, DecimalParser(type));
    case TypeId::kDate:
      return ConvertFixed<int32_t>(arrow_type, texts, pool, [](std::string_view text) {
        const auto days = ParseDate(text);
        return days ? days : ParseDate(TrimBlanks(text));
      });
    case TypeId::kTime:
      return ConvertFixed<int64_t>(arrow_type, texts, pool, [](std::string_view text) {
        return ParseTime(TrimBlanks(text), TimeUnit::kMicros);
      });
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return ConvertTimestamps(arrow_type, type, texts, pool);
    case TypeId::kString:
      return ConvertStrings(arrow_type, texts, are_ascii, pool);
    case TypeId::kUuid:
    case TypeId::kFixed:
      return ConvertRare<arrow::FixedSizeBinaryBuilder>(
          arrow_type, texts, pool,
          [&type](std::string_view text) { return ParseBytes(text, type); });
    case TypeId::kBinary:
      return ConvertRare<arrow::BinaryBuilder>(
          arrow_type, texts, pool,
          [&type](std::string_view text) { return ParseBytes(text, type); });
    case TypeId::kVariant:
      return ConvertVariants(arrow_type, texts, pool);
    case TypeId::kUnknown:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return ToArrowStatus(
      MakeError(ErrorCode::kUnsupported, "text has no values of type {}", FormatType(type)));
}

}  // namespace

Result<TextColumn> ConvertTexts(const Type& type, std::span<const std::string_view> texts,
                                bool are_ascii, arrow::MemoryPool* pool) {
  FIRN_ASSIGN(const auto arrow_type, ToArrowType(type));
  arrow::util::InitializeUTF8();
  return GuardArrowResult(ErrorCode::kInternal,
                          [&] { return Convert(arrow_type, type, texts, are_ascii, pool); });
}

}  // namespace firn
