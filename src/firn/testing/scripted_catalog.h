#pragma once

#include <functional>
#include <optional>

#include "firn/catalog/catalog.h"

namespace firn {

/// A catalog whose commits meet what a test scripts: another writer in between, a lost answer.
/// All other calls pass through. The inner catalog must outlive it.
class ScriptedCatalog final : public Catalog {
 public:
  explicit ScriptedCatalog(Catalog& inner) : inner_(inner) {}

  /// Runs before each commit reaches the inner catalog.
  std::function<void()> before_commit;
  /// The same for the creation of tables.
  std::function<void()> before_create;
  /// If set, the answer of the next commit is replaced by this error, once.
  std::optional<Error> lost_answer;
  /// Whether a commit whose answer is lost happens all the same.
  bool lost_commit_happens = true;
  /// Calls of Commit.
  int commit_count = 0;

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
  Result<Table> Register(const TableName& name, const std::string& metadata_location) override;
  Status Rename(const TableName& from, const TableName& to) override;
  Status Drop(const TableName& name, DropFiles files) override;

 private:
  Catalog& inner_;
};

}  // namespace firn
