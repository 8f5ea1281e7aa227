#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference,
              ResolveChangeableTable(*context.session, arguments.Text("table")));
  const std::vector<TableUpdate> updates = {RemoveProperties{arguments.TextList("keys")}};
  FIRN_RETURN_IF_ERROR(CommitUpdates(reference, updates));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeTableUnset() {
  return {.command = {"table", "unset"},
          .call_name = "table_unset",
          .summary = "Remove properties of a table.",
          .arguments = {{.name = "table",
                         .type = ArgumentType::kTable,
                         .is_required = true,
                         .is_positional = true,
                         .help = "The table."},
                        {.name = "keys",
                         .type = ArgumentType::kTextList,
                         .is_required = true,
                         .is_positional = true,
                         .help = "Keys of properties; missing ones are no error."}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
