#include "firn/procedure/row_change_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {

Result<TableReference> ResolveRowsToChange(Session& session, const std::string& text) {
  FIRN_ASSIGN(TableReference reference, session.ResolveTable(text));
  if (!reference.tag && reference.catalog) return reference;
  return MakeError(ErrorCode::kInvalidInput, "'{}' cannot be changed: it is {}", text,
                   reference.tag ? "a tag" : "one version of a table, which can be read only");
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
