#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "firn/base/check.h"
#include "firn/format/schema/schema_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// What is read as a schema, a column or a type can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A reference system may hold any text, quotes too, which this notation cannot repeat.
  const bool is_exact = text.find("geo") == text.npos && text.find("GEO") == text.npos;
  if (const auto schema = firn::ParseSchemaText(text); schema.ok()) {
    const std::string written = firn::FormatSchemaText(*schema);
    const auto again = firn::ParseSchemaText(written);
    FIRN_CHECK(!is_exact || (again.ok() && again->IsSameAs(*schema)));
  }
  if (const auto type = firn::ParseTypeText(text); type.ok()) {
    const auto again = firn::ParseTypeText(firn::FormatTypeText(**type));
    FIRN_CHECK(!is_exact || (again.ok() && **again == **type));
  }
  (void)firn::ParseColumnText(text);
  (void)firn::ParseColumnPath(text);
  return 0;
}
