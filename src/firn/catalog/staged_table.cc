#include "firn/catalog/staged_table.h"

#include <memory>
#include <mutex>
#include <utility>

#include "firn/catalog/forwarding_catalog.h"

namespace firn {
namespace {

class StagedCatalog final : public ForwardingCatalog {
 public:
  StagedCatalog(std::shared_ptr<Catalog> inner, StagedTable staged)
      : ForwardingCatalog(std::move(inner)), staged_(std::move(staged)) {}

  Result<Table> Load(const TableName& name) override;
  Result<Table> Commit(const TableName& name, std::span<const TableRequirement> requirements,
                       std::span<const TableUpdate> updates) override;

 private:
  bool has_asked() {
    const std::lock_guard lock(mutex_);
    return has_asked_;
  }

  const StagedTable staged_;
  std::mutex mutex_;
  bool has_asked_ = false;  // The table may be there.
};

Result<Table> StagedCatalog::Load(const TableName& name) {
  if (!(name == staged_.table.name)) return inner()->Load(name);
  if (!has_asked()) return staged_.table;
  Result<Table> made = inner()->Load(name);
  if (!made.ok() && made.error().code() == ErrorCode::kNotFound) return staged_.table;
  return made;
}

Result<Table> StagedCatalog::Commit(const TableName& name,
                                    std::span<const TableRequirement> requirements,
                                    std::span<const TableUpdate> updates) {
  if (!(name == staged_.table.name)) return inner()->Commit(name, requirements, updates);
  FIRN_RETURN_IF_ERROR(CheckRequirements(staged_.table.metadata.get(), requirements));
  std::vector<TableUpdate> all = staged_.creation;
  all.insert(all.end(), updates.begin(), updates.end());
  {
    const std::lock_guard lock(mutex_);
    has_asked_ = true;
  }
  const std::vector<TableRequirement> create = {AssertCreate{}};
  return inner()->Commit(name, create, all);
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
  // The caller keeps `inner`.
  return std::make_unique<StagedCatalog>(
      std::shared_ptr<Catalog>(std::shared_ptr<Catalog>(), &inner), std::move(staged));
}

}  // namespace firn
