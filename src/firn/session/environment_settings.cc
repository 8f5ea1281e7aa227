#include <set>
#include <string>

#include "firn/base/text.h"
#include "firn/session/settings_internal.h"

namespace firn {
namespace {

constexpr std::string_view kPrefix = "FIRN_";

// Keys of catalogs and files whose spelling is not lower case with dashes, or is worth pinning.
constexpr std::string_view kKnownKeys[] = {
    "default-catalog",
    "memory",
    "threads",
    "io.rewrite-prefix",
    "type",
    "uri",
    "warehouse",
    "catalog-name",
    "catalog-impl",
    "io-impl",
    "jdbc.user",
    "jdbc.password",
    "jdbc.schema-version",
    "s3.endpoint",
    "s3.access-key-id",
    "s3.secret-access-key",
    "s3.session-token",
    "s3.path-style-access",
    "client.region",
    "glue.skip-archive",
    "lock-impl",
    "lock.table",
};

// Lower case, with '-' for '_' : two spellings of one name are equal in this form.
std::string Fold(std::string_view text) { return ReplaceText(LowerAscii(text), "_", "-"); }

class NameMatcher {
 public:
  explicit NameMatcher(const Settings& known) {
    for (const std::string_view key : kKnownKeys)
      keys_.emplace(key);
    for (const auto& [key, setting] : known) {
      const auto parts = ParseCatalogKey(key);
      if (parts) catalogs_.emplace(parts->catalog);
      keys_.emplace(parts ? parts->key : std::string_view(key));
    }
  }
  std::string Catalog(std::string_view name) const { return Match(catalogs_, name); }
  std::string Key(std::string_view name) const { return Match(keys_, name); }
  bool IsKnown(std::string_view name) const {
    return keys_.contains(Key(name)) && CheckSettingKey(Key(name), "").ok();
  }

 private:
  static std::string Match(const std::set<std::string>& names, std::string_view name) {
    const std::string folded = Fold(name);
    for (const std::string& candidate : names) {
      if (Fold(candidate) == folded) return candidate;
    }
    return folded;
  }
  std::set<std::string> catalogs_;
  std::set<std::string> keys_;
};

}  // namespace

Settings ReadEnvironmentSettings(const std::map<std::string, std::string>& environment,
                                 const Settings& known) {
  const NameMatcher names(known);
  Settings settings;
  for (const auto& [variable, value] : environment) {
    if (!variable.starts_with(kPrefix)) continue;
    const std::string dotted =
        ReplaceText(std::string_view(variable).substr(kPrefix.size()), "__", ".");
    const std::string folded = Fold(dotted);
    if (const auto parts = ParseCatalogKey(folded)) {
      const std::string key =
          "catalog." + names.Catalog(parts->catalog) + "." + names.Key(parts->key);
      settings[key] = {value, variable};
    } else if (names.IsKnown(folded) ||
               (dotted.find('.') != std::string::npos && CheckSettingKey(folded, variable).ok())) {
      settings[names.Key(folded)] = {value, variable};
    }
  }
  return settings;
}

}  // namespace firn
