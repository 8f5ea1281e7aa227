#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveNamespace(arguments.Text("namespace")));
  FIRN_RETURN_IF_ERROR(reference.catalog->DropNamespace(reference.levels));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeNamespaceDrop() {
  return {.command = {"namespace", "drop"},
          .call_name = "namespace_drop",
          .summary = "Drop an empty namespace.",
          .arguments = {{.name = "namespace",
                         .type = ArgumentType::kNamespace,
                         .is_required = true,
                         .is_positional = true,
                         .help = "A namespace that holds no table and no other namespace."}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
