#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveNamespace(arguments.Text("namespace")));
  FIRN_ASSIGN(const Properties properties, reference.catalog->LoadNamespace(reference.levels));
  FIRN_ASSIGN(ProcedureOutput output,
              MakeOutput(MakeRowType({{"namespace", TextType()}, {"properties", TextMapType()}}),
                         {{{FormatNamespace(reference.levels), TextMap(properties)}}}));
  output.is_record = true;
  return output;
}

}  // namespace

Procedure DescribeNamespaceDescribe() {
  return {.command = {"namespace", "describe"},
          .call_name = "namespace_describe",
          .summary = "Show the properties of a namespace.",
          .arguments = {{.name = "namespace",
                         .type = ArgumentType::kNamespace,
                         .is_required = true,
                         .is_positional = true,
                         .help = "The namespace."}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
