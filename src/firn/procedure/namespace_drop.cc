#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Status CheckEmpty(Catalog& catalog, const Namespace& levels) {
  FIRN_RETURN_IF_ERROR(catalog.LoadNamespace(levels));
  FIRN_ASSIGN(const auto tables, catalog.ListTables(levels));
  FIRN_ASSIGN(const auto inner, catalog.ListNamespaces(levels));
  if (tables.empty() && inner.empty()) return {};
  return MakeError(ErrorCode::kInvalidInput, "namespace '{}' is not empty: it holds '{}'",
                   FormatNamespace(levels),
                   tables.empty() ? inner.front().back() : tables.front().name);
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveNamespace(arguments.Text("namespace")));
  if (context.is_dry_run) {
    FIRN_RETURN_IF_ERROR(CheckEmpty(*reference.catalog, reference.levels));
    return MakeEmptyOutput();
  }
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
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
