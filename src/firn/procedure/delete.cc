#include "firn/change/change.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<std::optional<WriteMode>> ParseWriteMode(const Arguments& arguments) {
  const auto text = arguments.OptionalText("write_mode");
  if (!text) return std::optional<WriteMode>();
  if (*text == "copy-on-write") return std::optional(WriteMode::kCopyOnWrite);
  if (*text == "merge-on-read") return std::optional(WriteMode::kMergeOnRead);
  return MakeError(ErrorCode::kInvalidInput,
                   "argument 'write_mode' is '{}', expected copy-on-write or merge-on-read", *text);
}

TypePtr ResultType() {
  return MakeRowType(
      {{"deleted_rows", LongType()}, {"added_rows", LongType()}, {"snapshot_id", LongType()}});
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  DeleteRowsRequest request;
  FIRN_ASSIGN(request.mode, ParseWriteMode(arguments));
  FIRN_ASSIGN(request.condition, ParseExpression(arguments.Text("where")), "where");
  FIRN_ASSIGN(const auto reference, session.ResolveTable(arguments.Text("table")));
  if (reference.tag || !reference.catalog) {
    return MakeError(ErrorCode::kInvalidInput, "'{}' cannot be changed: it is {}",
                     arguments.Text("table"),
                     reference.tag ? "a tag" : "one version of a table, which can be read only");
  }
  if (reference.branch) request.branch = *reference.branch;
  ChangeContext change;
  change.commit = MakeCommitContext(session, reference);
  change.budget = &session.budget();
  FIRN_ASSIGN(const DeleteRowsResult result, DeleteRows(change, reference.table, request));
  return MakeOutput(
      ResultType(),
      {{{Value(result.deleted_rows), Value(int64_t{0}), OptionalValue(result.snapshot_id)}}});
}

}  // namespace

Procedure DescribeDelete() {
  return {.command = {"delete"},
          .call_name = "delete",
          .summary = "Delete the rows for which a condition is true.",
          .arguments = {{.name = "table",
                         .type = ArgumentType::kTable,
                         .is_required = true,
                         .is_positional = true,
                         .help = "A table name or a location."},
                        {.name = "where",
                         .type = ArgumentType::kText,
                         .is_required = true,
                         .help = "Rows for which this SQL predicate is true are deleted."},
                        {.name = "write_mode",
                         .type = ArgumentType::kText,
                         .help = "copy-on-write or merge-on-read.",
                         .default_text = "the table's write.delete.mode"}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
