#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "firn/base/check.h"
#include "firn/format/json/json_reader.h"
#include "firn/format/variant/variant.h"

// Any bytes as a variant (metadata, then value) and as the JSON text of one. What prints is JSON,
// and names and values of JSON text are still there when it has been a variant; after the first
// time (1e2 becomes 100.0, and that 100) its text stays the same.

namespace firn {
namespace {

void ReadBytes(std::string_view bytes) {
  const auto parts = SplitVariant(bytes);
  if (!parts.ok()) return;
  std::string text;
  if (!AppendVariantJson(text, parts->metadata, parts->value).ok()) return;
  FIRN_CHECK(text.size() > 4096 || IsJsonText(text));
}

VariantBytes Print(const VariantBytes& variant, std::string& text) {
  text.clear();
  FIRN_CHECK(AppendVariantJson(text, variant.metadata, variant.value).ok());
  auto again = VariantFromJson(text);
  FIRN_CHECK(again.ok());
  FIRN_CHECK(again->metadata == variant.metadata);
  return *std::move(again);
}

void ReadJsonText(std::string_view json) {
  const auto variant = VariantFromJson(json);
  if (!variant.ok()) return;
  std::string text;
  const VariantBytes second = Print(*variant, text);
  const VariantBytes third = Print(second, text);
  std::string last;
  Print(third, last);
  FIRN_CHECK(last == text);
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  firn::ReadBytes(bytes);
  firn::ReadJsonText(bytes);
  return 0;
}
