#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveNamespace(arguments.Text("namespace")));
  const auto properties = arguments.TextMap("properties");
  FIRN_RETURN_IF_ERROR(reference.catalog->CreateNamespace(
      reference.levels, Properties(properties.begin(), properties.end())));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeNamespaceCreate() {
  return {
      .command = {"namespace", "create"},
      .call_name = "namespace_create",
      .summary = "Create a namespace.",
      .arguments = {{.name = "namespace",
                     .type = ArgumentType::kNamespace,
                     .is_required = true,
                     .is_positional = true,
                     .help = "The new namespace, after its catalog if that is not the default."},
                    {.name = "properties",
                     .type = ArgumentType::kTextMap,
                     .help = "A property of the namespace; may be repeated.",
                     .option_name = "property"}},
      .can_dry_run = false,
      .run = Run};
}

}  // namespace firn
