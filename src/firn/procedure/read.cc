#include "firn/procedure/registry_internal.h"
#include "firn/procedure/snapshot_arguments_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_read_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  const auto limit = arguments.Integer("limit");
  if (limit && *limit < 0) {
    return MakeError(ErrorCode::kInvalidInput, "limit is {}, expected >= 0", *limit);
  }
  FIRN_ASSIGN(const auto reference, context.session->ResolveTable(arguments.Text("table")));
  FIRN_ASSIGN(const TableRead read, PrepareRead(arguments, reference));
  FIRN_ASSIGN(SchemaPtr projection, ProjectColumns(*reference.table.metadata, *read.schema,
                                                   arguments.TextList("columns")));
  ProcedureOutput output;
  output.type = projection->as_struct();
  output.row_count_max = limit.value_or(-1);
  FIRN_ASSIGN(output.rows, OpenRows(context, reference, read, std::move(projection)));
  return output;
}

std::vector<Argument> ReadArguments() {
  std::vector<Argument> arguments = {
      TableOrLocationArgument(),
      {.name = "columns",
       .type = ArgumentType::kTextList,
       .help = "Columns in this order, nested ones as a.b; also _file, _pos, _partition, _spec_id, "
               "_row_id, _last_updated_sequence_number.",
       .default_text = "all"},
      {.name = "where",
       .type = ArgumentType::kText,
       .help = "Read only the rows for which this SQL predicate is true."}};
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
  arguments.push_back({.name = "limit",
                       .type = ArgumentType::kInteger,
                       .help = "Stop after this many rows.",
                       .default_text = "all"});
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
