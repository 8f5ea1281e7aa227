#include "firn/commit/rewrite_manifests.h"

#include <cstdint>
#include <utility>

#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<RewriteManifestsRequest> ParseRequest(const Arguments& arguments) {
  RewriteManifestsRequest request;
  if (const auto spec_id = arguments.Integer("spec_id")) {
    if (*spec_id < 0 || *spec_id > INT32_MAX) {
      return MakeError(ErrorCode::kInvalidInput, "spec_id is {}, expected a partition spec",
                       *spec_id);
    }
    request.spec_id = static_cast<int32_t>(*spec_id);
  }
  if (arguments.Has("sort_by")) request.sort_by = arguments.TextList("sort_by");
  request.smaller_than_bytes = arguments.Integer("smaller_than_bytes").value_or(0);
  if (request.smaller_than_bytes < 0 ||
      (arguments.Has("smaller_than_bytes") && request.smaller_than_bytes == 0)) {
    return MakeError(ErrorCode::kInvalidInput, "smaller_than_bytes is {}, expected 1 or more",
                     request.smaller_than_bytes);
  }
  return request;
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference, ResolveWholeTable(*context.session, arguments.Text("table")));
  FIRN_RETURN_IF_ERROR(CheckCanCommitSnapshot(reference));
  FIRN_ASSIGN(const auto request, ParseRequest(arguments));
  if (context.is_dry_run) {
    FIRN_ASSIGN(const auto chosen, ChooseManifestsToRewrite(reference.table, request));
    std::vector<FileToDelete> files;
    for (const ManifestFile& manifest : chosen.manifests)
      files.push_back({FileKind::kManifest, manifest.manifest_path, manifest.manifest_length});
    return MakeTakenOutRows(context, MakeMaintainContext(context, reference), reference.table,
                            std::move(files), 1, chosen.reason);
  }
  FIRN_ASSIGN(const auto result,
              CommitRewriteManifests(MakeCommitContext(*context.session, reference),
                                     reference.table, request));
  TellNothingToDo(context, result.reason);
  return MakeOutput(
      MakeRowType({{"rewritten_manifests_count", IntType()}, {"added_manifests_count", IntType()}}),
      {{{static_cast<int32_t>(result.rewritten_manifests_count),
         static_cast<int32_t>(result.added_manifests_count)}}});
}

}  // namespace

Procedure DescribeRewriteManifests() {
  return {.command = {"rewrite-manifests"},
          .call_name = "rewrite_manifests",
          .summary = "Put the entries of many manifests into few, with near partitions together.",
          .arguments = {TableOrLocationArgument(),
                        {.name = "use_caching",
                         .type = ArgumentType::kBoolean,
                         .help = "Accepted for Spark's sake: entries are not held."},
                        {.name = "spec_id",
                         .type = ArgumentType::kInteger,
                         .help = "Only manifests of this partition spec.",
                         .default_text = "the table's current spec"},
                        {.name = "sort_by",
                         .type = ArgumentType::kTextList,
                         .help = "Partition fields after which entries are put together, such as "
                                 "ts_day.",
                         .default_text = "all fields of the spec in order"},
                        {.name = "smaller_than_bytes",
                         .type = ArgumentType::kInteger,
                         .help = "Only manifests of fewer bytes, such as 10485760.",
                         .default_text = "of any size"}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn
