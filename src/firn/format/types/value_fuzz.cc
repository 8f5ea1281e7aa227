#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "firn/base/check.h"
#include "firn/format/layout/transform.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value.h"
#include "firn/format/types/value_bounds.h"
#include "firn/format/types/value_json.h"
#include "firn/format/types/value_render.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace firn {
namespace {

std::vector<TypePtr> MakeTypes() {
  std::vector<TypePtr> types;
  for (int id = 0; id < static_cast<int>(TypeId::kStruct); ++id) {
    if (id == static_cast<int>(TypeId::kDecimal)) {
      types.push_back(Type::Decimal(9, 2));
      types.push_back(Type::Decimal(38, 10));
    } else if (id == static_cast<int>(TypeId::kFixed)) {
      types.push_back(Type::Fixed(3));
    } else {
      types.push_back(Type::Primitive(static_cast<TypeId>(id)));
    }
  }
  const TypePtr text = Type::Primitive(TypeId::kString);
  const TypePtr number = Type::Primitive(TypeId::kDouble);
  types.push_back(
      Type::Struct({{.id = 1, .name = "a", .type = text}, {.id = 2, .name = "b", .type = number}}));
  types.push_back(Type::List({.id = 3, .type = types.back()}));
  types.push_back(Type::Map({.id = 4, .type = text}, {.id = 5, .type = types.back()}));
  return types;
}

void CheckBound(std::span<const std::byte> bytes, const Type& type) {
  const Value bound = FromBoundBytes(bytes, type);
  if (bound.is_null()) return;
  const auto written = ToBoundBytes(bound, type);
  FIRN_CHECK(written.ok());
  FIRN_CHECK(FromBoundBytes(AsBytes(*written), type) == bound);
  FIRN_CHECK(CompareValues(TruncateLowerBound(bound, 2), bound) <= 0);
  const auto upper = TruncateUpperBound(bound, 2);
  FIRN_CHECK(!upper || CompareValues(*upper, bound) >= 0);
  std::string text = FormatValue(bound, type);
  AppendRowJson(text, bound, type);
}

void CheckTransforms(const Value& value, const Type& type) {
  for (const auto kind : {TransformKind::kBucket, TransformKind::kTruncate, TransformKind::kYear,
                          TransformKind::kMonth, TransformKind::kDay, TransformKind::kHour}) {
    const Transform transform{.kind = kind, .width = 3, .text = ""};
    if (!CanTransform(transform, type)) continue;
    const auto result = ApplyTransform(transform, type, value);
    FIRN_CHECK(result.ok());
    FormatTransformed(transform, type, *result);
  }
}

void CheckText(std::string_view text, const Type& type) {
  if (const auto value = ParseValue(text, type); value.ok()) CheckTransforms(*value, type);
  if (const auto value = ParseValueJson(text, type); value.ok()) {
    const std::string json = FormatValueJson(*value, type);
    FIRN_CHECK(FormatValueJson(*ParseValueJson(json, type), type) == json);
  }
  if (const auto parsed = ParsePrimitiveType(text); parsed.ok()) {
    FIRN_CHECK(**ParsePrimitiveType(FormatType(**parsed)) == **parsed);
  }
  if (const auto transform = ParseTransform(text); transform.ok()) {
    FIRN_CHECK(*ParseTransform(FormatTransform(*transform)) == *transform);
  }
}

}  // namespace
}  // namespace firn

// The first byte chooses a type; the rest is a bound, a literal, a JSON value, the text of a type
// and that of a transform.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<firn::TypePtr> types = firn::MakeTypes();
  if (size == 0) return 0;
  const firn::Type& type = *types[data[0] % types.size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  firn::CheckBound(firn::AsBytes(text), type);
  firn::CheckText(text, type);
  return 0;
}
