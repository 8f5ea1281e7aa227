#include "firn/catalog/table_evolution.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  const auto texts = arguments.TextMap("properties");
  const Properties properties(texts.begin(), texts.end());
  Random& random = context.session->random();
  FIRN_RETURN_IF_ERROR(ChangeTableOf(context, arguments, [&](const TableMetadata& metadata) {
    return PlanSetProperties(metadata, properties, random);
  }));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeTableSet() {
  return {.command = {"table", "set"},
          .call_name = "table_set",
          .summary = "Set properties of a table.",
          .arguments = {ChangedTableArgument(),
                        {.name = "properties",
                         .type = ArgumentType::kTextMap,
                         .is_required = true,
                         .is_positional = true,
                         .help = "Properties as KEY=VALUE; format-version=N upgrades the table."}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
