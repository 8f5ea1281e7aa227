#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto from, context.session->ResolveNewTable(arguments.Text("table")));
  FIRN_ASSIGN(const auto to, context.session->ResolveNewTable(arguments.Text("new_name")));
  if (from.catalog_name != to.catalog_name) {
    return MakeError(ErrorCode::kInvalidInput,
                     "a table cannot be renamed from catalog '{}' into catalog '{}'; register it "
                     "there instead",
                     from.catalog_name, to.catalog_name);
  }
  FIRN_RETURN_IF_ERROR(from.catalog->Rename(from.name, to.name));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeTableRename() {
  return {.command = {"table", "rename"},
          .call_name = "table_rename",
          .summary = "Rename a table within its catalog; its files stay where they are.",
          .arguments = {{.name = "table",
                         .type = ArgumentType::kTable,
                         .is_required = true,
                         .is_positional = true,
                         .help = "The table."},
                        {.name = "new_name",
                         .type = ArgumentType::kTable,
                         .is_required = true,
                         .is_positional = true,
                         .help = "Its new name, with the namespace."}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
