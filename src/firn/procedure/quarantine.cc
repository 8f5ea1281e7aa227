#include "firn/maintain/orphans/quarantine.h"

#include <fmt/format.h>

#include "firn/base/civil_time.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Argument LocationArgument() {
  return {.name = "location",
          .type = ArgumentType::kText,
          .help = "The folder in which remove-orphan-files looked.",
          .default_text = "the table's location"};
}

std::string LocationOf(ProcedureContext& context, const Arguments& arguments,
                       const TableReference& reference) {
  const auto location = arguments.OptionalText("location");
  return location ? context.session->AbsoluteLocation(*location)
                  : reference.table.metadata->location;
}

Result<ProcedureOutput> ShowRuns(const ProcedureContext& context, FileIO& io,
                                 const std::string& location) {
  FIRN_ASSIGN(const auto runs, ListQuarantine(io, location));
  if (runs.empty() && context.notice) {
    context.notice(
        fmt::format("nothing is in quarantine in '{}'; if remove-orphan-files looked "
                    "through another folder, give it as --location",
                    location));
  }
  std::vector<StructValue> rows;
  for (const QuarantineRun& run : runs)
    rows.push_back({{run.name, run.file_count, run.bytes}});
  return MakeOutput(
      MakeRowType({{"run", TextType()}, {"files", LongType()}, {"bytes", LongType()}}),
      std::move(rows));
}

Result<ProcedureOutput> PreviewRestore(const ProcedureContext& context,
                                       const MaintainContext& maintain, FileIO& io,
                                       const std::string& location, const std::string& run) {
  FIRN_ASSIGN(RestorePreview preview, PreviewRestoreQuarantine(maintain, io, location, run));
  std::vector<FileAction> actions;
  for (FileToDelete& file : preview.restored)
    actions.push_back({"move", std::move(file)});
  if (preview.list) actions.push_back({"delete", *std::move(preview.list)});
  FIRN_ASSIGN(auto output, MakeFileActionRows(context, std::move(actions)));
  if (preview.missing > 0 && context.notice) {
    context.notice(fmt::format(
        "{} files of the run are neither in quarantine nor where they came from", preview.missing));
  }
  if (preview.first_failure) {
    output.failure = preview.first_failure->Within(
        fmt::format("{} files would stay in quarantine", preview.staying.size()));
  }
  return output;
}

Result<ProcedureOutput> Restore(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference,
              ResolveChangeableTable(*context.session, arguments.Text("table")));
  const std::string location = LocationOf(context, arguments, reference);
  FileIO& io = *reference.table.io;
  const auto run = arguments.OptionalText("run");
  if (!run) return ShowRuns(context, io, location);
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  if (context.is_dry_run) return PreviewRestore(context, maintain, io, location, *run);
  FIRN_ASSIGN(const MovedFiles moved, RestoreQuarantine(maintain, io, location, *run));
  FIRN_ASSIGN(auto output, MakeOutput(MakeRowType({{"run", TextType()},
                                                   {"restored_files_count", LongType()},
                                                   {"missing_files_count", LongType()}}),
                                      {{{*run, moved.moved, moved.already_gone}}}));
  if (moved.first_failure) {
    output.failure =
        moved.first_failure->Within(fmt::format("{} files stay in quarantine", moved.failed));
  }
  return output;
}

Result<ProcedureOutput> Empty(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference,
              ResolveChangeableTable(*context.session, arguments.Text("table")));
  const std::string location = LocationOf(context, arguments, reference);
  const Timestamp older_than = *arguments.Time("older_than");
  FIRN_RETURN_IF_ERROR(CheckMayDeleteFiles(*reference.table.metadata, "empty_quarantine"));
  if (context.is_dry_run) {
    std::vector<FileAction> actions;
    FIRN_RETURN_IF_ERROR(VisitOldQuarantine(*reference.table.io, location, older_than,
                                            [&](FileToDelete file) -> Status {
                                              actions.push_back({"delete", std::move(file)});
                                              return {};
                                            }));
    return MakeFileActionRows(context, std::move(actions));
  }
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  FIRN_ASSIGN(const auto emptied,
              EmptyQuarantine(maintain, *reference.table.io, location, older_than));
  FIRN_ASSIGN(auto output, MakeOutput(MakeRowType({{"deleted_files_count", LongType()}}),
                                      {{{emptied.deleted}}}));
  if (emptied.first_failure) {
    output.failure =
        emptied.first_failure->Within(fmt::format("{} files could not be deleted", emptied.failed));
  }
  return output;
}

}  // namespace

Procedure DescribeRestoreQuarantine() {
  return {.command = {"restore-quarantine"},
          .call_name = "restore_quarantine",
          .summary = "Bring back what remove-orphan-files moved into quarantine, or show its runs.",
          .arguments = {TableOrLocationArgument(),
                        {.name = "run",
                         .type = ArgumentType::kText,
                         .help = "The run whose files come back; without it, all are listed."},
                        LocationArgument()},
          .can_dry_run = true,
          .run = Restore};
}

Procedure DescribeEmptyQuarantine() {
  return {.command = {"empty-quarantine"},
          .call_name = "empty_quarantine",
          .summary = "Delete for good what has been in quarantine for some time.",
          .arguments = {TableOrLocationArgument(),
                        {.name = "older_than",
                         .type = ArgumentType::kTimestamp,
                         .is_required = true,
                         .help = "Only runs that began before this go, such as 30d."},
                        LocationArgument()},
          .can_dry_run = true,
          .run = Empty};
}

}  // namespace firn
