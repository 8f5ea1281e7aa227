#pragma once

#include <memory>
#include <vector>

#include "firn/catalog/commit_check.h"
#include "firn/catalog/staged_table.h"

namespace firn {

/// A Catalog that does what another one does: what is to differ is overridden.
class ForwardingCatalog : public Catalog, public TableStager, public CommitChecker {
 public:
  explicit ForwardingCatalog(std::shared_ptr<Catalog> inner);

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override;
  Status CreateNamespace(const Namespace& levels, const Properties& properties) override;
  Status DropNamespace(const Namespace& levels) override;
  Result<Properties> LoadNamespace(const Namespace& levels) override;
  Status UpdateNamespace(const Namespace& levels, const Properties& updates,
                         std::span<const std::string> removals) override;
  Result<std::vector<TableName>> ListTables(const Namespace& levels) override;
  Result<Table> Load(const TableName& name) override;
  Result<Table> Create(const TableName& name, const CreateTableRequest& request) override;
  Result<StagedTable> Stage(const TableName& name, const CreateTableRequest& request) override;
  Result<Table> Commit(const TableName& name, std::span<const TableRequirement> requirements,
                       std::span<const TableUpdate> updates) override;
  Status CheckCanCommit(const Table& table) override;
  Result<Table> Register(const TableName& name, const std::string& metadata_location) override;
  Status Rename(const TableName& from, const TableName& to) override;
  Status Drop(const TableName& name, DropFiles files) override;

 protected:
  const std::shared_ptr<Catalog>& inner() const { return inner_; }

 private:
  std::shared_ptr<Catalog> inner_;
};

}  // namespace firn
