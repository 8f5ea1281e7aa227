#pragma once

#include <functional>
#include <optional>

#include "firn/catalog/forwarding_catalog.h"

namespace firn {

/// A catalog whose commits meet what a test scripts: another writer in between, a lost answer.
/// All other calls pass through. The inner catalog must outlive it.
class ScriptedCatalog final : public ForwardingCatalog {
 public:
  explicit ScriptedCatalog(Catalog& inner);

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

  Result<Table> Create(const TableName& name, const CreateTableRequest& request) override;
  Result<Table> Commit(const TableName& name, std::span<const TableRequirement> requirements,
                       std::span<const TableUpdate> updates) override;
};

}  // namespace firn
