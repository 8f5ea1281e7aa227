#include "firn/procedure/adopted_source_internal.h"
#include "firn/procedure/adopted_table_internal.h"
#include "firn/procedure/registry_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  return RunAdoptTable(context, arguments, {.owns_files = false}, "imported_files_count");
}

}  // namespace

Procedure DescribeSnapshotTable() {
  return {
      .command = {"snapshot"},
      .call_name = "snapshot",
      .summary = "Make a table elsewhere of files that it shares with others and never deletes.",
      .arguments =
          {{.name = "source_table",
            .type = ArgumentType::kText,
            .is_required = true,
            .is_positional = true,
            .help = "The folder of a Hive or Spark table, a glob or a file, or as Spark has it "
                    "`parquet`.`path`, `orc`.`path` or `avro`.`path`. Folders key=value are "
                    "columns, by which the table is partitioned."},
           {.name = "table",
            .type = ArgumentType::kTable,
            .is_required = true,
            .is_positional = true,
            .help = "The new table."},
           {.name = "location",
            .type = ArgumentType::kText,
            .help = "Where the new table lies; not in the source or around it.",
            .default_text = "the catalog's choice"},
           AdoptedPropertiesArgument(),
           ParallelismArgument(),
           IgnoreMissingFilesArgument()},
      .can_dry_run = true,
      .can_report = true,
      .run = Run};
}

}  // namespace firn
