#include "firn/procedure/registry_internal.h"
#include "firn/procedure/snapshot_arguments_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_read_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const int64_t limit, ReadLimit(arguments));
  FIRN_ASSIGN(const auto reference, context.session->ResolveTable(arguments.Text("table")));
  FIRN_ASSIGN(const TableRead read, PrepareRead(arguments, reference));
  FIRN_ASSIGN(SchemaPtr projection, ProjectColumns(*reference.table.metadata, *read.schema,
                                                   arguments.TextList("columns")));
  ProcedureOutput output;
  output.type = projection->as_struct();
  output.row_count_max = limit;
  FIRN_ASSIGN(output.rows, OpenRows(context, reference, read, std::move(projection)));
  return output;
}

std::vector<Argument> ReadArguments() {
  std::vector<Argument> arguments = {
      TableOrLocationArgument(),
      ColumnsArgument("; also _file, _pos, _partition, _spec_id, _row_id, "
                      "_last_updated_sequence_number"),
      RowFilterArgument()};
  for (Argument& argument : SnapshotArguments())
    arguments.push_back(std::move(argument));
  arguments.push_back({.name = "from_snapshot_id",
                       .type = ArgumentType::kInteger,
                       .help = "Read the rows that were appended after this snapshot.",
                       .default_text = "all rows of one snapshot"});
  arguments.push_back({.name = "to_snapshot_id",
                       .type = ArgumentType::kInteger,
                       .help = "The last snapshot whose appended rows are read.",
                       .default_text = "the current one"});
  arguments.push_back(LimitArgument());
  return arguments;
}

}  // namespace

Procedure DescribeRead() {
  return {.command = {"read"},
          .call_name = "read",
          .summary = "Read the rows of a table, in no particular order.",
          .arguments = ReadArguments(),
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
