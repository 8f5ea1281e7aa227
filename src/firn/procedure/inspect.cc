#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/snapshot_arguments_internal.h"
#include "firn/scan/metadata_table.h"

namespace firn {
namespace {

std::string ListViews() {
  std::string list;
  for (const MetadataTable& table : MetadataTables()) {
    list += (list.empty() ? "" : ", ") + table.name;
  }
  return list;
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const MetadataTable* view, FindMetadataTable(arguments.Text("view")));
  Session& session = *context.session;
  FIRN_ASSIGN(const auto reference, session.ResolveTable(arguments.Text("table")));
  MetadataTableRequest request;
  request.io = reference.table.io.get();
  request.metadata = reference.table.metadata.get();
  request.metadata_location = reference.table.metadata_location;
  FIRN_ASSIGN(request.selector, SelectSnapshot(arguments, reference));
  request.executor = &session.executor();
  request.cancel = session.cancel();
  FIRN_ASSIGN(TypePtr type, view->type(request));
  std::vector<StructValue> rows;
  FIRN_RETURN_IF_ERROR(view->scan(request, [&rows](StructValue&& row) -> Status {
    rows.push_back(std::move(row));
    return {};
  }));
  return MakeOutput(std::move(type), std::move(rows));
}

}  // namespace

Procedure DescribeInspect() {
  std::vector<Argument> arguments = {
      {.name = "table",
       .type = ArgumentType::kTable,
       .is_required = true,
       .is_positional = true,
       .help = "A table name or a location."},
      {.name = "view",
       .type = ArgumentType::kText,
       .is_required = true,
       .is_positional = true,
       .help = "One of " + ListViews() + "; '-' is as good as '_'."}};
  for (Argument& argument : SnapshotArguments())
    arguments.push_back(std::move(argument));
  return {.command = {"inspect"},
          .call_name = "inspect",
          .summary = "Show one of Iceberg's metadata tables.",
          .arguments = std::move(arguments),
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
