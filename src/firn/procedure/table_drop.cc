#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveNewTable(arguments.Text("table")));
  FIRN_RETURN_IF_ERROR(reference.catalog->Drop(reference.name, DropFiles::kKeep));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeTableDrop() {
  return {.command = {"table", "drop"},
          .call_name = "table_drop",
          .summary = "Forget a table; its files stay.",
          .arguments = {{.name = "table",
                         .type = ArgumentType::kTable,
                         .is_required = true,
                         .is_positional = true,
                         .help = "The table."}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
