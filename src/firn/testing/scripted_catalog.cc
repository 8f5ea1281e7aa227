#include "firn/testing/scripted_catalog.h"

#include <memory>
#include <utility>

namespace firn {

// The pointer owns nothing.
ScriptedCatalog::ScriptedCatalog(Catalog& inner)
    : ForwardingCatalog(std::shared_ptr<Catalog>(std::shared_ptr<Catalog>(), &inner)) {}

Result<Table> ScriptedCatalog::Create(const TableName& name, const CreateTableRequest& request) {
  if (before_create) before_create();
  return inner()->Create(name, request);
}

Result<Table> ScriptedCatalog::Commit(const TableName& name,
                                      std::span<const TableRequirement> requirements,
                                      std::span<const TableUpdate> updates) {
  ++commit_count;
  if (before_commit) {
    before_commit();
  }
  if (!lost_answer) {
    return inner()->Commit(name, requirements, updates);
  }
  if (lost_commit_happens) {
    FIRN_RETURN_IF_ERROR(inner()->Commit(name, requirements, updates));
  }
  return *std::exchange(lost_answer, std::nullopt);
}

}  // namespace firn
