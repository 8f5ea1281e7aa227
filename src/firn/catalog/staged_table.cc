#include "firn/catalog/staged_table.h"

#include <mutex>
#include <utility>

namespace firn {
namespace {

class StagedCatalog final : public Catalog {
 public:
  StagedCatalog(Catalog& inner, StagedTable staged) : inner_(inner), staged_(std::move(staged)) {}

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    return inner_.ListNamespaces(parent);
  }
  Status CreateNamespace(const Namespace& levels, const Properties& properties) override {
    return inner_.CreateNamespace(levels, properties);
  }
  Status DropNamespace(const Namespace& levels) override { return inner_.DropNamespace(levels); }
  Result<Properties> LoadNamespace(const Namespace& levels) override {
    return inner_.LoadNamespace(levels);
  }
  Status UpdateNamespace(const Namespace& levels, const Properties& updates,
                         std::span<const std::string> removals) override {
    return inner_.UpdateNamespace(levels, updates, removals);
  }
  Result<std::vector<TableName>> ListTables(const Namespace& levels) override {
    return inner_.ListTables(levels);
  }
  Result<Table> Create(const TableName& name, const CreateTableRequest& request) override {
    return inner_.Create(name, request);
  }
  Result<Table> Register(const TableName& name, const std::string& metadata_location) override {
    return inner_.Register(name, metadata_location);
  }
  Status Rename(const TableName& from, const TableName& to) override {
    return inner_.Rename(from, to);
  }
  Status Drop(const TableName& name, DropFiles files) override { return inner_.Drop(name, files); }

  Result<Table> Load(const TableName& name) override;
  Result<Table> Commit(const TableName& name, std::span<const TableRequirement> requirements,
                       std::span<const TableUpdate> updates) override;

 private:
  bool has_asked() {
    const std::lock_guard lock(mutex_);
    return has_asked_;
  }

  Catalog& inner_;
  const StagedTable staged_;
  std::mutex mutex_;
  bool has_asked_ = false;  // The table may be there.
};

Result<Table> StagedCatalog::Load(const TableName& name) {
  if (!(name == staged_.table.name)) return inner_.Load(name);
  if (!has_asked()) return staged_.table;
  Result<Table> made = inner_.Load(name);
  if (!made.ok() && made.error().code() == ErrorCode::kNotFound) return staged_.table;
  return made;
}

Result<Table> StagedCatalog::Commit(const TableName& name,
                                    std::span<const TableRequirement> requirements,
                                    std::span<const TableUpdate> updates) {
  if (!(name == staged_.table.name)) return inner_.Commit(name, requirements, updates);
  FIRN_RETURN_IF_ERROR(CheckRequirements(staged_.table.metadata.get(), requirements));
  std::vector<TableUpdate> all = staged_.creation;
  all.insert(all.end(), updates.begin(), updates.end());
  {
    const std::lock_guard lock(mutex_);
    has_asked_ = true;
  }
  const std::vector<TableRequirement> create = {AssertCreate{}};
  return inner_.Commit(name, create, all);
}

}  // namespace

Result<StagedTable> StageTable(Catalog& catalog, const TableName& name,
                               const CreateTableRequest& request) {
  if (auto* stager = dynamic_cast<TableStager*>(&catalog)) return stager->Stage(name, request);
  return MakeError(ErrorCode::kUnsupported,
                   "table '{}': this catalog cannot make a table together with its rows",
                   FormatTableName(name));
}

std::unique_ptr<Catalog> MakeStagedCatalog(Catalog& inner, StagedTable staged) {
  return std::make_unique<StagedCatalog>(inner, std::move(staged));
}

}  // namespace firn
