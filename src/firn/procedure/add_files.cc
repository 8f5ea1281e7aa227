#include "firn/ingest/adoption/add_files.h"

#include <fmt/format.h>

#include "firn/format/metadata/adopted_folders.h"
#include "firn/procedure/adopted_source_internal.h"
#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/row_change_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, ResolveRowsToChange(context, arguments));
  FIRN_RETURN_IF_ERROR(CheckParallelism(arguments));
  const std::string text = arguments.Text("source_table");
  FIRN_ASSIGN(const AdoptedSource source, ParseAdoptedSource(*context.session, text));
  AddFilesRequest request;
  FIRN_ASSIGN(static_cast<SnapshotOptions&>(request), ParseSnapshotOptions(arguments, reference));
  request.sources = {source.location};
  request.format = source.format;
  request.partition_filter = arguments.TextMap("partition_filter");
  const auto added = AddFiles(MakeAdoptionContext(context, reference), reference.table, request);
  if (!added.ok() && !request.partition_filter.empty()) return added.error();
  if (!added.ok()) return ExplainMissingSource(added.error(), text);
  if (!added->is_repeat && !context.is_dry_run && context.notice) {
    const bool has_folders = added->table.metadata->properties.contains(kAdoptedFolders);
    context.notice(
        has_folders
            ? fmt::format("{} files are the table's where they lie: those outside of its own "
                          "folder stay there even when no snapshot needs them any more (table "
                          "property {}; without it expiry deletes them)",
                          added->added_files, kAdoptedFolders)
            : fmt::format("{} files belong to the table now: maintenance deletes them once no "
                          "snapshot needs them; if others read them, too, set its property "
                          "gc.enabled to false",
                          added->added_files));
  }
  if (added->is_repeat && context.notice) {
    context.notice(fmt::format("idempotency key '{}' was used before, by snapshot {}",
                               *request.idempotency_key, added->snapshot_id));
  }
  return FinishChange(
      context, reference.table.metadata.get(), added->table, added->snapshot_id,
      MakeOutput(
          MakeRowType({{"added_files_count", LongType()}, {"changed_partition_count", LongType()}}),
          {{{Value(added->added_files), OptionalValue(added->changed_partitions)}}}));
}

}  // namespace

Procedure DescribeAddFiles() {
  return {
      .command = {"add-files"},
      .call_name = "add_files",
      .summary = "Let files that others wrote become part of a table where they lie.",
      .arguments = WithSnapshotOptions(
          {{.name = "table",
            .type = ArgumentType::kTable,
            .is_required = true,
            .is_positional = true,
            .help = "The table, or its location, or a branch of it."},
           {.name = "source_table",
            .type = ArgumentType::kText,
            .is_required = true,
            .is_positional = true,
            .help = "A folder, a file or a glob, or as Spark has it `parquet`.`path`, `orc`.`path` "
                    "or `avro`.`path`. Without a format, names and first bytes of files tell it. "
                    "Folders are looked through with all below them; names that begin with . or _ "
                    "are left out."},
           {.name = "partition_filter",
            .type = ArgumentType::kTextMap,
            .help = "Only files of partitions with this value of a partition field; may be "
                    "repeated."},
           {.name = "check_duplicate_files",
            .type = ArgumentType::kBoolean,
            .help = "Accepted as Spark has it. Files that the table has already are refused in any "
                    "case: in a table that names a file twice readers do not agree on the rows.",
            .default_text = "true"},
           ParallelismArgument(),
           {.name = "idempotency_key",
            .type = ArgumentType::kText,
            .help = "A repeat with the same key adds nothing: it is kept with the snapshot."}}),
      .can_dry_run = true,
      .can_report = true,
      .run = Run};
}

}  // namespace firn
