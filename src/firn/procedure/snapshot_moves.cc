#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firn/catalog/ref_change.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_change_internal.h"
#include "firn/scan/scan.h"

// `rollback-to-snapshot`, `rollback-to-timestamp`, `set-current-snapshot`, `fast-forward`,
// `ancestors-of`.

namespace firn {
namespace {

struct Move {
  std::optional<SnapshotId> before;
  std::optional<SnapshotId> after;
  std::optional<Table> table;  // After it.
};

// Move a branch and tell where it was.
Result<Move> RunMove(ProcedureContext& context, const Arguments& arguments,
                     const std::string& branch, const PlanUpdates& plan) {
  Move move;
  FIRN_ASSIGN(const Table table,
              ChangeTableOf(context, arguments, [&](const TableMetadata& metadata) {
                move.before = metadata.RefSnapshotId(branch);
                return plan(metadata);
              }));
  move.after = table.metadata->RefSnapshotId(branch);
  move.table = table;
  return move;
}

Result<ProcedureOutput> MakeMoveRow(const Move& move) {
  return MakeOutput(
      MakeRowType({{"previous_snapshot_id", LongType()}, {"current_snapshot_id", LongType()}}),
      {{{OptionalValue(move.before), OptionalValue(move.after)}}});
}

Result<ProcedureOutput> RunRollback(ProcedureContext& context, const Arguments& arguments) {
  const std::string branch = arguments.Text("branch", std::string(kMainBranch));
  const SnapshotId id = *arguments.Integer("snapshot_id");
  FIRN_ASSIGN(const Move move,
              RunMove(context, arguments, branch, [&](const TableMetadata& metadata) {
                return PlanRollback(metadata, branch, id);
              }));
  return MakeMoveRow(move);
}

Result<ProcedureOutput> RunRollbackToTime(ProcedureContext& context, const Arguments& arguments) {
  const std::string branch = arguments.Text("branch", std::string(kMainBranch));
  const Timestamp time = *arguments.Time("timestamp");
  FIRN_ASSIGN(const Move move,
              RunMove(context, arguments, branch, [&](const TableMetadata& metadata) {
                return PlanRollbackToTime(metadata, branch, time);
              }));
  return MakeMoveRow(move);
}

// Columns that a table got after a snapshot, or that got a new id when the table was replaced, are
// null in its rows.
void NoticeLostColumns(const ProcedureContext& context, const TableMetadata& metadata) {
  const Snapshot* snapshot = metadata.current_snapshot();
  if (!context.notice || snapshot == nullptr || !snapshot->schema_id) return;
  const SchemaPtr then = metadata.FindSchema(*snapshot->schema_id);
  if (then == nullptr) return;
  std::vector<std::string> lost;
  for (const NestedField& field : then->fields()) {
    if (metadata.current_schema()->FindField(field.id) == nullptr) lost.push_back(field.name);
  }
  if (lost.empty()) return;
  context.notice(fmt::format(
      "the current schema lacks columns that this snapshot has (or has others of the same name): "
      "{}; `read --snapshot-id {}` shows their values, a compaction does not keep them",
      fmt::join(lost, ", "), snapshot->snapshot_id));
}

Result<ProcedureOutput> RunSetCurrent(ProcedureContext& context, const Arguments& arguments) {
  const auto id = arguments.Integer("snapshot_id");
  const auto ref = arguments.OptionalText("ref");
  if (id.has_value() == ref.has_value()) {
    return Error(ErrorCode::kInvalidInput, "expected either 'snapshot_id' or 'ref'");
  }
  const auto plan = [&](const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
    SnapshotSelector selector;
    selector.ref = ref;
    if (id) return PlanSetCurrent(metadata, *id);
    FIRN_ASSIGN(const ResolvedSnapshot resolved, ResolveSnapshot(metadata, selector));
    if (resolved.snapshot == nullptr) {
      return MakeError(ErrorCode::kNotFound, "branch '{}' has no snapshot", *ref);
    }
    return PlanSetCurrent(metadata, resolved.snapshot->snapshot_id);
  };
  FIRN_ASSIGN(const Move move, RunMove(context, arguments, std::string(kMainBranch), plan));
  if (move.table) NoticeLostColumns(context, *move.table->metadata);
  return MakeMoveRow(move);
}

Result<ProcedureOutput> RunFastForward(ProcedureContext& context, const Arguments& arguments) {
  const std::string branch = arguments.Text("branch");
  const std::string to = arguments.Text("to");
  FIRN_ASSIGN(const Move move,
              RunMove(context, arguments, branch, [&](const TableMetadata& metadata) {
                return PlanFastForward(metadata, branch, to);
              }));
  return MakeOutput(MakeRowType({{"branch_updated", TextType()},
                                 {"previous_ref", LongType()},
                                 {"updated_ref", LongType()}}),
                    {{{Value(branch), OptionalValue(move.before), OptionalValue(move.after)}}});
}

Result<ProcedureOutput> RunAncestors(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveTable(arguments.Text("table")));
  const TableMetadata& metadata = *reference.table.metadata;
  SnapshotSelector selector;
  selector.snapshot_id = arguments.Integer("snapshot_id");
  if (!selector.snapshot_id) selector.ref = reference.branch ? reference.branch : reference.tag;
  FIRN_ASSIGN(const ResolvedSnapshot resolved, ResolveSnapshot(metadata, selector));
  if (resolved.snapshot == nullptr) {
    return MakeError(ErrorCode::kNotFound, "table '{}' has no snapshot", arguments.Text("table"));
  }
  std::vector<StructValue> rows;
  for (const Snapshot* ancestor : AncestorsOf(metadata, resolved.snapshot->snapshot_id)) {
    const auto age = ancestor->timestamp.time_since_epoch();
    rows.push_back({{Value(ancestor->snapshot_id),
                     Value(int64_t{std::chrono::floor<std::chrono::milliseconds>(age).count()})}});
  }
  return MakeOutput(MakeRowType({{"snapshot_id", LongType()}, {"timestamp", LongType()}}),
                    std::move(rows));
}

Argument SnapshotArgument(bool is_required, std::string help, std::string default_text = "") {
  return {.name = "snapshot_id",
          .type = ArgumentType::kInteger,
          .is_required = is_required,
          .help = std::move(help),
          .default_text = std::move(default_text)};
}

Argument BranchArgument() {
  return {.name = "branch",
          .type = ArgumentType::kText,
          .help = "The branch to move.",
          .default_text = "main"};
}

}  // namespace

Procedure DescribeRollbackToSnapshot() {
  return {
      .command = {"rollback-to-snapshot"},
      .call_name = "rollback_to_snapshot",
      .summary = "Move a branch back to one of its earlier snapshots.",
      .arguments = {ChangedTableArgument(),
                    SnapshotArgument(true, "An ancestor of the branch's head."), BranchArgument()},
      .can_dry_run = true,
      .run = RunRollback};
}

Procedure DescribeRollbackToTimestamp() {
  return {.command = {"rollback-to-timestamp"},
          .call_name = "rollback_to_timestamp",
          .summary = "Move a branch back to its newest snapshot that is older than a time.",
          .arguments = {ChangedTableArgument(),
                        {.name = "timestamp",
                         .type = ArgumentType::kTimestamp,
                         .is_required = true,
                         .help = "A time, or a duration back from now."},
                        BranchArgument()},
          .can_dry_run = true,
          .run = RunRollbackToTime};
}

Procedure DescribeSetCurrentSnapshot() {
  return {.command = {"set-current-snapshot"},
          .call_name = "set_current_snapshot",
          .summary = "Move main to any snapshot of the table.",
          .arguments = {ChangedTableArgument(),
                        SnapshotArgument(false, "The snapshot.", "the one that ref names"),
                        {.name = "ref",
                         .type = ArgumentType::kText,
                         .help = "Or the branch or tag that names it."}},
          .can_dry_run = true,
          .run = RunSetCurrent};
}

Procedure DescribeFastForward() {
  return {.command = {"fast-forward"},
          .call_name = "fast_forward",
          .summary = "Move a branch forward to the snapshot of another branch or a tag.",
          .arguments = {ChangedTableArgument(),
                        {.name = "branch",
                         .type = ArgumentType::kText,
                         .is_required = true,
                         .help = "The branch to move; it is made if it is missing."},
                        {.name = "to",
                         .type = ArgumentType::kText,
                         .is_required = true,
                         .help = "The branch or tag, whose history must hold the branch's head."}},
          .can_dry_run = true,
          .run = RunFastForward};
}

Procedure DescribeAncestorsOf() {
  return {.command = {"ancestors-of"},
          .call_name = "ancestors_of",
          .summary =
              "List a snapshot and those before it, newest first, with their times in "
              "milliseconds.",
          .arguments = {TableOrLocationArgument(),
                        SnapshotArgument(false, "The snapshot.", "the current one")},
          .can_dry_run = false,
          .run = RunAncestors};
}

}  // namespace firn
