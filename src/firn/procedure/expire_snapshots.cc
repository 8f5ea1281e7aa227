#include "firn/maintain/expiry/expire_snapshots.h"

#include <fmt/format.h>

#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<ExpireSnapshotsOptions> ParseOptions(ProcedureContext& context, const Arguments& arguments) {
  ExpireSnapshotsOptions options;
  options.retention = {.now = context.session->clock().Now(),
                       .older_than = arguments.Time("older_than"),
                       .retain_last = arguments.Integer("retain_last"),
                       .snapshot_ids = arguments.IntegerList("snapshot_ids")};
  options.cleans_metadata = arguments.Boolean("clean_expired_metadata");
  FIRN_ASSIGN(options.max_concurrent_deletes, ConcurrentDeletes(arguments));
  return options;
}

void Notice(ProcedureContext& context, const std::string& text) {
  if (context.notice) context.notice(text);
}

// An id that was mistyped expires nothing.
void WarnOfUnknownSnapshots(ProcedureContext& context, const TableMetadata& metadata,
                            const std::vector<SnapshotId>& ids) {
  for (const SnapshotId id : ids) {
    if (metadata.FindSnapshot(id) != nullptr) continue;
    Notice(context, fmt::format("warning: the table has no snapshot {}", id));
  }
}

std::string DescribeRefs(const std::vector<std::string>& refs) {
  return refs.empty() ? "" : ", " + DescribeDroppedRefs(refs);
}

Result<ProcedureOutput> Preview(ProcedureContext& context, const TableReference& reference,
                                const ExpireSnapshotsOptions& options) {
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  FIRN_ASSIGN(auto preview, PreviewExpireSnapshots(maintain, reference.table, options));
  const ExpiredHistory& history = preview->history();
  Notice(context,
         fmt::format("{} of {} snapshots would be expired{}", history.snapshot_ids.size(),
                     reference.table.metadata->snapshots.size(), DescribeRefs(history.refs)));
  return MakeFileRows("delete", [shared = std::shared_ptr<ExpiryPreview>(std::move(preview))](
                                    const std::function<Status(FileToDelete)>& visit) {
    return shared->VisitFiles(visit);
  });
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference,
              ResolveChangeableTable(*context.session, arguments.Text("table")));
  FIRN_ASSIGN(const auto options, ParseOptions(context, arguments));
  WarnOfUnknownSnapshots(context, *reference.table.metadata, options.retention.snapshot_ids);
  if (context.is_dry_run) return Preview(context, reference, options);
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  FIRN_ASSIGN(const auto result, ExpireSnapshots(maintain, reference.table, options));
  Notice(context, fmt::format("{} of {} snapshots were expired{}", result.expired_snapshots_count,
                              reference.table.metadata->snapshots.size(),
                              DescribeRefs(result.dropped_refs)));
  if (result.left_files_count > 0) {
    Notice(context, fmt::format("{} files that were added from folders of others stay there (table "
                                "property firn.adopted-folders; without it they are deleted)",
                                result.left_files_count));
  }
  if (result.already_gone_count > 0) {
    Notice(context, fmt::format("{} of the files were gone already", result.already_gone_count));
  }
  FIRN_ASSIGN(
      auto output,
      MakeOutput(MakeRowType({{"deleted_data_files_count", LongType()},
                              {"deleted_position_delete_files_count", LongType()},
                              {"deleted_equality_delete_files_count", LongType()},
                              {"deleted_manifest_files_count", LongType()},
                              {"deleted_manifest_lists_count", LongType()},
                              {"deleted_statistics_files_count", LongType()}}),
                 {{{result.deleted_data_files_count, result.deleted_position_delete_files_count,
                    result.deleted_equality_delete_files_count, result.deleted_manifest_files_count,
                    result.deleted_manifest_lists_count, result.deleted_statistics_files_count}}}));
  if (result.first_failure) {
    output.failure = result.first_failure->Within(
        fmt::format("snapshots were expired, but {} files could not be deleted; "
                    "remove_orphan_files finds them",
                    result.failed_files_count));
  }
  return output;
}

}  // namespace

Procedure DescribeExpireSnapshots() {
  return {
      .command = {"expire-snapshots"},
      .call_name = "expire_snapshots",
      .summary = "Remove old snapshots and the files that only they need.",
      .arguments =
          {TableOrLocationArgument(),
           {.name = "older_than",
            .type = ArgumentType::kTimestamp,
            .help = "Snapshots older than this go, unless retain_last or a branch or tag keeps "
                    "them. Without zone: UTC.",
            .default_text = "history.expire.max-snapshot-age-ms ago, else 5d"},
           {.name = "retain_last",
            .type = ArgumentType::kInteger,
            .help = "How many snapshots of each branch stay, whatever their age.",
            .default_text = "history.expire.min-snapshots-to-keep, else 1"},
           ConcurrentDeletesArgument(),
           {.name = "stream_results",
            .type = ArgumentType::kBoolean,
            .help = "Accepted for Spark's sake: memory is bounded either way."},
           {.name = "snapshot_ids",
            .type = ArgumentType::kIntegerList,
            .help = "Snapshots that go besides, whatever their age. The head of a branch or what "
                    "a tag names cannot go."},
           {.name = "clean_expired_metadata",
            .type = ArgumentType::kBoolean,
            .help = "Also forget partition specs and schemas that nothing uses any more.",
            .default_text = "false"}},
      .can_dry_run = true,
      .run = Run};
}

}  // namespace firn
