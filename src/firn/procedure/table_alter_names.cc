#include <utility>

#include "firn/catalog/table_evolution.h"
#include "firn/format/schema/schema_text.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

// `table alter T drop-column`, `rename-column`, `set-identifier-fields`: columns by their names.

namespace firn {
namespace {

Result<ProcedureOutput> Commit(ProcedureContext& context, const Arguments& arguments,
                               SchemaChange change) {
  const std::vector<SchemaChange> changes = {std::move(change)};
  FIRN_RETURN_IF_ERROR(ChangeTableOf(context, arguments, [&](const TableMetadata& metadata) {
    return PlanSchemaChange(metadata, changes);
  }));
  return MakeEmptyOutput();
}

Result<ProcedureOutput> RunDrop(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(std::string column, ParseColumnName(arguments.Text("column")));
  return Commit(context, arguments, DropColumn{std::move(column)});
}

Result<ProcedureOutput> RunRename(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(std::string column, ParseColumnName(arguments.Text("column")));
  const std::string text = arguments.Text("new_name");
  FIRN_ASSIGN(const auto path, ParseColumnPath(text), "new name");
  if (path.size() > 1) {
    return MakeError(ErrorCode::kInvalidInput,
                     "new name '{}': a column stays in its struct, so the new name has one part; "
                     "put a name with dots in backquotes",
                     text);
  }
  return Commit(context, arguments, RenameColumn{std::move(column), path.front()});
}

Result<ProcedureOutput> RunSetIdentifiers(ProcedureContext& context, const Arguments& arguments) {
  SetIdentifierFields change;
  for (const std::string& text : arguments.TextList("columns")) {
    FIRN_ASSIGN(std::string column, ParseColumnName(text));
    change.columns.push_back(std::move(column));
  }
  return Commit(context, arguments, std::move(change));
}

}  // namespace

Procedure DescribeTableAlterDropColumn() {
  return {.command = {"table", "alter", "drop-column"},
          .call_name = "table_alter_drop_column",
          .summary = "Drop a column; files keep its values, which nothing reads any more.",
          .arguments =
              {ChangedTableArgument(),
               {.name = "column", .is_required = true, .is_positional = true, .help = "Its name."}},
          .can_dry_run = true,
          .run = RunDrop};
}

Procedure DescribeTableAlterRenameColumn() {
  return {.command = {"table", "alter", "rename-column"},
          .call_name = "table_alter_rename_column",
          .summary = "Rename a column; its values stay its own.",
          .arguments = {ChangedTableArgument(),
                        {.name = "column",
                         .is_required = true,
                         .is_positional = true,
                         .help = "Its name, as in 'a.b'."},
                        {.name = "new_name",
                         .is_required = true,
                         .is_positional = true,
                         .help = "Its new name alone, as in 'c'."}},
          .can_dry_run = true,
          .run = RunRename};
}

Procedure DescribeTableAlterSetIdentifierFields() {
  return {.command = {"table", "alter", "set-identifier-fields"},
          .call_name = "table_alter_set_identifier_fields",
          .summary = "Say which columns tell rows apart.",
          .arguments = {ChangedTableArgument(),
                        {.name = "columns",
                         .type = ArgumentType::kTextList,
                         .is_required = true,
                         .is_positional = true,
                         .help = "Required columns that are no floats; '' for none."}},
          .can_dry_run = true,
          .run = RunSetIdentifiers};
}

}  // namespace firn
