#include "firn/procedure/adopted_source_internal.h"
#include "firn/procedure/adopted_table_internal.h"
#include "firn/procedure/registry_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  if (!arguments.Has("source_table")) {
    return MakeError(ErrorCode::kInvalidInput,
                     "source_table is missing: tables of Hive's own catalog cannot be looked up, "
                     "so name the folder of '{}', such as `parquet`.`/warehouse/t`",
                     arguments.Text("table"));
  }
  return RunAdoptTable(context, arguments, {.owns_files = true}, "migrated_files_count");
}

}  // namespace

Procedure DescribeMigrateTable() {
  return {.command = {"migrate"},
          .call_name = "migrate",
          .summary = "Make a table of a folder of files, in that folder; the files become its own.",
          .arguments =
              {{.name = "table",
                .type = ArgumentType::kTable,
                .is_required = true,
                .is_positional = true,
                .help = "The new table."},
               AdoptedPropertiesArgument(),
               {.name = "drop_backup",
                .type = ArgumentType::kBoolean,
                .help = "Accepted for Spark's sake: there is no table of Hive that would be kept."},
               {.name = "backup_table_name",
                .type = ArgumentType::kText,
                .help = "Accepted for Spark's sake, likewise."},
               ParallelismArgument(),
               IgnoreMissingFilesArgument(),
               {.name = "source_table",
                .type = ArgumentType::kText,
                .is_positional = true,
                .help = "The folder, or as Spark has it `parquet`.`path`, `orc`.`path` or "
                        "`avro`.`path`. Required, as long as Hive's catalog is not read. Folders "
                        "key=value are columns, by which the table is partitioned."}},
          .can_dry_run = true,
          .can_report = true,
          .run = Run};
}

}  // namespace firn
