#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveNamespace(arguments.Text("namespace")));
  FIRN_RETURN_IF_ERROR(
      reference.catalog->UpdateNamespace(reference.levels, {}, arguments.TextList("keys")));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeNamespaceUnset() {
  return {.command = {"namespace", "unset"},
          .call_name = "namespace_unset",
          .summary = "Remove properties of a namespace.",
          .arguments = {{.name = "namespace",
                         .type = ArgumentType::kNamespace,
                         .is_required = true,
                         .is_positional = true,
                         .help = "The namespace."},
                        {.name = "keys",
                         .type = ArgumentType::kTextList,
                         .is_required = true,
                         .is_positional = true,
                         .help = "Keys of properties; missing ones are no error."}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
