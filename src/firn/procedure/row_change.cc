#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/row_change_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {

Result<TableReference> ResolveRowsToChange(const ProcedureContext& context,
                                           const Arguments& arguments) {
  const std::string text = arguments.Text("table");
  FIRN_ASSIGN(TableReference reference, context.session->ResolveTable(text));
  if (reference.tag || !reference.catalog) {
    return MakeError(ErrorCode::kInvalidInput, "'{}' cannot be changed: it is {}", text,
                     reference.tag ? "a tag" : "one version of a table, which can be read only");
  }
  FIRN_RETURN_IF_ERROR(CheckCanCommitSnapshot(reference));
  FIRN_ASSIGN(reference.branch, ChooseBranch(arguments, reference));
  FIRN_RETURN_IF_ERROR(PrepareDryRun(context, reference));
  return reference;
}

std::vector<Argument> WithSnapshotOptions(std::vector<Argument> arguments) {
  const std::vector<Argument> own = {
      {.name = "branch",
       .type = ArgumentType::kText,
       .help = "The branch to change, which must exist.",
       .default_text = "main"},
      {.name = "stage_only",
       .type = ArgumentType::kBoolean,
       .help = "Only stage the snapshot: rows show when it is published with "
               "cherrypick-snapshot."},
      {.name = "wap_id",
       .type = ArgumentType::kText,
       .help = "Stage the snapshot under this name, for publish-changes; the table needs the "
               "property write.wap.enabled=true."}};
  arguments.insert(arguments.end(), own.begin(), own.end());
  return arguments;
}

Result<std::string> ChooseBranch(const Arguments& arguments, const TableReference& reference) {
  const auto wanted = arguments.OptionalText("branch");
  if (wanted && reference.branch && *wanted != *reference.branch) {
    return MakeError(ErrorCode::kInvalidInput,
                     "argument 'branch' is '{}', but the name of the table says branch '{}'",
                     *wanted, *reference.branch);
  }
  if (wanted) return *wanted;
  return reference.branch.value_or(std::string(kMainBranch));
}

Result<SnapshotOptions> ParseSnapshotOptions(const Arguments& arguments,
                                             const TableReference& reference) {
  SnapshotOptions options;
  FIRN_ASSIGN(options.branch, ChooseBranch(arguments, reference));
  options.idempotency_key = arguments.OptionalText("idempotency_key");
  options.wap_id = arguments.OptionalText("wap_id");
  if (options.wap_id && options.wap_id->empty()) {
    return Error(ErrorCode::kInvalidInput, "argument 'wap_id' is empty, expected a name");
  }
  options.is_staged = options.wap_id || arguments.Boolean("stage_only");
  if (options.is_staged && options.branch != kMainBranch) {
    return MakeError(ErrorCode::kInvalidInput,
                     "a snapshot can be staged on 'main' only, into which it is published later; "
                     "the branch is '{}'",
                     options.branch);
  }
  return options;
}

ChangeContext MakeChangeContext(Session& session, const TableReference& reference) {
  ChangeContext change;
  change.commit = MakeCommitContext(session, reference);
  change.budget = &session.budget();
  return change;
}

Result<std::optional<WriteMode>> ParseWriteMode(const Arguments& arguments) {
  const auto text = arguments.OptionalText("write_mode");
  if (!text) return std::optional<WriteMode>();
  if (*text == "copy-on-write") return std::optional(WriteMode::kCopyOnWrite);
  if (*text == "merge-on-read") return std::optional(WriteMode::kMergeOnRead);
  return MakeError(ErrorCode::kInvalidInput,
                   "argument 'write_mode' is '{}', expected copy-on-write or merge-on-read", *text);
}

Argument WriteModeArgument(const std::string& command) {
  return {.name = "write_mode",
          .type = ArgumentType::kText,
          .help = "copy-on-write or merge-on-read.",
          .default_text = "the table's write." + command + ".mode"};
}

Result<ProcedureOutput> MakeRowChangeOutput(int64_t deleted_rows, int64_t added_rows,
                                            std::optional<SnapshotId> snapshot_id) {
  return MakeOutput(
      MakeRowType(
          {{"deleted_rows", LongType()}, {"added_rows", LongType()}, {"snapshot_id", LongType()}}),
      {{{Value(deleted_rows), Value(added_rows), OptionalValue(snapshot_id)}}});
}

}  // namespace firn
