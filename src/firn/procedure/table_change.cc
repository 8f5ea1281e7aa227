#include <vector>

#include "firn/procedure/table_change_internal.h"

namespace firn {

Result<TableReference> ResolveChangeableTable(Session& session, std::string_view text) {
  FIRN_ASSIGN(TableReference reference, session.ResolveTable(text));
  if (reference.branch || reference.tag) {
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' names a {} of a table, expected the table itself", text,
                     reference.branch ? "branch" : "tag");
  }
  if (!reference.catalog) {
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' is one version of a table, which can be read only; name the table by "
                     "its catalog or its folder",
                     text);
  }
  return reference;
}

CommitContext MakeCommitContext(Session& session, const TableReference& reference) {
  return {.catalog = reference.catalog.get(),
          .executor = &session.executor(),
          .clock = &session.clock(),
          .random = &session.random(),
          .cancel = session.cancel()};
}

Result<Table> CommitUpdates(const TableReference& reference, std::span<const TableUpdate> updates) {
  std::vector<TableRequirement> requirements;
  const std::string& uuid = reference.table.metadata->table_uuid;
  if (!uuid.empty()) requirements.emplace_back(AssertTableUuid{uuid});
  return reference.catalog->Commit(reference.name, requirements, updates);
}

}  // namespace firn
