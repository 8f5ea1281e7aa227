#include <fmt/format.h>

#include "firn/maintain/orphans/remove_orphan_files.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference,
              ResolveChangeableTable(*context.session, arguments.Text("table")));
  RemoveOrphanFilesOptions options;
  options.now = context.session->clock().Now();
  options.older_than = arguments.Time("older_than");
  options.allows_recent = arguments.Boolean("allow_recent");
  options.location = reference.table.metadata->MetadataLocation();
  options.max_fraction = 1;
  options.only_metadata = true;
  FIRN_ASSIGN(options.max_concurrent_deletes, ConcurrentDeletes(arguments));
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  if (context.is_dry_run) {
    FIRN_ASSIGN(std::shared_ptr<OrphanFiles> files,
                FindOrphanFiles(maintain, reference.table, options));
    if (context.notice) {
      context.notice(fmt::format("dry run: delete {} files ({} bytes)", files->orphan_count(),
                                 files->orphan_bytes()));
    }
    return MakeFileRows("delete", [files](const std::function<Status(FileToDelete)>& visit) {
      return files->Visit(visit);
    });
  }
  FIRN_ASSIGN(const auto result, RemoveOrphanFiles(maintain, reference.table, options));
  FIRN_ASSIGN(auto output, MakeOutput(MakeRowType({{"deleted_metadata_files_count", LongType()}}),
                                      {{{result.removed_count}}}));
  if (result.first_failure) {
    output.failure = result.first_failure->Within(
        fmt::format("{} files could not be deleted", result.failed_count));
  }
  return output;
}

}  // namespace

Procedure DescribeRemoveOldMetadata() {
  return {.command = {"remove-old-metadata"},
          .call_name = "remove_old_metadata",
          .summary = "Delete metadata files that the table's log does not name any more.",
          .arguments = {TableOrLocationArgument(),
                        {.name = "older_than",
                         .type = ArgumentType::kTimestamp,
                         .help = "Only files last modified before this go. Without zone: UTC.",
                         .default_text = "3d"},
                        {.name = "allow_recent",
                         .type = ArgumentType::kBoolean,
                         .help = "older_than may be less than 24 hours ago: no writer is at work.",
                         .default_text = "false"},
                        ConcurrentDeletesArgument()},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
