#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_description_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveTable(arguments.Text("table")));
  FIRN_ASSIGN(ProcedureOutput output,
              MakeOutput(TableDescriptionType(), {DescribeTable(reference)}));
  output.is_record = true;
  return output;
}

}  // namespace

Procedure DescribeTableDescribe() {
  return {.command = {"table", "describe"},
          .call_name = "table_describe",
          .summary = "Show what a table is: schema, partitioning, refs, properties.",
          .arguments = {TableOrLocationArgument()},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
