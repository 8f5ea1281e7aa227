#include <cstddef>
#include <cstdint>
#include <string_view>

#include "firn/base/check.h"
#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/base/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Dates, times, numbers and UTF-8 of any text: whatever parses comes back after formatting.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace firn;  // NOLINT(google-build-using-namespace): in the one function of the file.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto days = ParseDate(text)) FIRN_CHECK(ParseDate(FormatDate(*days)) == days);
  for (const TimeUnit unit : {TimeUnit::kMicros, TimeUnit::kNanos}) {
    if (const auto time = ParseTime(text, unit)) {
      FIRN_CHECK(ParseTime(FormatTime(*time, unit), unit) == time);
    }
    if (const auto parsed = ParseTimestamp(text, unit)) {
      const auto again = ParseTimestamp(FormatTimestamp(parsed->value, unit), unit);
      FIRN_CHECK(again && again->value == parsed->value);
    }
  }
  if (const auto value = ParseDouble(text)) {
    FIRN_CHECK(*value != *value || ParseDouble(FormatDouble(*value)) == value);
  }
  FIRN_CHECK(CountCodePoints(text) <= text.size());
  FIRN_CHECK(TakeCodePoints(text, CountCodePoints(text)) == text);
  return 0;
}
