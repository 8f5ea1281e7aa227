#include "firn/catalog/change_table.h"

#include <utility>

#include "firn/base/retry.h"
#include "firn/base/text.h"
#include "firn/catalog/commit_steps_internal.h"
#include "firn/catalog/table_evolution.h"

namespace firn {
namespace {

// The plan is for this table, not for another one that was given its name meanwhile.
Status CheckSameTable(const Table& before, const Table& now) {
  const std::string& expected = before.metadata->table_uuid;
  const std::string& found = now.metadata->table_uuid;
  if (expected.empty() || EqualsIgnoreCase(expected, found)) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   "table '{}' was replaced by another one (UUID '{}', expected '{}'); look at it "
                   "and try again",
                   FormatTableName(before.name), found, expected);
}

}  // namespace

Result<Table> ChangeTable(const TableChangeContext& context, const Table& table,
                          const PlanUpdates& plan) {
  FIRN_ASSIGN(const RetryPolicy policy, CommitRetryPolicy(*table.metadata));
  Table current = table;
  bool is_stale = false;
  const auto attempt = [&]() -> Status {
    if (std::exchange(is_stale, true)) {
      FIRN_ASSIGN(Table reloaded, context.catalog->Load(table.name));
      FIRN_RETURN_IF_ERROR(CheckSameTable(table, reloaded));
      current = std::move(reloaded);
    }
    FIRN_ASSIGN(const auto updates, plan(*current.metadata));
    if (updates.empty()) return {};
    const auto requirements = MakeRequirements(*current.metadata, updates);
    FIRN_ASSIGN(current, context.catalog->Commit(table.name, requirements, updates));
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      Retry(policy, *context.clock, *context.random, context.cancel, attempt,
            [](const Error& error) { return error.code() == ErrorCode::kCommitConflict; }));
  return current;
}

}  // namespace firn
