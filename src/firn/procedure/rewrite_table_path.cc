#include "firn/maintain/copy/rewrite_table_path.h"

#include <fmt/format.h>

#include "firn/io/dry_run_file_io.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"

namespace firn {
namespace {

Result<TableReference> ResolveWholeTable(Session& session, const std::string& text) {
  FIRN_ASSIGN(TableReference reference, session.ResolveTable(text));
  if (reference.branch || reference.tag) {
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' names a {} of a table, expected the table itself, which is copied with "
                     "all of them",
                     text, reference.branch ? "branch" : "tag");
  }
  return reference;
}

Result<ProcedureOutput> MakePreview(RewriteTablePathResult result) {
  return MakeFileRows("write",
                      [files = std::move(result.staged)](
                          const std::function<Status(FileToDelete)>& visit) -> Status {
                        for (const FileToDelete& file : files)
                          FIRN_RETURN_IF_ERROR(visit(file));
                        return {};
                      });
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  FIRN_ASSIGN(TableReference reference, ResolveWholeTable(session, arguments.Text("table")));
  RewriteTablePathOptions options{.source_prefix = arguments.Text("source_prefix"),
                                  .target_prefix = arguments.Text("target_prefix"),
                                  .start_version = arguments.Text("start_version"),
                                  .end_version = arguments.Text("end_version"),
                                  .creates_file_list = arguments.Boolean("create_file_list", true)};
  if (const auto staging = arguments.OptionalText("staging_location")) {
    options.staging_location = session.AbsoluteLocation(*staging);
  }
  if (context.is_dry_run) {
    reference.table.io = MakeDryRunFileIO(reference.table.io, session.clock(),
                                          [](std::string_view) { return false; });
  }
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  FIRN_ASSIGN(RewriteTablePathResult result, RewriteTablePath(maintain, reference.table, options));
  if (context.notice) {
    context.notice(fmt::format("{}{} files were written, {} are to be copied",
                               context.is_dry_run ? "dry run: " : "", result.staged.size(),
                               result.files_to_copy));
  }
  if (context.notice && !result.missing.empty()) {
    context.notice(
        fmt::format("warning: {} metadata files that the table's log names are gone, "
                    "such as '{}'; the copy lacks them, too",
                    result.missing.size(), result.missing.front()));
  }
  if (context.is_dry_run) return MakePreview(std::move(result));
  return MakeOutput(MakeRowType({{"latest_version", TextType()},
                                 {"file_list_location", TextType()},
                                 {"rewritten_manifest_file_paths_count", IntType()},
                                 {"rewritten_delete_file_paths_count", IntType()}}),
                    {{{Value(result.latest_version), Value(result.file_list_location),
                       Value(static_cast<int32_t>(result.rewritten_manifests)),
                       Value(static_cast<int32_t>(result.rewritten_delete_files))}}});
}

}  // namespace

Procedure DescribeRewriteTablePath() {
  return {
      .command = {"rewrite-table-path"},
      .call_name = "rewrite_table_path",
      .summary = "Write a table's metadata anew for a copy of it in another place.",
      .arguments = {TableOrLocationArgument(),
                    {.name = "source_prefix",
                     .type = ArgumentType::kText,
                     .is_required = true,
                     .help = "What all paths in the table begin with, as the table records them."},
                    {.name = "target_prefix",
                     .type = ArgumentType::kText,
                     .is_required = true,
                     .help = "What they begin with in the copy."},
                    {.name = "start_version",
                     .type = ArgumentType::kText,
                     .help = "Only what came after this metadata file, such as v3.metadata.json; "
                             "the copy has the rest.",
                     .default_text = "all"},
                    {.name = "end_version",
                     .type = ArgumentType::kText,
                     .help = "Copy the table as of this metadata file.",
                     .default_text = "the current one"},
                    {.name = "staging_location",
                     .type = ArgumentType::kText,
                     .help = "A folder for the files that are written anew. The table is not "
                             "changed.",
                     .default_text = "copy-table-staging-<uuid> beside the metadata"},
                    {.name = "create_file_list",
                     .type = ArgumentType::kBoolean,
                     .help = "Write the CSV file 'file-list' into it: for each file where it is "
                             "and where it belongs.",
                     .default_text = "true"}},
      .can_dry_run = true,
      .run = Run};
}

}  // namespace firn
