#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/util/decimal.h>
#include <arrow/util/utf8.h>

#include "firn/base/civil_time.h"
#include "firn/base/int128.h"
#include "firn/base/text.h"
#include "firn/data/arrow_bridge.h"
#include "firn/data/arrow_types.h"
#include "firn/format/value.h"
#include "firn/ingest/text_column_internal.h"

namespace firn {
namespace {

// A column whose builder takes what `Parse` makes of a text.
template <typename Builder, typename Parse>
class ParsedColumn final : public TextColumn {
 public:
  ParsedColumn(std::unique_ptr<Builder> builder, Parse parse)
      : builder_(std::move(builder)), parse_(std::move(parse)) {}

  bool Append(std::string_view text) override {
    const auto value = parse_(text);
    if (!value) {
      AppendNull();
      return false;
    }
    Note(builder_->Append(*value));
    return true;
  }

  void AppendNull() override { Note(builder_->AppendNull()); }

  Result<std::shared_ptr<arrow::Array>> Finish() override {
    return GuardArrowResult(ErrorCode::kInternal,
                            [&]() -> arrow::Result<std::shared_ptr<arrow::Array>> {
                              ARROW_RETURN_NOT_OK(std::exchange(status_, arrow::Status::OK()));
                              return builder_->Finish();
                            });
  }

 private:
  void Note(arrow::Status status) {
    if (!status.ok() && status_.ok()) status_ = std::move(status);
  }

  std::unique_ptr<Builder> builder_;
  Parse parse_;
  arrow::Status status_;
};

template <typename Builder, typename Parse>
std::unique_ptr<TextColumn> MakeParsed(std::shared_ptr<arrow::DataType> type,
                                       arrow::MemoryPool* pool, Parse parse) {
  return std::make_unique<ParsedColumn<Builder, Parse>>(
      std::make_unique<Builder>(std::move(type), pool), std::move(parse));
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

std::optional<arrow::Decimal128> ParseDecimalText(std::string_view text, const Type& type) {
  const Result<Value> value = ParseValue(TrimBlanks(text), type);
  if (!value.ok()) return std::nullopt;
  const auto* decimal = value->get_if<Int128>();
  if (decimal == nullptr) return std::nullopt;
  return arrow::Decimal128(static_cast<int64_t>(*decimal >> 64), static_cast<uint64_t>(*decimal));
}

std::optional<int64_t> ParseTimestampText(std::string_view text, TimeUnit unit, bool wants_zone) {
  const auto parsed = ParseTimestamp(TrimBlanks(text), unit);
  // A time without zone is UTC where the column wants an instant; one with a zone has no meaning
  // where it does not.
  if (!parsed || (parsed->has_zone && !wants_zone)) return std::nullopt;
  return parsed->value;
}

}  // namespace

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

Result<std::unique_ptr<TextColumn>> MakeTextColumn(const Type& type, arrow::MemoryPool* pool) {
  FIRN_ASSIGN(auto arrow_type, ToArrowType(type));
  switch (type.id()) {
    case TypeId::kBoolean:
      return MakeParsed<arrow::BooleanBuilder>(arrow_type, pool, ParseBooleanText);
    case TypeId::kInt:
      return MakeParsed<arrow::Int32Builder>(
          arrow_type, pool, [](std::string_view text) -> std::optional<int32_t> {
            const auto value = ParseIntegerText(text);
            if (!value || *value < INT32_MIN || *value > INT32_MAX) return std::nullopt;
            return static_cast<int32_t>(*value);
          });
    case TypeId::kLong:
      return MakeParsed<arrow::Int64Builder>(arrow_type, pool, ParseIntegerText);
    case TypeId::kFloat:
      return MakeParsed<arrow::FloatBuilder>(arrow_type, pool,
                                             [](std::string_view text) -> std::optional<float> {
                                               const auto value = ParseDoubleText(text);
                                               if (!value) return std::nullopt;
                                               const auto narrow = static_cast<float>(*value);
                                               if (std::isinf(narrow) && !std::isinf(*value))
                                                 return std::nullopt;
                                               return narrow;
                                             });
    case TypeId::kDouble:
      return MakeParsed<arrow::DoubleBuilder>(arrow_type, pool, ParseDoubleText);
    case TypeId::kDecimal:
      return MakeParsed<arrow::Decimal128Builder>(
          arrow_type, pool, [type](std::string_view text) { return ParseDecimalText(text, type); });
    case TypeId::kDate:
      return MakeParsed<arrow::Date32Builder>(
          arrow_type, pool, [](std::string_view text) { return ParseDate(TrimBlanks(text)); });
    case TypeId::kTime:
      return MakeParsed<arrow::Time64Builder>(arrow_type, pool, [](std::string_view text) {
        return ParseTime(TrimBlanks(text), TimeUnit::kMicros);
      });
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs: {
      const bool is_nanos =
          type.id() == TypeId::kTimestampNs || type.id() == TypeId::kTimestamptzNs;
      const bool has_zone =
          type.id() == TypeId::kTimestamptz || type.id() == TypeId::kTimestamptzNs;
      const TimeUnit unit = is_nanos ? TimeUnit::kNanos : TimeUnit::kMicros;
      return MakeParsed<arrow::TimestampBuilder>(arrow_type, pool,
                                                 [unit, has_zone](std::string_view text) {
                                                   return ParseTimestampText(text, unit, has_zone);
                                                 });
    }
    case TypeId::kString:
      arrow::util::InitializeUTF8();
      return MakeParsed<arrow::StringBuilder>(
          arrow_type, pool, [](std::string_view text) -> std::optional<std::string_view> {
            if (!arrow::util::ValidateUTF8(text)) return std::nullopt;
            return text;
          });
    case TypeId::kUuid:
    case TypeId::kFixed:
      return MakeParsed<arrow::FixedSizeBinaryBuilder>(
          arrow_type, pool, [type](std::string_view text) { return ParseBytes(text, type); });
    case TypeId::kBinary:
      return MakeParsed<arrow::BinaryBuilder>(
          arrow_type, pool, [type](std::string_view text) { return ParseBytes(text, type); });
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return MakeError(ErrorCode::kUnsupported, "text has no values of type {}", FormatType(type));
}

}  // namespace firn
