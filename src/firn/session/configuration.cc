#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "firn/base/log.h"
#include "firn/base/suggest.h"
#include "firn/io/uri.h"
#include "firn/session/configuration_internal.h"

namespace firn {
namespace {

// Properties that tell the type of a catalog, most telling first.
constexpr std::string_view kTypeKeys[] = {"type", "catalog-impl", "spark-class"};
constexpr std::string_view kSparkPlugIns[] = {"org.apache.iceberg.spark.SparkCatalog",
                                              "org.apache.iceberg.spark.SparkSessionCatalog"};

// The file to read; empty if there is none. Errors: one that was named is missing.
Result<std::string> FindConfigFile(FileIO& io, const SessionOptions& options) {
  std::string named = options.config_path.value_or("");
  const auto variable = options.environment.find("FIRN_CONFIG");
  if (named.empty() && variable != options.environment.end()) named = variable->second;
  if (!named.empty()) {
    const std::string path = MakeAbsolute(named, options.working_folder);
    FIRN_ASSIGN(const bool exists, FileExists(io, path));
    if (exists) return path;
    return MakeError(ErrorCode::kInvalidInput, "configuration file '{}' does not exist", named);
  }
  for (const std::string& path :
       {options.working_folder + "/firn.toml", options.home_folder + "/.config/firn/firn.toml"}) {
    const auto exists = FileExists(io, path);
    if (exists.ok() && *exists) return path;
  }
  return std::string();
}

void Merge(Settings& below, Settings above) {
  for (auto& [key, setting] : above)
    below[key] = std::move(setting);
}

Status Translate(Settings& settings, std::vector<std::string>& ignored) {
  FIRN_ASSIGN(const std::vector<std::string> keys, TranslateSparkSettings(settings));
  ignored.insert(ignored.end(), keys.begin(), keys.end());
  return {};
}

bool IsSparkPlugIn(std::string_view text) {
  return std::find(std::begin(kSparkPlugIns), std::end(kSparkPlugIns), text) !=
         std::end(kSparkPlugIns);
}

// As PyIceberg guesses it from `uri`; empty if that tells nothing.
std::string GuessType(std::string_view uri) {
  if (uri.starts_with("http://") || uri.starts_with("https://")) return "rest";
  if (uri.starts_with("thrift://")) return "hive";
  if (uri.starts_with("sqlite:") || uri.starts_with("postgresql") || uri.starts_with("jdbc:")) {
    return "sql";
  }
  return "";
}

std::string TypeOf(const Properties& properties) {
  for (const std::string_view key : kTypeKeys) {
    const auto found = properties.find(key);
    if (found != properties.end() && !IsSparkPlugIn(found->second)) return found->second;
  }
  const auto uri = properties.find("uri");
  return uri == properties.end() ? "" : GuessType(uri->second);
}

CatalogConfig MakeLocalCatalog(const std::string& working_folder) {
  const std::string warehouse = MakeAbsolute("warehouse", working_folder);
  CatalogConfig config;
  config.name = kLocalCatalog;
  config.type = "sql";
  config.properties = {{"uri", "sqlite:" + LocalPath(warehouse) + "/catalog.db"},
                       {"warehouse", warehouse}};
  return config;
}

}  // namespace

std::string MakeAbsolute(const std::string& location, const std::string& working_folder) {
  const std::string scheme = UriScheme(location);
  if ((!scheme.empty() && scheme != "file") || IsAbsoluteUri(location)) return location;
  std::filesystem::path path(working_folder);
  path /= LocalPath(location);
  return "file://" + std::string(StripTrailingSlash(path.lexically_normal().string()));
}

Result<Settings> LoadSettings(const SessionOptions& options) {
  Settings settings;
  std::vector<std::string> ignored;
  const auto io = MakeLocalFileIO();
  FIRN_ASSIGN(const std::string path, FindConfigFile(*io, options));
  if (!path.empty()) {
    constexpr int64_t kBytesMax = int64_t{1} << 24;
    FIRN_ASSIGN(const Buffer text, ReadFile(*io, path, kBytesMax), "reading the configuration");
    FIRN_ASSIGN(settings, ParseTomlSettings(text.view(), LocalPath(path)));
    FIRN_RETURN_IF_ERROR(Translate(settings, ignored));
    FIRN_RETURN_IF_ERROR(
        AnchorPaths(settings, std::filesystem::path(LocalPath(path)).parent_path().string()));
  }
  FIRN_ASSIGN(Settings conf, ParseConfSettings(options.conf));
  FIRN_RETURN_IF_ERROR(Translate(conf, ignored));
  Settings known = settings;
  Merge(known, conf);
  Merge(settings, ReadEnvironmentSettings(options.environment, known));
  Merge(settings, std::move(conf));
  if (!ignored.empty()) {
    std::string list;
    for (const std::string& key : ignored)
      list += (list.empty() ? "" : ", ") + key;
    Log(LogLevel::kWarning, "settings that mean nothing to firn are ignored: {}", list);
  }
  return settings;
}

Result<std::vector<CatalogConfig>> MakeCatalogConfigs(const Settings& settings,
                                                      const std::string& working_folder) {
  std::map<std::string, Properties> catalogs;
  Properties shared;
  for (const auto& [key, setting] : settings) {
    if (const auto parts = ParseCatalogKey(key)) {
      // Catalogs of other engines have keys that firn never heard of: no error.
      if (const std::string fault = FindCatalogKeyFault(parts->key); !fault.empty()) {
        Log(LogLevel::kWarning, "{}: setting '{}' is ignored: {}", setting.origin, key, fault);
      }
      catalogs[std::string(parts->catalog)][std::string(parts->key)] = setting.value;
    } else if (key.find('.') != std::string::npos) {
      shared[key] = setting.value;
    }
  }
  std::vector<CatalogConfig> configs;
  for (auto& [name, own] : catalogs) {
    CatalogConfig config;
    config.name = name;
    const std::string text = TypeOf(own);
    const auto type = ResolveCatalogType(text);
    // An unknown type is an error when the catalog is used: others may be fine.
    config.type = type.ok() ? *type : text;
    config.properties = shared;
    for (auto& [key, value] : own)
      config.properties[key] = std::move(value);
    const auto warehouse = config.properties.find("warehouse");
    if (warehouse != config.properties.end() && !warehouse->second.empty()) {
      warehouse->second = MakeAbsolute(warehouse->second, working_folder);
    }
    configs.push_back(std::move(config));
  }
  if (!catalogs.contains(kLocalCatalog)) {
    CatalogConfig local = MakeLocalCatalog(working_folder);
    for (const auto& [key, value] : shared)
      local.properties.try_emplace(key, value);
    configs.push_back(std::move(local));
  }
  std::sort(configs.begin(), configs.end(),
            [](const CatalogConfig& a, const CatalogConfig& b) { return a.name < b.name; });
  return configs;
}

std::string FormatCatalogNames(const std::vector<CatalogConfig>& catalogs) {
  std::string names;
  for (const CatalogConfig& config : catalogs) {
    names += (names.empty() ? "'" : ", '") + config.name + "'";
  }
  return names;
}

Result<std::string> ChooseDefaultCatalog(const Settings& settings, const SessionOptions& options,
                                         const std::vector<CatalogConfig>& catalogs) {
  std::string wanted = options.catalog.value_or("");
  std::string origin = "--catalog";
  const auto setting = settings.find("default-catalog");
  if (wanted.empty() && setting != settings.end()) {
    wanted = setting->second.value;
    origin = setting->second.origin;
  }
  if (!wanted.empty()) {
    for (const CatalogConfig& config : catalogs) {
      if (config.name == wanted) return wanted;
    }
    return MakeError(ErrorCode::kInvalidInput, "{}: no catalog '{}', expected one of {}", origin,
                     wanted, FormatCatalogNames(catalogs));
  }
  std::string only;
  size_t configured = 0;
  for (const CatalogConfig& config : catalogs) {
    const bool is_configured = config.name != kLocalCatalog ||
                               std::any_of(settings.begin(), settings.end(), [](const auto& entry) {
                                 const auto parts = ParseCatalogKey(entry.first);
                                 return parts && parts->catalog == kLocalCatalog;
                               });
    if (!is_configured) continue;
    ++configured;
    only = config.name;
  }
  return configured == 1 ? only : std::string(kLocalCatalog);
}

}  // namespace firn
