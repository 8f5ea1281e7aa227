#include <cmath>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "firn/base/bytes.h"
#include "firn/base/civil_time.h"
#include "firn/format/json/json_writer.h"
#include "firn/format/types/decimal_text.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value.h"
#include "firn/format/variant/variant.h"

namespace firn {
namespace {

constexpr int kDepthMax = 500;
// Names stand once in the dictionary, whatever the number of objects that have them.
constexpr size_t kTextMax = size_t{512} << 20;

// Of a fraction, and of the point if nothing is left of it.
void TrimZeros(std::string& text) {
  if (text.find('.') == std::string::npos) return;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
}

std::string FormatVariantTimestamp(int64_t value, TimeUnit unit) {
  std::string text = FormatTimestamp(value, unit);
  TrimZeros(text);
  text[text.find('T')] = ' ';
  return text;
}

class JsonPrinter {
 public:
  JsonPrinter(std::string& out, const VariantMetadata& metadata, size_t value_bytes)
      : out_(out), start_(out.size()), metadata_(metadata), bytes_left_(value_bytes) {}

  Status Print(std::string_view bytes, int depth) {
    FIRN_ASSIGN(const VariantValue value, VariantValue::Parse(bytes));
    // Each byte belongs to one value, so that few bytes cannot stand for endless text.
    if (value.own_size() > bytes_left_) {
      return MakeError(ErrorCode::kCorrupt, "values of a variant overlap");
    }
    bytes_left_ -= value.own_size();
    if (depth > kDepthMax) {
      return MakeError(ErrorCode::kCorrupt, "a variant is nested deeper than {} levels", kDepthMax);
    }
    if (out_.size() - start_ > kTextMax) {
      return MakeError(ErrorCode::kResourceExhausted, "the text of a variant is larger than {} MiB",
                       kTextMax >> 20);
    }
    if (value.kind() == VariantKind::kObject) return PrintObject(value, depth);
    if (value.kind() == VariantKind::kArray) return PrintArray(value, depth);
    PrintScalar(value);
    return {};
  }

 private:
  Status PrintObject(const VariantValue& object, int depth) {
    out_ += '{';
    for (uint32_t i = 0; i < object.element_count(); ++i) {
      if (i > 0) out_ += ',';
      FIRN_ASSIGN(const std::string_view name, metadata_.Name(object.NameId(i)));
      AppendJsonString(out_, name);
      out_ += ':';
      FIRN_ASSIGN(const std::string_view bytes, object.Element(i));
      FIRN_RETURN_IF_ERROR(Print(bytes, depth + 1));
    }
    out_ += '}';
    return {};
  }

  Status PrintArray(const VariantValue& array, int depth) {
    out_ += '[';
    for (uint32_t i = 0; i < array.element_count(); ++i) {
      if (i > 0) out_ += ',';
      FIRN_ASSIGN(const std::string_view bytes, array.Element(i));
      FIRN_RETURN_IF_ERROR(Print(bytes, depth + 1));
    }
    out_ += ']';
    return {};
  }

  void PrintQuoted(std::string_view text) {
    out_ += '"';
    out_ += text;
    out_ += '"';
  }

  void PrintReal(double value, const std::string& text) {
    if (!std::isfinite(value)) return PrintQuoted(text);
    out_ += text;
  }

  void PrintDecimal(const VariantValue& value) {
    std::string text = FormatDecimal(value.number(), value.scale());
    TrimZeros(text);
    out_ += text;
  }

  void PrintScalar(const VariantValue& value) {
    const auto number = static_cast<int64_t>(value.number());
    switch (value.kind()) {
      case VariantKind::kBoolean:
        out_ += number != 0 ? "true" : "false";
        return;
      case VariantKind::kInt8:
      case VariantKind::kInt16:
      case VariantKind::kInt32:
      case VariantKind::kInt64:
        out_ += fmt::to_string(number);
        return;
      case VariantKind::kFloat:
        return PrintReal(value.real(), FormatValue(Value(static_cast<float>(value.real())),
                                                   *Type::Primitive(TypeId::kFloat)));
      case VariantKind::kDouble:
        return PrintReal(value.real(),
                         FormatValue(Value(value.real()), *Type::Primitive(TypeId::kDouble)));
      case VariantKind::kDecimal:
        return PrintDecimal(value);
      case VariantKind::kDate:
        return PrintQuoted(FormatDate(number));
      case VariantKind::kTime: {
        std::string text = FormatTime(number, TimeUnit::kMicros);
        TrimZeros(text);
        return PrintQuoted(text);
      }
      case VariantKind::kTimestamptz:
        return PrintQuoted(FormatVariantTimestamp(number, TimeUnit::kMicros) + "+00:00");
      case VariantKind::kTimestamp:
        return PrintQuoted(FormatVariantTimestamp(number, TimeUnit::kMicros));
      case VariantKind::kTimestamptzNanos:
        return PrintQuoted(FormatVariantTimestamp(number, TimeUnit::kNanos) + "+00:00");
      case VariantKind::kTimestampNanos:
        return PrintQuoted(FormatVariantTimestamp(number, TimeUnit::kNanos));
      case VariantKind::kString:
        AppendJsonString(out_, value.text());
        return;
      case VariantKind::kBinary:
        return PrintQuoted(FormatBase64(AsBytes(value.text())));
      case VariantKind::kUuid: {
        UuidBytes uuid;
        std::memcpy(uuid.data(), value.text().data(), uuid.size());
        return PrintQuoted(FormatUuid(uuid));
      }
      case VariantKind::kNull:
      case VariantKind::kObject:
      case VariantKind::kArray:
        break;
    }
    out_ += "null";
  }

  std::string& out_;
  const size_t start_;
  const VariantMetadata& metadata_;
  size_t bytes_left_;
};

}  // namespace

Status AppendVariantJson(std::string& out, std::string_view metadata, std::string_view value) {
  FIRN_ASSIGN(const VariantMetadata parsed, VariantMetadata::Parse(metadata));
  return JsonPrinter(out, parsed, value.size()).Print(value, 0);
}

}  // namespace firn
