#include "firn/catalog/dry_run_catalog.h"

#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "firn/catalog/commit_check.h"
#include "firn/catalog/commit_steps_internal.h"
#include "firn/catalog/staged_table.h"
#include "firn/io/dry_run_file_io.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

class DryRunCatalog final : public Catalog, public TableStager, public CommitChecker {
 public:
  DryRunCatalog(std::shared_ptr<Catalog> inner, std::shared_ptr<FileIO> io, Clock& clock,
                Random& random)
      : inner_(std::move(inner)), io_(std::move(io)), clock_(clock), random_(random) {}

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    return inner_->ListNamespaces(parent);
  }
  Status CreateNamespace(const Namespace& levels, const Properties&) override {
    const std::lock_guard lock(mutex_);
    namespaces_.insert(levels);
    return {};
  }
  Status DropNamespace(const Namespace&) override { return Refuse("dropping a namespace"); }
  Result<Properties> LoadNamespace(const Namespace& levels) override {
    if (IsNewNamespace(levels)) return Properties();
    return inner_->LoadNamespace(levels);
  }
  Status UpdateNamespace(const Namespace&, const Properties&,
                         std::span<const std::string>) override {
    return Refuse("changing a namespace");
  }
  Result<std::vector<TableName>> ListTables(const Namespace& levels) override {
    return inner_->ListTables(levels);
  }

  Result<Table> Load(const TableName& name) override;
  Result<Table> Create(const TableName& name, const CreateTableRequest& request) override;
  Result<StagedTable> Stage(const TableName& name, const CreateTableRequest& request) override;
  Result<Table> Commit(const TableName& name, std::span<const TableRequirement> requirements,
                       std::span<const TableUpdate> updates) override;
  Status CheckCanCommit(const Table& table) override {
    return firn::CheckCanCommit(*inner_, table);
  }
  Result<Table> Register(const TableName&, const std::string&) override {
    return Refuse("registering a table").error();
  }
  Status Rename(const TableName&, const TableName&) override { return Refuse("renaming a table"); }
  Status Drop(const TableName& name, DropFiles) override {
    const std::lock_guard lock(mutex_);
    if (tables_.erase(name) > 0) return {};
    return Refuse("dropping a table");
  }

 private:
  static Status Refuse(std::string_view what) {
    return MakeError(ErrorCode::kUnsupported, "{} cannot be tried in a dry run", what);
  }
  bool IsNewNamespace(const Namespace& levels) {
    const std::lock_guard lock(mutex_);
    return namespaces_.contains(levels);
  }
  Result<Table> CommitNew(const TableName& name, std::span<const TableUpdate> updates);
  // Files of a table: those of its metadata can be read again.
  std::shared_ptr<FileIO> FilesOf(const TableMetadata& metadata, std::shared_ptr<FileIO> base) {
    const std::string folder = JoinUri(metadata.MetadataLocation(), "");
    return MakeDryRunFileIO(std::move(base), clock_,
                            [folder](std::string_view uri) { return uri.starts_with(folder); });
  }

  std::shared_ptr<Catalog> inner_;
  std::shared_ptr<FileIO> io_;  // Of new tables.
  Clock& clock_;
  Random& random_;
  std::mutex mutex_;
  std::set<Namespace> namespaces_;
  std::map<TableName, Table> tables_;  // As they would be.
  std::map<TableName, std::shared_ptr<FileIO>> staged_;
};

Result<Table> DryRunCatalog::Load(const TableName& name) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = tables_.find(name); found != tables_.end()) return found->second;
  }
  FIRN_ASSIGN(Table table, inner_->Load(name));
  table.io = FilesOf(*table.metadata, std::move(table.io));
  const std::lock_guard lock(mutex_);
  return tables_.emplace(name, std::move(table)).first->second;
}

Result<StagedTable> DryRunCatalog::Stage(const TableName& name, const CreateTableRequest& request) {
  const Result<Table> there = Load(name);
  if (there.ok()) {
    return MakeError(ErrorCode::kAlreadyExists, "table '{}' already exists", FormatTableName(name));
  }
  if (there.error().code() != ErrorCode::kNotFound) return there.error();
  FIRN_RETURN_IF_ERROR(LoadNamespace(name.levels));
  CreateTableRequest complete = request;
  if (complete.location.empty()) complete.location = "new-table:/" + FormatTableName(name);
  CatalogConfig config;
  config.clock = &clock_;
  config.random = &random_;
  StagedTable staged;
  FIRN_ASSIGN(staged.creation, PlanNewTable(std::move(complete), config), "creating table '{}'",
              FormatTableName(name));
  FIRN_ASSIGN(auto metadata, MakeOfNothing(staged.creation, config));
  staged.table = {name, "", metadata, FilesOf(*metadata, io_)};
  const std::lock_guard lock(mutex_);
  staged_.insert_or_assign(name, staged.table.io);
  return staged;
}

Result<Table> DryRunCatalog::Create(const TableName& name, const CreateTableRequest& request) {
  FIRN_ASSIGN(const StagedTable staged, Stage(name, request));
  const std::lock_guard lock(mutex_);
  tables_[name] = staged.table;
  return staged.table;
}

Result<Table> DryRunCatalog::CommitNew(const TableName& name,
                                       std::span<const TableUpdate> updates) {
  CatalogConfig config;
  config.clock = &clock_;
  FIRN_ASSIGN(auto metadata, MakeOfNothing(updates, config));
  const std::lock_guard lock(mutex_);
  // What was written for the table is in the files that it was staged with.
  const auto staged = staged_.find(name);
  auto io = staged == staged_.end() ? FilesOf(*metadata, io_) : staged->second;
  Table table{name, "", std::move(metadata), std::move(io)};
  tables_[name] = table;
  return table;
}

Result<Table> DryRunCatalog::Commit(const TableName& name,
                                    std::span<const TableRequirement> requirements,
                                    std::span<const TableUpdate> updates) {
  if (CreatesTable(requirements)) return CommitNew(name, updates);
  FIRN_ASSIGN(Table table, Load(name));
  FIRN_RETURN_IF_ERROR(CheckRequirements(table.metadata.get(), requirements));
  FIRN_ASSIGN(TableMetadata metadata,
              ApplyUpdates(table.metadata.get(), table.metadata_location, updates, clock_.Now()));
  table.metadata = std::make_shared<const TableMetadata>(std::move(metadata));
  const std::lock_guard lock(mutex_);
  tables_[name] = table;
  return table;
}

}  // namespace

std::unique_ptr<Catalog> MakeDryRunCatalog(std::shared_ptr<Catalog> inner,
                                           std::shared_ptr<FileIO> io, Clock& clock,
                                           Random& random) {
  return std::make_unique<DryRunCatalog>(std::move(inner), std::move(io), clock, random);
}

}  // namespace firn
