#include "firn/data/data.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/snapshot_arguments_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_read_internal.h"

namespace firn {
namespace {

Result<int64_t> CountTable(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  FIRN_ASSIGN(const auto reference, session.ResolveTable(arguments.Text("table")));
  FIRN_ASSIGN(const TableRead read, PrepareRead(arguments, reference));
  if (!read.snapshot_id) return 0;
  const TableMetadata& metadata = *reference.table.metadata;
  FIRN_ASSIGN(const auto exact, CountFromMetadata(*reference.table.io, metadata,
                                                  MakeScanOptions(read, *read.snapshot_id),
                                                  session.executor(), session.cancel()));
  if (exact) return *exact;
  // The position costs no bytes of the files; only the filter's columns are read.
  FIRN_ASSIGN(SchemaPtr projection, ProjectColumns(metadata, *read.schema, {"_pos"}));
  FIRN_ASSIGN(RowStream rows, OpenRows(context, reference, read, std::move(projection)));
  return CountRows(std::move(rows));
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const int64_t count, CountTable(context, arguments));
  return MakeOutput(MakeRowType({{"count", LongType()}}), {{{count}}});
}

}  // namespace

Procedure DescribeCount() {
  std::vector<Argument> arguments = {
      TableOrLocationArgument(),
      {.name = "where",
       .type = ArgumentType::kText,
       .help = "Count only the rows for which this SQL predicate is true."}};
  for (Argument& argument : SnapshotArguments())
    arguments.push_back(std::move(argument));
  return {.command = {"count"},
          .call_name = "count",
          .summary = "Count rows, from metadata where that is exact.",
          .arguments = std::move(arguments),
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn
