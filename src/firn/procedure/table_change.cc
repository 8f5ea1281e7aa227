#include <fmt/format.h>

#include "firn/catalog/commit_check.h"
#include "firn/catalog/dropped_metadata.h"
#include "firn/commit/commit_properties.h"
#include "firn/format/schema/schema_text.h"
#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {

Result<TableReference> ResolveWholeTable(Session& session, std::string_view text) {
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

Result<TableReference> ResolveChangeableTable(Session& session, std::string_view text) {
  FIRN_ASSIGN(TableReference reference, ResolveWholeTable(session, text));
  FIRN_RETURN_IF_ERROR(CheckCanCommit(*reference.catalog, reference.table));
  return reference;
}

Status CheckCanCommitSnapshot(const TableReference& reference) {
  FIRN_RETURN_IF_ERROR(CheckCanCommit(*reference.catalog, reference.table));
  return CheckCommitProperties(*reference.table.metadata);
}

CommitContext MakeCommitContext(Session& session, const TableReference& reference) {
  return {.catalog = reference.catalog.get(),
          .executor = &session.executor(),
          .clock = &session.clock(),
          .random = &session.random(),
          .cancel = session.cancel()};
}

Argument ChangedTableArgument() {
  return {.name = "table",
          .type = ArgumentType::kTable,
          .is_required = true,
          .is_positional = true,
          .help = "The table."};
}

Result<Table> ChangeTableOf(ProcedureContext& context, const Arguments& arguments,
                            const PlanUpdates& plan) {
  Session& session = *context.session;
  FIRN_ASSIGN(TableReference reference, ResolveChangeableTable(session, arguments.Text("table")));
  FIRN_RETURN_IF_ERROR(PrepareDryRun(context, reference));
  const TableChangeContext change{reference.catalog.get(), &session.clock(), &session.random(),
                                  session.cancel()};
  Table base = reference.table;
  base.name = reference.name;
  FIRN_ASSIGN(Table changed, ChangeTable(change, base, plan));
  const bool is_same = changed.metadata == reference.table.metadata;
  if (context.notice && is_same) context.notice("nothing to change: the table is so already");
  if (context.notice && !is_same && context.is_dry_run) {
    context.notice("dry run: the change is possible; nothing was changed");
    for (const std::string& file :
         FindDroppedMetadata(*reference.table.metadata, *changed.metadata))
      context.notice(fmt::format("the commit would also delete the old metadata file '{}'", file));
  }
  return changed;
}

Result<std::string> ParseColumnName(const std::string& text) {
  FIRN_ASSIGN(const auto path, ParseColumnPath(text));
  return fmt::format("{}", fmt::join(path, "."));
}

}  // namespace firn
