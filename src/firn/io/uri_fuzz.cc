#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "firn/base/check.h"
#include "firn/io/io.h"
#include "firn/io/uri.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Any text as a URI and as prefix rules: laws that orphan removal stands on.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace firn;  // NOLINT(google-build-using-namespace): in the one function of the file.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view stripped = StripTrailingSlash(text);
  FIRN_CHECK(StripTrailingSlash(stripped) == stripped);
  FIRN_CHECK(text.starts_with(stripped));
  const std::string key = CanonicalUriKey(text);
  if (LocalPath(text).starts_with('/')) {
    FIRN_CHECK(CanonicalUriKey(key) == key);
    FIRN_CHECK(CanonicalUriKey("file:" + key) == key);
  }
  const std::string joined = JoinUri(text, "name");
  FIRN_CHECK(UriFileName(joined) == "name");
  FIRN_CHECK(IsAbsoluteUri(joined) == IsAbsoluteUri(text) || stripped.ends_with(':'));
  if (const auto rules = ParsePrefixRules(text); rules.ok()) {
    for (const PrefixRule& rule : *rules)
      FIRN_CHECK(!rule.from.empty() && !rule.to.empty());
  }
  return 0;
}
