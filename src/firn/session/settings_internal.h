#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

/// Settings as one flat list of dotted keys, whatever they were written in.

namespace firn {

struct Setting {
  std::string value;
  std::string origin;  ///< For messages: "firn.toml line 3", "FIRN_MEMORY", "--conf".
};

/// Keys: "default-catalog", "memory", "threads", "catalog.NAME.KEY", and what all catalogs share
/// ("io.rewrite-prefix", "s3.endpoint", "client.region", ...).
using Settings = std::map<std::string, Setting, std::less<>>;

/// "catalog.NAME.KEY" taken apart.
struct CatalogKey {
  std::string_view catalog;
  std::string_view key;
};
std::optional<CatalogKey> ParseCatalogKey(std::string_view key);

/// Errors: kInvalidInput for a key that firn does not know, with those it does.
Status CheckSettingKey(std::string_view key, std::string_view origin);

/// Read a TOML file; tables flatten to dotted keys, lists to text with commas. `name` is the file
/// as messages call it. Errors: kInvalidInput with file and line.
Result<Settings> ParseTomlSettings(std::string_view text, std::string_view name);

/// "FIRN_CATALOG__LAKE__S3__ENDPOINT": `__` is '.', '_' is '-' or '_', case is free. A name is
/// matched with those in `known` and with the keys that firn has; other variables are ignored.
Settings ReadEnvironmentSettings(const std::map<std::string, std::string>& environment,
                                 const Settings& known);

/// `--conf k=v`, where one value may hold more of them: "a=b --conf c=d". Errors: kInvalidInput.
Result<Settings> ParseConfSettings(const std::vector<std::string>& conf);

/// Why a key below `catalog.NAME.` means nothing to firn, with those that do and the one that was
/// probably meant; empty if it means something, here or to other engines.
std::string FindCatalogKeyFault(std::string_view key);

/// Replace Spark's keys by ours: `spark.sql.catalog.NAME.KEY`, `spark.sql.catalog.NAME` (a class),
/// `spark.sql.defaultCatalog`. Returns the other `spark.*` keys, which are dropped. Errors:
/// kInvalidInput: a key that decides what is written, and is an argument of firn's commands.
Result<std::vector<std::string>> TranslateSparkSettings(Settings& settings);

/// "1GiB", "512 MB", "1048576": bytes. Errors: kInvalidInput.
Result<int64_t> ParseByteSize(std::string_view text);

}  // namespace firn
