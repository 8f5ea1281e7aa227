#include <string>
#include <utility>

#include "firn/data/data.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"
#include "firn/procedure/where_argument_internal.h"

namespace firn {
namespace {

Result<TableReference> ResolveRewrittenBranch(ProcedureContext& context,
                                              const Arguments& arguments) {
  FIRN_ASSIGN(auto reference, context.session->ResolveTable(arguments.Text("table")));
  const auto branch = arguments.OptionalText("branch");
  if (reference.tag || (reference.branch && branch && *reference.branch != *branch)) {
    return MakeError(ErrorCode::kInvalidInput, "'{}' does not name the branch to rewrite",
                     arguments.Text("table"));
  }
  if (!reference.catalog) return ResolveChangeableTable(*context.session, arguments.Text("table"));
  if (branch) reference.branch = branch;
  if (!reference.branch) reference.branch = std::string(kMainBranch);
  return reference;
}

Result<Verification> ParseVerification(const std::string& text) {
  if (text == "off") return Verification::kOff;
  if (text == "counts") return Verification::kCounts;
  if (text == "content") return Verification::kContent;
  return MakeError(ErrorCode::kInvalidInput, "verify is '{}', expected counts, content or off",
                   text);
}

}  // namespace

MaintainContext MakeMaintainContext(ProcedureContext& context, const TableReference& reference) {
  Session& session = *context.session;
  MaintainContext maintain;
  maintain.commit = MakeCommitContext(session, reference);
  maintain.budget = &session.budget();
  if (context.progress) {
    maintain.progress = [&context](const Progress& progress) {
      if (progress.bytes_total > 0) {
        context.progress(progress.phase, progress.bytes_done, progress.bytes_total, "bytes");
      } else {
        context.progress(progress.phase, progress.files_done, progress.files_total, "files");
      }
    };
  }
  return maintain;
}

Result<RewriteCall> BeginRewrite(ProcedureContext& context, const Arguments& arguments) {
  RewriteCall call;
  FIRN_ASSIGN(call.reference, ResolveRewrittenBranch(context, arguments));
  call.branch = *call.reference.branch;
  FIRN_ASSIGN(call.where, ParseWhere(arguments, *call.table().metadata->current_schema()));
  call.maintain = MakeMaintainContext(context, call.reference);
  FIRN_ASSIGN(call.maintain.verification, ParseVerification(arguments.Text("verify", "counts")));
  return call;
}

Argument RewrittenBranchArgument() {
  return {.name = "branch",
          .type = ArgumentType::kText,
          .help = "The branch to rewrite.",
          .default_text = "main"};
}

Argument ConcurrentDeletesArgument() {
  return {.name = "max_concurrent_deletes",
          .type = ArgumentType::kInteger,
          .help = "How many requests of deletion run at the same time.",
          .default_text = "number of threads"};
}

Result<int64_t> ConcurrentDeletes(const Arguments& arguments) {
  const auto count = arguments.Integer("max_concurrent_deletes");
  if (!count) return 0;
  if (*count >= 1) return *count;
  return MakeError(ErrorCode::kInvalidInput, "max_concurrent_deletes is {}, expected 1 or more",
                   *count);
}

Result<ProcedureOutput> MakeFileRows(std::string_view action, VisitFiles visit_files) {
  TypePtr type = MakeRowType(
      {{"action", TextType()}, {"kind", TextType()}, {"path", TextType()}, {"bytes", LongType()}});
  const auto produce = [action = std::string(action), visit_files = std::move(visit_files)](
                           const std::function<Status(StructValue&&)>& visit) {
    return visit_files([&](FileToDelete file) {
      return visit({{Value(action), Value(std::string(FormatFileKind(file.kind))),
                     Value(std::move(file.path)), OptionalValue(file.bytes)}});
    });
  };
  FIRN_ASSIGN(RowStream rows, StreamRows(type, produce));
  return ProcedureOutput{.type = std::move(type), .rows = std::move(rows)};
}

Result<ProcedureOutput> MakeDeleteFileRows(std::string_view action,
                                           std::vector<DeleteFilePtr> files) {
  return MakeFileRows(
      action,
      [files = std::move(files)](const std::function<Status(FileToDelete)>& visit) -> Status {
        for (const DeleteFilePtr& file : files)
          FIRN_RETURN_IF_ERROR(
              visit({KindOf(file->file), file->file.file_path, file->file.file_size_in_bytes}));
        return {};
      });
}

Result<ProcedureOutput> MakeDeletePlanRows(std::string_view action, const DeleteRewritePlan& plan) {
  std::vector<DeleteFilePtr> files;
  for (const DeleteGroup& group : plan.groups)
    files.insert(files.end(), group.inputs.begin(), group.inputs.end());
  return MakeDeleteFileRows(action, std::move(files));
}

}  // namespace firn
