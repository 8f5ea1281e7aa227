#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveNamespace(arguments.Text("namespace")));
  const auto properties = arguments.TextMap("properties");
  FIRN_RETURN_IF_ERROR(reference.catalog->UpdateNamespace(
      reference.levels, Properties(properties.begin(), properties.end()), {}));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeNamespaceSet() {
  return {.command = {"namespace", "set"},
          .call_name = "namespace_set",
          .summary = "Set properties of a namespace.",
          .arguments = {{.name = "namespace",
                         .type = ArgumentType::kNamespace,
                         .is_required = true,
                         .is_positional = true,
                         .help = "The namespace."},
                        {.name = "properties",
                         .type = ArgumentType::kTextMap,
                         .is_required = true,
                         .is_positional = true,
                         .help = "Properties as KEY=VALUE."}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
