#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

// Tables of `levels` and of all namespaces below it.
Status AddTables(Catalog& catalog, const Namespace& levels, const CancelToken& cancel,
                 std::vector<StructValue>& rows) {
  FIRN_RETURN_IF_ERROR(cancel.Check());
  FIRN_ASSIGN(const auto tables, catalog.ListTables(levels));
  for (const TableName& table : tables) {
    rows.push_back({{FormatNamespace(table.levels), table.name}});
  }
  FIRN_ASSIGN(const auto children, catalog.ListNamespaces(levels));
  for (const Namespace& child : children) {
    FIRN_RETURN_IF_ERROR(AddTables(catalog, child, cancel, rows));
  }
  return {};
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, context.session->ResolveNamespace(arguments.Text("namespace")));
  std::vector<StructValue> rows;
  FIRN_RETURN_IF_ERROR(
      AddTables(*reference.catalog, reference.levels, context.session->cancel(), rows));
  return MakeOutput(MakeRowType({{"namespace", TextType()}, {"table", TextType()}}),
                    std::move(rows));
}

}  // namespace

Procedure DescribeTableList() {
  return {.command = {"table", "list"},
          .call_name = "table_list",
          .summary = "List the tables of a catalog or a namespace and of all below it.",
          .arguments = {{.name = "namespace",
                         .type = ArgumentType::kNamespace,
                         .is_positional = true,
                         .help = "A catalog or namespace.",
                         .default_text = "the default catalog"}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
