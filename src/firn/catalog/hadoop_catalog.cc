#include <algorithm>
#include <utility>

#include "firn/catalog/commit_check.h"
#include "firn/catalog/commit_steps_internal.h"
#include "firn/catalog/hadoop_layout_internal.h"
#include "firn/catalog/metadata_files_internal.h"
#include "firn/catalog/registry_internal.h"
#include "firn/catalog/staged_table.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

// Folders below a warehouse: one with table metadata is a table, any other is a namespace. A
// commit creates the file of the next version, which fails if it exists.
class HadoopCatalog final : public Catalog, public TableStager, public CommitChecker {
 public:
  // With `fixed_folder` set, every name means the table there.
  HadoopCatalog(CatalogConfig config, std::string warehouse, std::string fixed_folder)
      : config_(std::move(config)),
        warehouse_(std::move(warehouse)),
        fixed_folder_(std::move(fixed_folder)) {}

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override;
  Status CreateNamespace(const Namespace& levels, const Properties& properties) override;
  Status DropNamespace(const Namespace& levels) override;
  Result<Properties> LoadNamespace(const Namespace& levels) override;
  Status UpdateNamespace(const Namespace& levels, const Properties& updates,
                         std::span<const std::string> removals) override;
  Result<std::vector<TableName>> ListTables(const Namespace& levels) override;
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
  struct Child {
    std::string name;
    bool is_table = false;
  };
  std::string FolderOf(const Namespace& levels) const;
  std::string FolderOf(const TableName& name) const;
  Status CheckNamespace(const Namespace& levels);
  Result<std::vector<Child>> ListChildren(const Namespace& levels);
  Result<HadoopVersion> FindTable(const TableName& name);
  Result<Table> MakeTable(const TableName& name, TableMetadataPtr metadata);
  Result<Table> CommitOnce(const Table& base, std::span<const TableUpdate> updates);
  Status CheckStillCounts(const Table& base, const std::string& location);
  Status CheckLocation(const TableName& name, const TableMetadata& metadata) const;

  const CatalogConfig config_;
  const std::string warehouse_;
  const std::string fixed_folder_;
};

std::string HadoopCatalog::FolderOf(const Namespace& levels) const {
  std::string folder = warehouse_;
  for (const std::string& level : levels)
    folder = JoinUri(folder, level);
  return folder;
}

std::string HadoopCatalog::FolderOf(const TableName& name) const {
  return fixed_folder_.empty() ? JoinUri(FolderOf(name.levels), name.name) : fixed_folder_;
}

Result<std::vector<HadoopCatalog::Child>> HadoopCatalog::ListChildren(const Namespace& levels) {
  const std::string folder = FolderOf(levels);
  const auto names = config_.io->ListFolders(folder);
  std::vector<Child> children;
  if (!names.ok() && names.error().code() == ErrorCode::kNotFound) return children;
  FIRN_RETURN_IF_ERROR(names);
  for (const std::string& name : *names) {
    if (name.starts_with('.') || name.starts_with('_')) continue;
    FIRN_ASSIGN(const bool is_table, IsTableFolder(*config_.io, JoinUri(folder, name)));
    children.push_back({name, is_table});
  }
  return children;
}

// A namespace is a folder that is no table.
Status HadoopCatalog::CheckNamespace(const Namespace& levels) {
  if (levels.empty()) return {};
  FIRN_RETURN_IF_ERROR(CheckNewName({levels, "t"}));
  const std::string folder = FolderOf(levels);
  const auto names = config_.io->ListFolders(folder);
  bool exists = names.ok();
  if (!exists && names.error().code() != ErrorCode::kNotFound) return names.error();
  if (exists) {
    FIRN_ASSIGN(const bool is_table, IsTableFolder(*config_.io, folder));
    exists = !is_table;
  }
  if (exists) return {};
  return MakeError(ErrorCode::kNotFound, "namespace '{}' does not exist: no folder '{}'",
                   FormatNamespace(levels), folder);
}

Result<std::vector<Namespace>> HadoopCatalog::ListNamespaces(const Namespace& parent) {
  FIRN_RETURN_IF_ERROR(CheckNamespace(parent));
  FIRN_ASSIGN(const auto children, ListChildren(parent));
  std::vector<Namespace> namespaces;
  for (const Child& child : children) {
    if (child.is_table) continue;
    namespaces.push_back(parent);
    namespaces.back().push_back(child.name);
  }
  std::sort(namespaces.begin(), namespaces.end());
  return namespaces;
}

Status HadoopCatalog::CreateNamespace(const Namespace& levels, const Properties& properties) {
  if (!properties.empty()) {
    return MakeError(ErrorCode::kUnsupported,
                     "namespace '{}': namespaces of a Hadoop catalog have no properties",
                     FormatNamespace(levels));
  }
  const Status found = CheckNamespace(levels);
  if (found.ok()) {
    return MakeError(ErrorCode::kAlreadyExists, "namespace '{}' already exists",
                     FormatNamespace(levels));
  }
  if (found.error().code() != ErrorCode::kNotFound) return found;
  return config_.io->CreateFolder(FolderOf(levels));
}

Status HadoopCatalog::DropNamespace(const Namespace& levels) {
  FIRN_RETURN_IF_ERROR(CheckNamespace(levels));
  if (levels.empty()) {
    return MakeError(ErrorCode::kInvalidInput, "the root namespace cannot be dropped");
  }
  FIRN_ASSIGN(const auto children, ListChildren(levels));
  if (!children.empty()) {
    return MakeError(ErrorCode::kInvalidInput, "namespace '{}' is not empty: it holds '{}'",
                     FormatNamespace(levels), children.front().name);
  }
  return config_.io->DeleteFolder(FolderOf(levels));
}

Result<Properties> HadoopCatalog::LoadNamespace(const Namespace& levels) {
  FIRN_RETURN_IF_ERROR(CheckNamespace(levels));
  return Properties{{"location", FolderOf(levels)}};
}

Status HadoopCatalog::UpdateNamespace(const Namespace& levels, const Properties&,
                                      std::span<const std::string>) {
  FIRN_RETURN_IF_ERROR(CheckNamespace(levels));
  return MakeError(ErrorCode::kUnsupported,
                   "namespace '{}': namespaces of a Hadoop catalog have no properties",
                   FormatNamespace(levels));
}

Result<std::vector<TableName>> HadoopCatalog::ListTables(const Namespace& levels) {
  FIRN_RETURN_IF_ERROR(CheckNamespace(levels));
  FIRN_ASSIGN(const auto children, ListChildren(levels));
  std::vector<TableName> tables;
  for (const Child& child : children) {
    if (child.is_table) tables.push_back({levels, child.name});
  }
  std::sort(tables.begin(), tables.end());
  return tables;
}

Result<HadoopVersion> HadoopCatalog::FindTable(const TableName& name) {
  FIRN_RETURN_IF_ERROR(fixed_folder_.empty() ? CheckNewName(name) : Status());
  FIRN_ASSIGN(auto version, FindHadoopVersion(*config_.io, FolderOf(name)));
  if (version) return *std::move(version);
  return MakeError(ErrorCode::kNotFound, "table '{}' does not exist: no metadata in '{}'",
                   FormatTableName(name), FolderOf(name));
}

Result<Table> HadoopCatalog::Load(const TableName& name) {
  for (std::string missing;;) {
    FIRN_ASSIGN(const HadoopVersion version, FindTable(name));
    auto metadata = LoadTableMetadata(*config_.io, version.location);
    if (metadata.ok()) return Table{name, version.location, *std::move(metadata), config_.io};
    // Other writers may have gone on, and deleted it, after it was found.
    const bool is_gone = metadata.error().code() == ErrorCode::kNotFound;
    if (!is_gone || version.location == missing) {
      return metadata.error().Within(fmt::format("loading table '{}'", FormatTableName(name)));
    }
    missing = version.location;
  }
}

// The recorded location decides where data goes, so that a copy must not be changed as if it were
// the original.
Status HadoopCatalog::CheckLocation(const TableName& name, const TableMetadata& metadata) const {
  const std::string folder = FolderOf(name);
  if (CanonicalUriKey(StripTrailingSlash(metadata.location)) !=
      CanonicalUriKey(StripTrailingSlash(folder))) {
    return MakeError(ErrorCode::kInvalidInput,
                     "table '{}' is recorded at '{}' but lies in '{}'; if it was copied, set "
                     "io.rewrite-prefix to '{}={}'",
                     FormatTableName(name), metadata.location, folder, metadata.location, folder);
  }
  if (metadata.properties.contains("write.metadata.path")) {
    return MakeError(ErrorCode::kUnsupported,
                     "table '{}': a table in Hadoop layout cannot have 'write.metadata.path'",
                     FormatTableName(name));
  }
  return {};
}

Status HadoopCatalog::CheckCanCommit(const Table& table) {
  FIRN_RETURN_IF_ERROR(CheckLocation(table.name, *table.metadata));
  FIRN_RETURN_IF_ERROR(MetadataCodecSuffix(*table.metadata));
  return {};
}

Result<StagedTable> HadoopCatalog::Stage(const TableName& name, const CreateTableRequest& request) {
  FIRN_RETURN_IF_ERROR(CheckNewName(name));
  FIRN_RETURN_IF_ERROR(CheckNamespace(name.levels), "table '{}'", FormatTableName(name));
  const std::string folder = FolderOf(name);
  FIRN_ASSIGN(const auto existing, FindHadoopVersion(*config_.io, folder));
  if (existing) {
    return MakeError(ErrorCode::kAlreadyExists, "table '{}' already exists", FormatTableName(name));
  }
  CreateTableRequest complete = request;
  if (complete.location.empty()) complete.location = folder;
  StagedTable staged;
  FIRN_ASSIGN(staged.creation, PlanNewTable(std::move(complete), config_), "creating table '{}'",
              FormatTableName(name));
  FIRN_ASSIGN(staged.table.metadata, MakeOfNothing(staged.creation, config_), "creating table '{}'",
              FormatTableName(name));
  FIRN_RETURN_IF_ERROR(CheckLocation(name, *staged.table.metadata));
  staged.table.name = name;
  staged.table.io = config_.io;
  return staged;
}

Result<Table> HadoopCatalog::Create(const TableName& name, const CreateTableRequest& request) {
  FIRN_ASSIGN(const StagedTable staged, Stage(name, request));
  return MakeTable(name, staged.table.metadata);
}

Result<Table> HadoopCatalog::MakeTable(const TableName& name, TableMetadataPtr metadata) {
  FIRN_RETURN_IF_ERROR(CheckLocation(name, *metadata));
  const std::string folder = FolderOf(name);
  // One name for all creators, so that the file system decides between them.
  std::string location = HadoopMetadataLocation(folder, 1, "");
  const Status published = PublishHadoopVersion(config_, location, *metadata);
  if (!published.ok() && published.error().code() == ErrorCode::kCommitConflict) {
    return MakeError(ErrorCode::kAlreadyExists, "table '{}' already exists", FormatTableName(name));
  }
  FIRN_RETURN_IF_ERROR(published);
  WriteHadoopHint(*config_.io, folder, 1);
  return Table{name, std::move(location), std::move(metadata), config_.io};
}

Result<Table> HadoopCatalog::Commit(const TableName& name,
                                    std::span<const TableRequirement> requirements,
                                    std::span<const TableUpdate> updates) {
  if (CreatesTable(requirements)) {
    FIRN_ASSIGN(auto metadata, MakeOfNothing(updates, config_), "creating table '{}'",
                FormatTableName(name));
    return MakeTable(name, std::move(metadata));
  }
  for (int attempt = 0;; ++attempt) {
    FIRN_ASSIGN(const Table base, Load(name));
    FIRN_RETURN_IF_ERROR(CheckRequirements(base.metadata.get(), requirements), "table '{}'",
                         FormatTableName(name));
    auto committed = CommitOnce(base, updates);
    if (committed.ok() || committed.error().code() != ErrorCode::kCommitConflict) return committed;
    // Another writer came first. If the requirements hold for its state as well, ours still can.
    FIRN_ASSIGN(const RetryPolicy policy, CommitRetryPolicy(*base.metadata));
    if (attempt >= policy.retry_count_max) return committed;
    FIRN_RETURN_IF_ERROR(WaitBeforeRetry(policy, attempt + 1, config_));
  }
}

Result<Table> HadoopCatalog::CommitOnce(const Table& base, std::span<const TableUpdate> updates) {
  FIRN_RETURN_IF_ERROR(CheckCanCommit(base));
  FIRN_ASSIGN(auto metadata, BuildNextMetadata(base, updates, config_), "table '{}'",
              FormatTableName(base.name));
  if (!metadata) return base;
  FIRN_RETURN_IF_ERROR(CheckLocation(base.name, *metadata));
  FIRN_RETURN_IF_ERROR(MetadataCodecSuffix(*metadata));
  // The codec of the base: two writers that set it differently still compete for one name.
  FIRN_ASSIGN(const std::string codec, MetadataCodecSuffix(*base.metadata));
  const std::string folder = FolderOf(base.name);
  const auto version = HadoopMetadataVersion(UriFileName(base.metadata_location));
  FIRN_CHECK(version.has_value());
  std::string location = HadoopMetadataLocation(folder, *version + 1, codec);
  FIRN_RETURN_IF_ERROR(PublishHadoopVersion(config_, location, *metadata), "table '{}'",
                       FormatTableName(base.name));
  FIRN_RETURN_IF_ERROR(CheckStillCounts(base, location));
  WriteHadoopHint(*config_.io, folder, *version + 1);
  DeleteDroppedMetadata(*config_.io, *base.metadata, *metadata);
  return Table{base.name, std::move(location), std::move(metadata), config_.io};
}

// Where old metadata gets deleted, the name of a version that is long over is free again, and a
// writer that slept for as long would seem to win it. What came later tells: it names the versions
// that it follows from, but for those so old that their files are deleted.
Status HadoopCatalog::CheckStillCounts(const Table& base, const std::string& location) {
  const auto has_base = FileExists(*config_.io, base.metadata_location);
  const bool is_safe = has_base.ok() && *has_base && !DeletesOldMetadata(*base.metadata);
  if (is_safe) return {};
  const auto unknown = [&](std::string_view why) {
    return MakeError(ErrorCode::kCommitUnknown,
                     "table '{}': '{}' was written, but may have come too late: {}; look at the "
                     "table before trying again",
                     FormatTableName(base.name), location, why);
  };
  if (!has_base.ok()) return unknown(has_base.error().message());
  const auto newest = ListForNewest(*config_.io, FolderOf(base.name));
  if (!newest.ok()) return unknown(newest.error().message());
  if (*newest && (*newest)->location == location) return {};
  if (*newest) {
    const auto metadata = LoadTableMetadata(*config_.io, (*newest)->location);
    if (!metadata.ok()) return unknown(metadata.error().message());
    const auto& log = (*metadata)->metadata_log;
    const bool is_followed =
        std::any_of(log.begin(), log.end(),
                    [&](const MetadataLogEntry& entry) { return entry.metadata_file == location; });
    if (is_followed) return {};
    // What led here is a hint so old that only its own version is left.
    WriteHadoopHint(*config_.io, FolderOf(base.name), (*newest)->version);
  }
  DiscardMetadata(*config_.io, location);  // Nothing that counts names it.
  return unknown(*newest ? "the table is far beyond it, at '" + (*newest)->location + "'"
                         : std::string("it is gone"));
}

Result<Table> HadoopCatalog::Register(const TableName& name, const std::string&) {
  return MakeError(ErrorCode::kUnsupported,
                   "table '{}' cannot be registered: a Hadoop catalog finds tables by their "
                   "folders only",
                   FormatTableName(name));
}

Status HadoopCatalog::Rename(const TableName& from, const TableName&) {
  return MakeError(ErrorCode::kUnsupported,
                   "table '{}' cannot be renamed: its name in a Hadoop catalog is its folder",
                   FormatTableName(from));
}

Status HadoopCatalog::Drop(const TableName& name, DropFiles files) {
  FIRN_ASSIGN(const HadoopVersion current, FindTable(name));
  if (files == DropFiles::kKeep) {
    return MakeError(ErrorCode::kUnsupported,
                     "table '{}': a Hadoop catalog cannot forget a table and keep its files, since "
                     "the table is the folder '{}'; delete that folder to remove both",
                     FormatTableName(name), FolderOf(name));
  }
  // The current version goes last: until then the table is whole.
  std::vector<std::string> doomed;
  const std::string folder = JoinUri(FolderOf(name), "metadata");
  FIRN_RETURN_IF_ERROR(config_.io->List(folder, [&](const FileInfo& file) -> Status {
    const bool is_version = HadoopMetadataVersion(UriFileName(file.uri)).has_value();
    if (is_version && file.uri != current.location) doomed.push_back(file.uri);
    return {};
  }));
  doomed.push_back(current.location);
  doomed.push_back(JoinUri(folder, "version-hint.text"));
  for (const DeleteOutcome& outcome : config_.io->DeleteMany(doomed)) {
    FIRN_RETURN_IF_ERROR(outcome.status, "dropping table '{}'", FormatTableName(name));
  }
  return {};
}

Result<std::unique_ptr<Catalog>> Open(const CatalogConfig& config) {
  const auto warehouse = config.properties.find("warehouse");
  if (warehouse == config.properties.end() || warehouse->second.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "a Hadoop catalog needs 'warehouse', the folder above its namespaces");
  }
  return std::make_unique<HadoopCatalog>(config, std::string(StripTrailingSlash(warehouse->second)),
                                         std::string());
}

}  // namespace

CatalogType DescribeHadoopCatalog() {
  return {.type = "hadoop",
          .aliases = {"org.apache.iceberg.hadoop.HadoopCatalog"},
          .open = Open,
          .summary = "folders with numbered metadata files"};
}

std::unique_ptr<Catalog> OpenTableFolder(const CatalogConfig& config, const std::string& folder) {
  return std::make_unique<HadoopCatalog>(config, std::string(),
                                         std::string(StripTrailingSlash(folder)));
}

}  // namespace firn
