#include "firn/session/session.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "firn/base/number.h"
#include "firn/base/suggest.h"
#include "firn/io/uri.h"
#include "firn/session/configuration_internal.h"
#include "firn/session/name_resolution_internal.h"

namespace firn {
namespace {

constexpr int64_t kDefaultMemoryBytes = int64_t{1} << 30;
constexpr int64_t kLeastMemoryBytes = int64_t{16} << 20;
constexpr int64_t kMostThreads = 1024;

class OwnSession final : public Session {
 public:
  OwnSession(std::vector<CatalogConfig> catalogs, std::string default_catalog, int64_t memory_bytes,
             size_t threads, const SessionOptions& options, CancelToken cancel)
      : catalogs_(std::move(catalogs)),
        default_catalog_(std::move(default_catalog)),
        budget_(memory_bytes),
        threads_(threads),
        working_folder_(options.working_folder),
        clock_(options.clock != nullptr ? *options.clock : SystemClock()),
        random_(options.random != nullptr ? *options.random : SystemRandom()),
        cancel_(std::move(cancel)) {}

  /// Give each catalog its files. Errors: kInvalidInput.
  Status OpenFiles();

  Clock& clock() override { return clock_; }
  Random& random() override { return random_; }
  Executor& executor() override {
    std::call_once(executor_once_, [this] { executor_ = MakeThreadPool(threads_); });
    return *executor_;
  }
  MemoryBudget& budget() override { return budget_; }
  std::shared_ptr<FileIO> io() override { return DefaultConfig().io; }
  CancelToken cancel() override { return cancel_; }
  std::string AbsoluteLocation(std::string_view text) const override {
    return MakeAbsolute(std::string(text), working_folder_);
  }
  std::vector<CatalogConfig> catalogs() const override { return catalogs_; }
  const std::string& default_catalog() const override { return default_catalog_; }

  Result<std::shared_ptr<Catalog>> OpenCatalogNamed(const std::string& name) override;
  Result<TableReference> ResolveTable(std::string_view text) override;
  Result<TableReference> ResolveLocation(std::string_view text) override;
  Result<TableReference> ResolveNewTable(std::string_view text) override;
  Result<NamespaceReference> ResolveNamespace(std::string_view text) override {
    return ResolveNamespaceName(*this, text);
  }

 private:
  const CatalogConfig& DefaultConfig() const {
    return *std::find_if(catalogs_.begin(), catalogs_.end(), [this](const CatalogConfig& config) {
      return config.name == default_catalog_;
    });
  }
  std::string RecordedLocation(std::string_view text) const;

  std::vector<CatalogConfig> catalogs_;
  const std::string default_catalog_;
  MemoryBudget budget_;
  const size_t threads_;
  const std::string working_folder_;
  Clock& clock_;
  Random& random_;
  const CancelToken cancel_;
  std::vector<PrefixRule> rules_;  // Of the default catalog's files.
  std::once_flag executor_once_;
  std::unique_ptr<Executor> executor_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Catalog>> open_catalogs_;
};

Status OwnSession::OpenFiles() {
  const auto registry = MakeSchemeRegistry();
  registry->Register("file", MakeLocalFileIO(random_));
  registry->Register("memory", MakeMemoryFileIO(clock_));
  const std::shared_ptr<FileIO> files = registry->Make();
  for (CatalogConfig& config : catalogs_) {
    std::vector<PrefixRule> rules;
    const auto text = config.properties.find("io.rewrite-prefix");
    if (text != config.properties.end()) {
      FIRN_ASSIGN(rules, ParsePrefixRules(text->second), "catalog '{}'", config.name);
    }
    for (PrefixRule& rule : rules)
      rule.to = MakeAbsolute(rule.to, working_folder_);
    if (config.name == default_catalog_) rules_ = rules;
    config.io = MakePrefixFileIO(files, std::move(rules));
    config.clock = &clock_;
    config.random = &random_;
  }
  return {};
}

Result<std::shared_ptr<Catalog>> OwnSession::OpenCatalogNamed(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto open = open_catalogs_.find(name);
  if (open != open_catalogs_.end()) return open->second;
  for (const CatalogConfig& config : catalogs_) {
    if (config.name != name) continue;
    FIRN_ASSIGN(std::shared_ptr<Catalog> catalog, OpenCatalog(config));
    open_catalogs_[name] = catalog;
    return catalog;
  }
  return MakeError(ErrorCode::kInvalidInput, "no catalog '{}', expected one of {}", name,
                   FormatCatalogNames(catalogs_));
}

// The recorded text for a location argument: relative paths become absolute, and a path below the
// new place of a prefix rule is known to metadata by its old one.
std::string OwnSession::RecordedLocation(std::string_view text) const {
  const std::string location = MakeAbsolute(std::string(text), working_folder_);
  const std::string key = CanonicalUriKey(StripTrailingSlash(location));
  for (const PrefixRule& rule : rules_) {
    const std::string to = CanonicalUriKey(StripTrailingSlash(rule.to));
    if (key == to) return rule.from;
    if (key.starts_with(to + "/")) return JoinUri(rule.from, key.substr(to.size() + 1));
  }
  return location;
}

Result<TableReference> OwnSession::ResolveTable(std::string_view text) {
  return IsLocation(text) ? ResolveLocation(text) : ResolveTableName(*this, text);
}

Result<TableReference> OwnSession::ResolveLocation(std::string_view text) {
  TableReference reference;
  reference.location = RecordedLocation(text);
  FIRN_ASSIGN(reference.table, LoadTableAt(io(), reference.location));
  reference.name = reference.table.name;
  if (reference.table.metadata_location == reference.location) return reference;
  FIRN_ASSIGN(const bool can_change, IsTableFolder(*io(), reference.location));
  if (can_change) reference.catalog = OpenTableFolder(DefaultConfig(), reference.location);
  return reference;
}

Result<TableReference> OwnSession::ResolveNewTable(std::string_view text) {
  if (!IsLocation(text)) return ResolveNewTableName(*this, text);
  return MakeError(ErrorCode::kInvalidInput, "'{}' is a location, expected the name of a table",
                   text);
}

Result<int64_t> ChooseMemory(const Settings& settings, const SessionOptions& options) {
  int64_t bytes = options.memory_bytes.value_or(kDefaultMemoryBytes);
  std::string origin = "--memory";
  const auto setting = settings.find("memory");
  if (!options.memory_bytes && setting != settings.end()) {
    origin = setting->second.origin;
    FIRN_ASSIGN(bytes, ParseByteSize(setting->second.value), "{}: memory", origin);
  }
  if (bytes >= kLeastMemoryBytes) return bytes;
  return MakeError(ErrorCode::kInvalidInput, "{}: memory is {} bytes, expected at least 16MiB",
                   origin, bytes);
}

Result<size_t> ChooseThreads(const Settings& settings, const SessionOptions& options) {
  std::optional<int64_t> threads = options.threads;
  std::string text = threads ? std::to_string(*threads) : "";
  const auto setting = settings.find("threads");
  if (!threads && setting != settings.end()) {
    text = setting->second.value;
    threads = ParseInt64(text);
  }
  if (text.empty()) return size_t{0};
  if (threads && *threads >= 1 && *threads <= kMostThreads) return static_cast<size_t>(*threads);
  return MakeError(ErrorCode::kInvalidInput, "threads is '{}', expected 1 to {}", text,
                   kMostThreads);
}

}  // namespace

Result<std::unique_ptr<Session>> OpenSession(const SessionOptions& options, CancelToken cancel) {
  FIRN_ASSIGN(const Settings settings, LoadSettings(options));
  FIRN_ASSIGN(auto catalogs, MakeCatalogConfigs(settings, options.working_folder));
  FIRN_ASSIGN(std::string default_catalog, ChooseDefaultCatalog(settings, options, catalogs));
  FIRN_ASSIGN(const int64_t memory, ChooseMemory(settings, options));
  FIRN_ASSIGN(const size_t threads, ChooseThreads(settings, options));
  auto session = std::make_unique<OwnSession>(std::move(catalogs), std::move(default_catalog),
                                              memory, threads, options, std::move(cancel));
  FIRN_RETURN_IF_ERROR(session->OpenFiles());
  return session;
}

}  // namespace firn
