#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/format/types/type.h"

// The text of types: what schema JSON holds for primitives, and what people read for nested types.

namespace firn {
namespace {

constexpr std::array<std::pair<TypeId, std::string_view>, 16> kPlainNames = {{
    {TypeId::kUnknown, "unknown"},
    {TypeId::kBoolean, "boolean"},
    {TypeId::kInt, "int"},
    {TypeId::kLong, "long"},
    {TypeId::kFloat, "float"},
    {TypeId::kDouble, "double"},
    {TypeId::kDate, "date"},
    {TypeId::kTime, "time"},
    {TypeId::kTimestamp, "timestamp"},
    {TypeId::kTimestamptz, "timestamptz"},
    {TypeId::kTimestampNs, "timestamp_ns"},
    {TypeId::kTimestamptzNs, "timestamptz_ns"},
    {TypeId::kString, "string"},
    {TypeId::kUuid, "uuid"},
    {TypeId::kBinary, "binary"},
    {TypeId::kVariant, "variant"},
}};

// A non-negative number, the whole of `text` but for blanks around it.
std::optional<int32_t> ParseParameter(std::string_view text) {
  text = TrimText(text);
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// "name(parameters)" or "name[parameters]"; no `parameters` if there are no brackets.
struct Parts {
  std::string name;
  std::optional<std::string_view> parameters;
};

std::optional<Parts> SplitParts(std::string_view text, char open, char close) {
  text = TrimText(text);
  const size_t start = text.find(open);
  if (start == std::string_view::npos) return Parts{LowerAscii(text), std::nullopt};
  if (text.back() != close) return std::nullopt;
  return Parts{LowerAscii(TrimText(text.substr(0, start))),
               text.substr(start + 1, text.size() - start - 2)};
}

// A CRS or an algorithm: some writers quote it.
std::string Unquote(std::string_view text) {
  text = TrimText(text);
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front()) {
    text = TrimText(text.substr(1, text.size() - 2));
  }
  return std::string(text);
}

TypePtr ParseDecimal(std::string_view parameters) {
  const size_t comma = parameters.find(',');
  if (comma == std::string_view::npos) return nullptr;
  const auto precision = ParseParameter(parameters.substr(0, comma));
  const auto scale = ParseParameter(parameters.substr(comma + 1));
  if (!precision || !scale || *precision < 1 || *precision > 38 || *scale > 38) return nullptr;
  return Type::Decimal(*precision, *scale);
}

TypePtr ParseGeography(std::string_view parameters) {
  const size_t comma = parameters.rfind(',');
  if (comma == std::string_view::npos) return Type::Geography(Unquote(parameters), "");
  const std::string algorithm = LowerAscii(Unquote(parameters.substr(comma + 1)));
  constexpr std::array<std::string_view, 5> kAlgorithms = {"spherical", "vincenty", "thomas",
                                                           "andoyer", "karney"};
  for (const std::string_view known : kAlgorithms) {
    if (algorithm == known) {
      return Type::Geography(Unquote(parameters.substr(0, comma)), algorithm);
    }
  }
  return nullptr;
}

// Null if `text` is no type with parameters.
TypePtr ParseParameterizedType(std::string_view text) {
  if (const auto parts = SplitParts(text, '[', ']'); parts && parts->parameters) {
    const auto length = ParseParameter(*parts->parameters);
    return parts->name == "fixed" && length ? Type::Fixed(*length) : nullptr;
  }
  const auto parts = SplitParts(text, '(', ')');
  if (!parts) return nullptr;
  const std::string_view parameters = parts->parameters.value_or("");
  if (parts->name == "decimal") return ParseDecimal(parameters);
  if (parts->name == "geometry") return Type::Geometry(Unquote(parameters));
  if (parts->name == "geography") return ParseGeography(parameters);
  return nullptr;
}

std::string FormatStruct(const Type& type) {
  std::string text = "struct<";
  std::string_view separator;
  for (const NestedField& field : type.fields()) {
    text += fmt::format("{}{}: {}: {} {}", separator, field.id, field.name,
                        field.required ? "required" : "optional", FormatType(*field.type));
    separator = ", ";
  }
  return text + ">";
}

std::string FormatGeometry(const Type& type) {
  if (type == *Type::Geometry("")) return "geometry";
  return fmt::format("geometry({})", type.crs());
}

std::string FormatGeography(const Type& type) {
  if (type == *Type::Geography("", "")) return "geography";
  if (type.algorithm() == "spherical") return fmt::format("geography({})", type.crs());
  return fmt::format("geography({}, {})", type.crs(), type.algorithm());
}

}  // namespace

std::string FormatType(const Type& type) {
  for (const auto& [id, name] : kPlainNames) {
    if (id == type.id()) return std::string(name);
  }
  if (type.id() == TypeId::kDecimal) {
    return fmt::format("decimal({},{})", type.precision(), type.scale());
  }
  if (type.id() == TypeId::kFixed) return fmt::format("fixed[{}]", type.length());
  if (type.id() == TypeId::kGeometry) return FormatGeometry(type);
  if (type.id() == TypeId::kGeography) return FormatGeography(type);
  if (type.id() == TypeId::kStruct) return FormatStruct(type);
  if (type.id() == TypeId::kList) return fmt::format("list<{}>", FormatType(*type.element().type));
  return fmt::format("map<{}, {}>", FormatType(*type.key().type), FormatType(*type.value().type));
}

Result<TypePtr> ParsePrimitiveType(std::string_view text) {
  const std::string name = LowerAscii(TrimText(text));
  for (const auto& [id, plain_name] : kPlainNames) {
    if (name == plain_name) return Type::Primitive(id);
  }
  if (TypePtr type = ParseParameterizedType(text)) return type;
  return MakeError(ErrorCode::kCorrupt,
                   "type is '{}', expected a type of the Iceberg spec such as 'long', "
                   "'decimal(9,2)' (1 to 38 digits) or 'fixed[16]'",
                   text.substr(0, 80));
}

}  // namespace firn
