#include "firn/base/log.h"
#include "firn/procedure/new_table_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/same_table_internal.h"

namespace firn {
namespace {

// A total of the current snapshot's summary; null if it does not tell.
Value SummaryTotal(const Snapshot* snapshot, std::string_view key) {
  if (snapshot == nullptr) return {};
  return OptionalValue(snapshot->summary.FindNumber(key));
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  FIRN_ASSIGN(const auto reference, session.ResolveNewTable(arguments.Text("table")));
  // Resolved as a location is: a folder means its newest metadata file.
  FIRN_ASSIGN(const auto source, session.ResolveLocation(arguments.Text("metadata_file")));
  FIRN_RETURN_IF_ERROR(PrepareNamespace(context, reference));
  FIRN_ASSIGN(const Table table,
              reference.catalog->Register(reference.name, source.table.metadata_location));
  if (const auto same = FindSameTable(session, reference, table)) {
    Log(LogLevel::kWarning,
        "'{}' is the same table as '{}' in catalog '{}': a change by one name is not seen by the "
        "other, and maintenance by one deletes files that the other needs; drop one of them "
        "without purge",
        FormatTableName(reference.name), FormatTableName(*same), reference.catalog_name);
  }
  const Snapshot* snapshot = table.metadata->current_snapshot();
  return MakeOutput(
      MakeRowType({{"current_snapshot_id", LongType()},
                   {"total_records_count", LongType()},
                   {"total_data_files_count", LongType()}}),
      {{{OptionalValue(table.metadata->current_snapshot_id),
         SummaryTotal(snapshot, "total-records"), SummaryTotal(snapshot, "total-data-files")}}});
}

}  // namespace

Procedure DescribeTableRegister() {
  return {
      .command = {"table", "register"},
      .call_name = "register_table",
      .summary = "Name an existing table in a catalog.",
      .arguments = {{.name = "table",
                     .type = ArgumentType::kTable,
                     .is_required = true,
                     .is_positional = true,
                     .help = "The new name."},
                    {.name = "metadata_file",
                     .type = ArgumentType::kText,
                     .is_required = true,
                     .is_positional = true,
                     .help = "A metadata file, or a table's folder, whose newest one is taken."}},
      .can_dry_run = false,
      .run = Run};
}

}  // namespace firn
