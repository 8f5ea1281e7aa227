#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firn/io/uri.h"
#include "firn/maintain/expiry/purge_table.h"
#include "firn/maintain/orphans/quarantine.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

void TellRemains(const ProcedureContext& context, const Table& table, const PurgeRemains& remains) {
  if (!context.notice) return;
  if (remains.adopted_files_count > 0) {
    context.notice(fmt::format("{} files that were added from folders of others stay there",
                               remains.adopted_files_count));
  }
  if (remains.shared_files_count > 0) {
    std::vector<std::string> names;
    for (const TableName& name : remains.sharing_tables)
      names.push_back("'" + FormatTableName(name) + "'");
    context.notice(
        fmt::format("{} files stay, since {} needs them, too: the same table by another name, or "
                    "one in the same folders",
                    remains.shared_files_count, fmt::join(names, " or ")));
  }
  const auto runs = ListQuarantine(*table.io, table.metadata->location);
  if (!runs.ok() || runs->empty()) return;
  context.notice(
      fmt::format("{} runs of orphan removal stay in quarantine in '{}': empty it "
                  "before, or delete that folder",
                  runs->size(), JoinUri(table.metadata->location, "_firn_quarantine")));
}

Result<ProcedureOutput> Purge(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(auto reference, ResolveChangeableTable(*context.session, arguments.Text("table")));
  reference.table.name = reference.name;
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  if (context.is_dry_run) {
    FIRN_RETURN_IF_ERROR(CheckMayDeleteFiles(*reference.table.metadata, "dropping with purge"));
    std::vector<FileAction> actions;
    FIRN_ASSIGN(const PurgeRemains remains,
                VisitReachableFiles(maintain, reference.table, [&](FileToDelete file) -> Status {
                  actions.push_back({"delete", std::move(file)});
                  return {};
                }));
    TellRemains(context, reference.table, remains);
    return MakeFileActionRows(context, std::move(actions));
  }
  FIRN_ASSIGN(const auto result, PurgeTable(maintain, reference.table));
  FIRN_ASSIGN(auto output, MakeOutput(MakeRowType({{"deleted_files_count", LongType()}}),
                                      {{{result.deleted_files_count}}}));
  TellRemains(context, reference.table, result.remains);
  if (result.first_failure) {
    output.failure = result.first_failure->Within(fmt::format(
        "the table was dropped, but {} files could not be deleted", result.failed_files_count));
  }
  return output;
}

// Whoever wants the table back needs to know where its metadata is.
void TellForgotten(const ProcedureContext& context, const TableName& name,
                   const Result<Table>& table, std::string_view was) {
  if (!context.notice) return;
  context.notice(fmt::format("{}table '{}' {} forgotten; its files stay{}",
                             context.is_dry_run ? "dry run: " : "", FormatTableName(name), was,
                             table.ok()
                                 ? fmt::format(": 'firn table register {} {}' brings it back",
                                               FormatTableName(name), table->metadata_location)
                                 : std::string()));
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  if (arguments.Boolean("purge")) return Purge(context, arguments);
  FIRN_ASSIGN(const auto reference, context.session->ResolveNewTable(arguments.Text("table")));
  // One that is broken can be forgotten, too.
  const auto table = reference.catalog->Load(reference.name);
  if (context.is_dry_run) {
    if (!table.ok() && table.error().code() == ErrorCode::kNotFound) return table.error();
    TellForgotten(context, reference.name, table, "would be");
    return MakeEmptyOutput();
  }
  FIRN_RETURN_IF_ERROR(reference.catalog->Drop(reference.name, DropFiles::kKeep));
  TellForgotten(context, reference.name, table, "was");
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeTableDrop() {
  return {.command = {"table", "drop"},
          .call_name = "table_drop",
          .summary = "Forget a table; its files stay, unless it is purged.",
          .arguments = {{.name = "table",
                         .type = ArgumentType::kTable,
                         .is_required = true,
                         .is_positional = true,
                         .help = "The table."},
                        {.name = "purge",
                         .type = ArgumentType::kBoolean,
                         .help = "Also delete all files that the table reaches.",
                         .default_text = "false"}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
