#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firn/base/number.h"
#include "firn/base/utf8.h"
#include "firn/format/json/json_reader.h"
#include "firn/format/types/decimal_text.h"
#include "firn/format/variant/variant_encode.h"

// Names first, then values: ids are places in the sorted dictionary.

namespace firn {
namespace {

constexpr size_t kValueBytesMax = size_t{128} << 20;
constexpr int32_t kDigitsMax = 38;

Error BadText(std::string_view what) {
  return MakeError(ErrorCode::kInvalidInput, "{} of the JSON value is not UTF-8", what);
}

class NameCollector {
 public:
  Status Visit(JsonValue& json) {
    FIRN_ASSIGN(const JsonKind kind, json.Kind());
    if (kind == JsonKind::kArray) {
      return json.VisitElements([this](JsonValue& element) { return Visit(element); });
    }
    if (kind != JsonKind::kObject) return {};
    return json.VisitMembers([this](std::string_view key, JsonValue& value) -> Status {
      if (!names_.contains(key)) {
        if (!IsValidUtf8(key)) return BadText("a key");
        names_.emplace(key);
      }
      return Visit(value);
    });
  }

  std::vector<std::string_view> names() const { return {names_.begin(), names_.end()}; }

 private:
  std::set<std::string, std::less<>> names_;
};

// The digits of a number without exponent; nullopt if it has one, or too many of them.
struct PlainDecimal {
  Int128 unscaled = 0;
  int32_t scale = 0;
};
std::optional<PlainDecimal> ReadPlainDecimal(std::string_view text) {
  if (text.find_first_of("eE") != std::string_view::npos) return std::nullopt;
  const size_t point = text.find('.');
  const size_t scale = point == std::string_view::npos ? 0 : text.size() - point - 1;
  if (scale > kDigitsMax) return std::nullopt;
  auto unscaled = ParseDecimal(text, kDigitsMax, static_cast<int32_t>(scale));
  if (!unscaled.ok()) return std::nullopt;
  return PlainDecimal{*unscaled, static_cast<int32_t>(scale)};
}

class ValueWriter {
 public:
  ValueWriter(std::string& out, const std::vector<std::string_view>& names)
      : out_(out), names_(names) {}

  Status Write(JsonValue& json) {
    FIRN_ASSIGN(const JsonKind kind, json.Kind());
    switch (kind) {
      case JsonKind::kNull:
        AppendVariantNull(out_);
        return {};
      case JsonKind::kBool: {
        FIRN_ASSIGN(const bool value, json.ReadBool());
        AppendVariantBoolean(out_, value);
        return {};
      }
      case JsonKind::kNumber: {
        FIRN_ASSIGN(const std::string_view text, json.ReadScalarText());
        return WriteNumber(text);
      }
      case JsonKind::kString: {
        FIRN_ASSIGN(const std::string_view text, json.ReadString());
        if (!IsValidUtf8(text)) return BadText("a text");
        AppendVariantString(out_, text);
        return {};
      }
      case JsonKind::kArray:
        return WriteArray(json);
      case JsonKind::kObject:
        return WriteObject(json);
    }
    return {};
  }

 private:
  Status WriteNumber(std::string_view text) {
    if (const auto whole = ParseInt64(text)) {
      AppendVariantInteger(out_, *whole);
      return {};
    }
    if (const auto decimal = ReadPlainDecimal(text)) {
      AppendVariantDecimal(out_, decimal->unscaled, decimal->scale);
      return {};
    }
    const auto real = ParseDouble(text);
    if (!real || !std::isfinite(*real)) {
      return MakeError(ErrorCode::kInvalidInput, "the number '{}' is too large for a double",
                       text.substr(0, 40));
    }
    AppendVariantDouble(out_, *real);
    return {};
  }

  Status WriteArray(JsonValue& json) {
    const size_t begin = out_.size();
    std::vector<size_t> offsets;
    FIRN_RETURN_IF_ERROR(json.VisitElements([&](JsonValue& element) {
      offsets.push_back(out_.size() - begin);
      return Write(element);
    }));
    return FinishVariantArray(out_, begin, offsets);
  }

  Status WriteObject(JsonValue& json) {
    const size_t begin = out_.size();
    std::vector<VariantField> fields;
    FIRN_RETURN_IF_ERROR(json.VisitMembers([&](std::string_view key, JsonValue& value) {
      const auto name = std::lower_bound(names_.begin(), names_.end(), key);
      fields.push_back({.name = *name,
                        .id = static_cast<uint32_t>(name - names_.begin()),
                        .offset = out_.size() - begin});
      return Write(value);
    }));
    return FinishVariantObject(out_, begin, fields);
  }

  std::string& out_;
  const std::vector<std::string_view>& names_;
};

Result<VariantBytes> Convert(std::string_view json) {
  FIRN_ASSIGN(auto document, JsonDocument::Open(PaddedText::CopyOf(json)));
  NameCollector collector;
  FIRN_RETURN_IF_ERROR(document.VisitRoot([&](JsonValue& root) { return collector.Visit(root); }));
  const std::vector<std::string_view> names = collector.names();
  VariantBytes variant;
  FIRN_ASSIGN(variant.metadata, MakeVariantMetadata(names));
  FIRN_RETURN_IF_ERROR(document.VisitRoot(
      [&](JsonValue& root) { return ValueWriter(variant.value, names).Write(root); }));
  if (variant.value.size() <= kValueBytesMax) return variant;
  return MakeError(ErrorCode::kInvalidInput, "the variant is larger than {} MiB",
                   kValueBytesMax >> 20);
}

}  // namespace

Result<VariantBytes> VariantFromJson(std::string_view json) {
  auto variant = Convert(json);
  if (variant.ok() || variant.error().code() != ErrorCode::kCorrupt) return variant;
  return Error(ErrorCode::kInvalidInput, variant.error().message());  // What is given, not stored.
}

}  // namespace firn
