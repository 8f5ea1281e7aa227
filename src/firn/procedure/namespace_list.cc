#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveNamespace(arguments.Text("namespace")));
  FIRN_ASSIGN(const auto namespaces, reference.catalog->ListNamespaces(reference.levels));
  std::vector<StructValue> rows;
  for (const Namespace& levels : namespaces)
    rows.push_back({{FormatNamespace(levels)}});
  return MakeOutput(MakeRowType({{"namespace", TextType()}}), std::move(rows));
}

}  // namespace

Procedure DescribeNamespaceList() {
  return {.command = {"namespace", "list"},
          .call_name = "namespace_list",
          .summary = "List the namespaces directly below a catalog or a namespace.",
          .arguments = {{.name = "namespace",
                         .type = ArgumentType::kNamespace,
                         .is_positional = true,
                         .help = "A catalog or namespace.",
                         .default_text = "the default catalog"}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
