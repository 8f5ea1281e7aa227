#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firn/base/number.h"
#include "firn/base/suggest.h"
#include "firn/base/text.h"
#include "firn/session/settings_internal.h"

namespace firn {
namespace {

constexpr std::string_view kCatalogPrefix = "catalog.";
constexpr std::string_view kSparkPrefix = "spark.";
// What all catalogs inherit.
constexpr std::string_view kSharedPrefixes[] = {"client.", "http.", "io.", "s3."};

// Those that firn reads, below `catalog.NAME.`.
const std::vector<std::string>& CatalogKeys() {
  static const std::vector<std::string> kKeys = {"type",
                                                 "uri",
                                                 "warehouse",
                                                 "catalog-impl",
                                                 "catalog-name",
                                                 "unique-table-location",
                                                 "io.rewrite-prefix",
                                                 "jdbc.init-catalog-tables",
                                                 "jdbc.options",
                                                 "jdbc.password",
                                                 "jdbc.schema-version",
                                                 "jdbc.sslcert",
                                                 "jdbc.sslkey",
                                                 "jdbc.sslmode",
                                                 "jdbc.sslrootcert",
                                                 "jdbc.user"};
  return kKeys;
}
constexpr std::string_view kOpenPrefixes[] = {"table-default.", "table-override."};

// Those that other engines read from the same configuration.
constexpr std::string_view kForeignKeys[] = {"spark-class",
                                             "io-impl",
                                             "lock-impl",
                                             "metrics-reporter-impl",
                                             "cache-enabled",
                                             "cache.",
                                             "default-namespace",
                                             "scope",
                                             "token",
                                             "credential",
                                             "oauth2-server-uri",
                                             "prefix",
                                             "clients",
                                             "client.",
                                             "http-client.",
                                             "http.",
                                             "io.",
                                             "s3.",
                                             "glue.",
                                             "lock.",
                                             "header.",
                                             "rest.",
                                             "dynamodb.",
                                             "hadoop.",
                                             "gcs.",
                                             "adls.",
                                             "view-",
                                             "py-",
                                             "pool_",
                                             "init_catalog_tables",
                                             "echo",
                                             "jdbc."};

const std::vector<std::string>& OwnKeys() {
  static const std::vector<std::string> kKeys = {"default-catalog", "io.rewrite-prefix", "memory",
                                                 "threads"};
  return kKeys;
}

}  // namespace

std::optional<CatalogKey> ParseCatalogKey(std::string_view key) {
  if (!key.starts_with(kCatalogPrefix)) return std::nullopt;
  key.remove_prefix(kCatalogPrefix.size());
  const size_t dot = key.find('.');
  if (dot == 0 || dot == std::string_view::npos || dot + 1 == key.size()) return std::nullopt;
  return CatalogKey{key.substr(0, dot), key.substr(dot + 1)};
}

Status CheckSettingKey(std::string_view key, std::string_view origin) {
  if (key.starts_with(kSparkPrefix) || ParseCatalogKey(key)) return {};
  for (const std::string_view prefix : kSharedPrefixes) {
    if (key.starts_with(prefix)) return {};
  }
  std::string known;
  for (const std::string& own : OwnKeys()) {
    if (own == key) return {};
    known += own + ", ";
  }
  const auto near = SuggestName(key, OwnKeys());
  return MakeError(ErrorCode::kInvalidInput,
                   "{}: unknown setting '{}', expected one of {}catalog.NAME.KEY{}", origin, key,
                   known, near ? "; did you mean '" + *near + "'?" : std::string());
}

std::string FindCatalogKeyFault(std::string_view key) {
  const std::vector<std::string>& known = CatalogKeys();
  if (std::find(known.begin(), known.end(), key) != known.end()) return {};
  for (const std::string_view prefix : kOpenPrefixes) {
    if (key.starts_with(prefix)) return {};
  }
  const auto near = SuggestName(key, known);
  for (const std::string_view foreign : kForeignKeys) {
    const bool is_prefix = std::string_view(".-_").find(foreign.back()) != std::string_view::npos;
    const bool is_meant = is_prefix ? key.starts_with(foreign) : key == foreign;
    if (is_meant && !(near && key.starts_with("jdbc."))) return {};
  }
  return fmt::format("no catalog has '{}'{}; keys of catalogs are {}, {}KEY", key,
                     near ? " (did you mean '" + *near + "'?)" : std::string(),
                     fmt::join(known, ", "), fmt::join(kOpenPrefixes, "KEY, "));
}

Result<Settings> ParseConfSettings(const std::vector<std::string>& conf) {
  constexpr std::string_view kFlag = "--conf";
  Settings settings;
  for (const std::string& argument : conf) {
    std::string_view rest = argument;
    while (!rest.empty()) {
      // The next " --conf " starts another setting.
      size_t end = rest.find(kFlag);
      while (end != std::string_view::npos &&
             (end == 0 || rest[end - 1] != ' ' || end + kFlag.size() >= rest.size() ||
              (rest[end + kFlag.size()] != ' ' && rest[end + kFlag.size()] != '='))) {
        end = rest.find(kFlag, end + 1);
      }
      const std::string_view one = TrimText(rest.substr(0, end));
      rest = end == std::string_view::npos ? "" : rest.substr(end + kFlag.size() + 1);
      const size_t equals = one.find('=');
      if (equals == std::string_view::npos || equals == 0) {
        return MakeError(ErrorCode::kInvalidInput, "--conf is '{}', expected KEY=VALUE", one);
      }
      const std::string key(TrimText(one.substr(0, equals)));
      FIRN_RETURN_IF_ERROR(CheckSettingKey(key, "--conf"));
      settings[key] = {std::string(TrimText(one.substr(equals + 1))), "--conf"};
    }
  }
  return settings;
}

Result<int64_t> ParseByteSize(std::string_view text) {
  const std::string_view trimmed = TrimText(text);
  size_t digits = 0;
  while (digits < trimmed.size() && trimmed[digits] >= '0' && trimmed[digits] <= '9')
    ++digits;
  const auto number = ParseInt64(trimmed.substr(0, digits));
  const std::string unit = LowerAscii(TrimText(trimmed.substr(digits)));
  constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"", 1},
      {"b", 1},
      {"kb", 1'000},
      {"mb", 1'000'000},
      {"gb", 1'000'000'000},
      {"tb", 1'000'000'000'000},
      {"k", 1LL << 10},
      {"m", 1LL << 20},
      {"g", 1LL << 30},
      {"t", 1LL << 40},
      {"kib", 1LL << 10},
      {"mib", 1LL << 20},
      {"gib", 1LL << 30},
      {"tib", 1LL << 40},
  };
  for (const auto& [name, factor] : kUnits) {
    if (number && unit == name && *number <= std::numeric_limits<int64_t>::max() / factor) {
      return *number * factor;
    }
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "size is '{}', expected bytes with an optional unit, such as 512MiB or 2GB",
                   text);
}

}  // namespace firn
