#include "firn/catalog/pointer_catalog.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "firn/base/retry.h"
#include "firn/catalog/commit_check.h"
#include "firn/catalog/commit_steps_internal.h"
#include "firn/catalog/metadata_cache_internal.h"
#include "firn/catalog/metadata_files_internal.h"
#include "firn/catalog/staged_table.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

// Whether there is metadata of a table below `location`, besides the file `own`.
Result<bool> HoldsTable(FileIO& io, const std::string& location, std::string_view own = {}) {
  const Error found(ErrorCode::kAlreadyExists, "metadata");
  const Status listed = io.List(JoinUri(location, "metadata"), [&](const FileInfo& info) -> Status {
    const bool is_other = info.uri.ends_with(".metadata.json") &&
                          (own.empty() || UriFileName(info.uri) != UriFileName(own));
    return is_other ? Status(found) : Status();
  });
  if (listed.ok()) return false;
  if (listed.error().code() == ErrorCode::kNotFound) return false;
  if (listed.error().code() == found.code()) return true;
  return listed.error();
}

// The table exists; only callers that are told so do not try to make it.
Error MissingMetadata(const TableName& name, const std::string& location) {
  return MakeError(ErrorCode::kCorrupt,
                   "loading table '{}': the catalog has it, but its metadata file '{}' is missing; "
                   "put the file back, or drop the table without purge and register another "
                   "metadata file of it",
                   FormatTableName(name), location);
}

enum class Outcome { kCommitted, kNotYet, kLost, kUnknown };

class PointerCatalog final : public Catalog, public TableStager, public CommitChecker {
 public:
  PointerCatalog(CatalogConfig config, std::unique_ptr<PointerStore> store)
      : config_(std::move(config)), store_(std::move(store)) {}

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    return store_->ListNamespaces(parent);
  }
  Status CreateNamespace(const Namespace& levels, const Properties& properties) override {
    FIRN_RETURN_IF_ERROR(CheckNewName({levels, "t"}));
    return store_->CreateNamespace(levels, properties);
  }
  Status DropNamespace(const Namespace& levels) override { return store_->DropNamespace(levels); }
  Result<Properties> LoadNamespace(const Namespace& levels) override {
    return store_->LoadNamespace(levels);
  }
  Status UpdateNamespace(const Namespace& levels, const Properties& updates,
                         std::span<const std::string> removals) override {
    return store_->UpdateNamespace(levels, updates, removals);
  }
  Result<std::vector<TableName>> ListTables(const Namespace& levels) override {
    return store_->ListTables(levels);
  }

  Result<Table> Load(const TableName& name) override;
  Result<Table> Create(const TableName& name, const CreateTableRequest& request) override;
  Result<Table> Commit(const TableName& name, std::span<const TableRequirement> requirements,
                       std::span<const TableUpdate> updates) override;
  Result<StagedTable> Stage(const TableName& name, const CreateTableRequest& request) override;
  Status CheckCanCommit(const Table& table) override;
  Result<Table> Register(const TableName& name, const std::string& metadata_location) override;
  Status Rename(const TableName& from, const TableName& to) override;
  Status Drop(const TableName& name, DropFiles files) override;

 private:
  Status CheckNewTable(const TableName& name);
  Result<std::string> DefaultLocation(const TableName& name);
  Status CheckAlone(const TableName& name, const std::string& location,
                    const std::string& metadata_location);
  Result<Table> MakeTable(const TableName& name, TableMetadataPtr metadata, bool is_own_place);
  Result<Table> Insert(const TableName& name, TableMetadataPtr metadata, std::string location);
  Result<Table> CommitOnce(const TableName& name, const Table& base,
                           std::span<const TableUpdate> updates);
  Status Swap(const TableName& name, const Table& base, const Table& next);
  Result<Outcome> FindOutcome(const TableName& name, const std::string& base,
                              const std::string& next);

  const CatalogConfig config_;
  const std::unique_ptr<PointerStore> store_;
  MetadataCache cache_;
};

Result<Table> PointerCatalog::Load(const TableName& name) {
  for (std::string missing;;) {
    FIRN_ASSIGN(const std::string location, store_->FindTable(name));
    auto metadata = cache_.Load(*config_.io, location);
    if (metadata.ok()) return Table{name, location, *std::move(metadata), config_.io};
    // Other writers may have gone on, and deleted it, after it was found.
    const bool is_gone = metadata.error().code() == ErrorCode::kNotFound;
    if (is_gone && location == missing) return MissingMetadata(name, location);
    if (!is_gone) {
      return metadata.error().Within(fmt::format("loading table '{}'", FormatTableName(name)));
    }
    missing = location;
  }
}

Status PointerCatalog::CheckNewTable(const TableName& name) {
  FIRN_RETURN_IF_ERROR(CheckNewName(name));
  FIRN_ASSIGN(const bool has_namespace, store_->HasNamespace(name.levels));
  if (!has_namespace || name.levels.empty()) {
    return MakeError(ErrorCode::kNotFound, "table '{}': namespace '{}' does not exist",
                     FormatTableName(name), FormatNamespace(name.levels));
  }
  const auto taken = store_->FindTable(name);
  if (taken.ok()) {
    return MakeError(ErrorCode::kAlreadyExists, "table '{}' already exists", FormatTableName(name));
  }
  if (taken.error().code() != ErrorCode::kNotFound) return taken.error();
  return {};
}

Result<std::string> PointerCatalog::DefaultLocation(const TableName& name) {
  std::string location;
  FIRN_ASSIGN(const Properties properties, store_->LoadNamespace(name.levels));
  const auto own = properties.find("location");
  const auto warehouse = config_.properties.find("warehouse");
  if (own != properties.end()) {
    location = own->second;
  } else if (warehouse != config_.properties.end()) {
    location = warehouse->second;
    for (const std::string& level : name.levels)
      location = JoinUri(location, level);
  } else {
    return MakeError(ErrorCode::kInvalidInput,
                     "table '{}' needs a location: neither the catalog has a 'warehouse' nor the "
                     "namespace a 'location'",
                     FormatTableName(name));
  }
  location = JoinUri(location, name.name);
  const auto unique = config_.properties.find("unique-table-location");
  const bool is_unique = unique != config_.properties.end() && unique->second == "true";
  return is_unique ? location + "-" + FormatUuid(MakeUuid(*config_.random)) : location;
}

Result<StagedTable> PointerCatalog::Stage(const TableName& name,
                                          const CreateTableRequest& request) {
  FIRN_RETURN_IF_ERROR(CheckNewTable(name));
  CreateTableRequest complete = request;
  const bool is_default = complete.location.empty();
  if (is_default) {
    FIRN_ASSIGN(complete.location, DefaultLocation(name));
  }
  FIRN_ASSIGN(const bool is_taken, HoldsTable(*config_.io, complete.location));
  if (is_taken && !is_default) {
    return MakeError(ErrorCode::kAlreadyExists,
                     "table '{}': '{}' holds the metadata of a table already; two tables in one "
                     "folder would delete each other's files; choose another location, or register "
                     "the table that is there",
                     FormatTableName(name), complete.location);
  }
  // A table that was renamed, or dropped without its files, stays where it is.
  if (is_taken) complete.location += "-" + FormatUuid(MakeUuid(*config_.random));
  StagedTable staged;
  FIRN_ASSIGN(staged.creation, PlanNewTable(std::move(complete), config_), "creating table '{}'",
              FormatTableName(name));
  FIRN_ASSIGN(staged.table.metadata, MakeOfNothing(staged.creation, config_), "creating table '{}'",
              FormatTableName(name));
  staged.table.name = name;
  staged.table.io = config_.io;
  return staged;
}

Status PointerCatalog::CheckCanCommit(const Table& table) {
  FIRN_RETURN_IF_ERROR(MetadataCodecSuffix(*table.metadata), "table '{}'",
                       FormatTableName(table.name));
  return store_->CheckWritable();
}

Result<Table> PointerCatalog::Create(const TableName& name, const CreateTableRequest& request) {
  FIRN_ASSIGN(const StagedTable staged, Stage(name, request));
  // A place that comes with the name is that of nobody else.
  return MakeTable(name, staged.table.metadata, request.location.empty());
}

// Each of two that make tables in one folder at once has written its file before it looks, so that
// one of them at least sees the other.
Status PointerCatalog::CheckAlone(const TableName& name, const std::string& location,
                                  const std::string& metadata_location) {
  FIRN_ASSIGN(const bool is_shared, HoldsTable(*config_.io, location, metadata_location));
  if (!is_shared) return {};
  return MakeError(ErrorCode::kAlreadyExists,
                   "table '{}': another table was made in '{}' at the same time; two tables in one "
                   "folder would delete each other's files; look at it and try again",
                   FormatTableName(name), location);
}

// Write the first metadata file and name it.
Result<Table> PointerCatalog::MakeTable(const TableName& name, TableMetadataPtr metadata,
                                        bool is_own_place) {
  FIRN_ASSIGN(std::string location, NewMetadataLocation(*metadata, "", *config_.random));
  FIRN_RETURN_IF_ERROR(WriteNewMetadata(*config_.io, location, *metadata));
  const Status alone = is_own_place ? Status() : CheckAlone(name, metadata->location, location);
  if (!alone.ok()) {
    DiscardMetadata(*config_.io, location);
    return alone.error();
  }
  const auto inserted = Insert(name, std::move(metadata), location);
  if (!inserted.ok() && inserted.error().code() != ErrorCode::kCommitUnknown) {
    DiscardMetadata(*config_.io, location);
  }
  return inserted;
}

Result<Table> PointerCatalog::Register(const TableName& name,
                                       const std::string& metadata_location) {
  FIRN_RETURN_IF_ERROR(CheckNewTable(name));
  FIRN_ASSIGN(auto metadata, cache_.Load(*config_.io, metadata_location), "registering table '{}'",
              FormatTableName(name));
  return Insert(name, std::move(metadata), metadata_location);
}

// Make the row of a new table.
Result<Table> PointerCatalog::Insert(const TableName& name, TableMetadataPtr metadata,
                                     std::string location) {
  const RetryPolicy check = StatusCheckPolicy(*metadata);
  for (int attempt = 0;; ++attempt) {
    const Status inserted = store_->InsertTable(name, location);
    if (inserted.ok()) break;
    // The row that is there may be the one whose answer got lost, or somebody finished the work.
    if (inserted.error().code() == ErrorCode::kAlreadyExists) {
      const auto found = store_->FindTable(name);
      if (found.ok() && *found == location) break;
      return inserted.error();
    }
    if (inserted.error().code() != ErrorCode::kCommitUnknown || attempt >= check.retry_count_max) {
      return inserted.error();
    }
    FIRN_RETURN_IF_ERROR(WaitBeforeRetry(check, attempt + 1, config_));
  }
  cache_.Add(location, metadata);
  return Table{name, std::move(location), std::move(metadata), config_.io};
}

Result<Table> PointerCatalog::Commit(const TableName& name,
                                     std::span<const TableRequirement> requirements,
                                     std::span<const TableUpdate> updates) {
  if (CreatesTable(requirements)) {
    FIRN_RETURN_IF_ERROR(CheckNewTable(name));
    FIRN_ASSIGN(auto metadata, MakeOfNothing(updates, config_), "creating table '{}'",
                FormatTableName(name));
    return MakeTable(name, std::move(metadata), /*is_own_place=*/false);
  }
  for (int attempt = 0;; ++attempt) {
    FIRN_ASSIGN(const Table base, Load(name));
    FIRN_RETURN_IF_ERROR(CheckRequirements(base.metadata.get(), requirements), "table '{}'",
                         FormatTableName(name));
    auto committed = CommitOnce(name, base, updates);
    if (committed.ok() || committed.error().code() != ErrorCode::kCommitConflict) return committed;
    // Another writer came first. If the requirements hold for its state as well, ours still can.
    FIRN_ASSIGN(const RetryPolicy policy, CommitRetryPolicy(*base.metadata));
    if (attempt >= policy.retry_count_max) return committed;
    FIRN_RETURN_IF_ERROR(WaitBeforeRetry(policy, attempt + 1, config_));
  }
}

Result<Table> PointerCatalog::CommitOnce(const TableName& name, const Table& base,
                                         std::span<const TableUpdate> updates) {
  FIRN_ASSIGN(auto metadata, BuildNextMetadata(base, updates, config_), "table '{}'",
              FormatTableName(name));
  if (!metadata) return base;
  FIRN_ASSIGN(std::string location,
              NewMetadataLocation(*metadata, base.metadata_location, *config_.random));
  FIRN_RETURN_IF_ERROR(WriteNewMetadata(*config_.io, location, *metadata));
  Table next{name, std::move(location), std::move(metadata), config_.io};
  const Status swapped = Swap(name, base, next);
  if (swapped.ok()) {
    cache_.Add(next.metadata_location, next.metadata);
    DeleteDroppedMetadata(*config_.io, *base.metadata, *next.metadata);
    return next;
  }
  if (swapped.error().code() != ErrorCode::kCommitUnknown) {
    DiscardMetadata(*config_.io, next.metadata_location);
  }
  return swapped.error();
}

// Move the row, and find out what became of it if the store did not say.
Status PointerCatalog::Swap(const TableName& name, const Table& base, const Table& next) {
  Status swapped = store_->SwapTable(name, base.metadata_location, next.metadata_location);
  if (swapped.ok() || swapped.error().code() != ErrorCode::kCommitUnknown) return swapped;
  const RetryPolicy check = StatusCheckPolicy(*base.metadata);
  for (int attempt = 1; attempt <= check.retry_count_max; ++attempt) {
    if (!WaitBeforeRetry(check, attempt, config_).ok()) break;
    const auto outcome = FindOutcome(name, base.metadata_location, next.metadata_location);
    if (!outcome.ok() || *outcome == Outcome::kUnknown) continue;
    if (*outcome == Outcome::kCommitted) return {};
    if (*outcome == Outcome::kLost) {
      return MakeError(ErrorCode::kCommitConflict, "table '{}': another writer came first",
                       FormatTableName(name));
    }
    // A first try that is still on its way can then no longer move the row.
    swapped = store_->SwapTable(name, base.metadata_location, next.metadata_location);
    if (swapped.ok()) return {};
  }
  return MakeError(ErrorCode::kCommitUnknown,
                   "table '{}': the move from '{}' to '{}' may have happened, and the catalog does "
                   "not tell: {}; look at the table before trying again",
                   FormatTableName(name), base.metadata_location, next.metadata_location,
                   swapped.error().message());
}

Result<Outcome> PointerCatalog::FindOutcome(const TableName& name, const std::string& base,
                                            const std::string& next) {
  FIRN_ASSIGN(const std::string location, store_->FindTable(name));
  if (location == next) return Outcome::kCommitted;
  if (location == base) return Outcome::kNotYet;
  FIRN_ASSIGN(const auto metadata, cache_.Load(*config_.io, location));
  const auto& log = metadata->metadata_log;
  const auto is_logged = [&log](const std::string& file) {
    return std::any_of(log.begin(), log.end(), [&file](const MetadataLogEntry& entry) {
      return entry.metadata_file == file;
    });
  };
  if (is_logged(next)) return Outcome::kCommitted;
  // While the log still holds `base`, it holds everything that followed; else ours may have been
  // trimmed from it.
  return is_logged(base) ? Outcome::kLost : Outcome::kUnknown;
}

Status PointerCatalog::Rename(const TableName& from, const TableName& to) {
  FIRN_RETURN_IF_ERROR(store_->FindTable(from));
  FIRN_RETURN_IF_ERROR(CheckNewTable(to));
  return store_->RenameTable(from, to);
}

Status PointerCatalog::Drop(const TableName& name, DropFiles) { return store_->DeleteTable(name); }

}  // namespace

std::unique_ptr<Catalog> MakePointerCatalog(CatalogConfig config,
                                            std::unique_ptr<PointerStore> store) {
  return std::make_unique<PointerCatalog>(std::move(config), std::move(store));
}

}  // namespace firn
