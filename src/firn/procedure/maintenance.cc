#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "firn/data/data.h"
#include "firn/maintain/file_lookup.h"
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
  FIRN_RETURN_IF_ERROR(CheckCanCommitSnapshot(reference));
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

namespace {

TypePtr FileRowType() {
  return MakeRowType(
      {{"action", TextType()}, {"kind", TextType()}, {"path", TextType()}, {"bytes", LongType()}});
}

StructValue MakeFileRow(std::string action, FileToDelete file) {
  return {{Value(std::move(action)), Value(std::string(FormatFileKind(file.kind))),
           Value(std::move(file.path)), OptionalValue(file.bytes)}};
}

}  // namespace

Result<ProcedureOutput> MakeFileRows(std::string_view action, VisitFiles visit_files) {
  TypePtr type = FileRowType();
  const auto produce = [action = std::string(action), visit_files = std::move(visit_files)](
                           const std::function<Status(StructValue&&)>& visit) {
    return visit_files(
        [&](FileToDelete file) { return visit(MakeFileRow(action, std::move(file))); });
  };
  FIRN_ASSIGN(RowStream rows, StreamRows(type, produce));
  return ProcedureOutput{.type = std::move(type), .rows = std::move(rows)};
}

void TellNothingToDo(const ProcedureContext& context, const std::string& reason) {
  if (!context.notice || reason.empty()) return;
  context.notice((context.is_dry_run ? "dry run: nothing to do: " : "nothing to do: ") + reason);
}

Result<ProcedureOutput> MakeFileActionRows(const ProcedureContext& context,
                                           std::vector<FileAction> actions,
                                           const std::string& reason) {
  std::map<std::string, std::pair<int64_t, int64_t>> totals;
  std::vector<StructValue> rows;
  for (FileAction& one : actions) {
    auto& [files, bytes] = totals[one.action];
    ++files;
    bytes += one.file.bytes.value_or(0);
    rows.push_back(MakeFileRow(std::move(one.action), std::move(one.file)));
  }
  if (rows.empty() && !reason.empty()) {
    TellNothingToDo(context, reason);
  } else if (context.notice) {
    std::string text;
    for (const auto& [action, total] : totals)
      text += fmt::format("{}{} {} files ({} bytes)", text.empty() ? "" : ", ", action, total.first,
                          total.second);
    context.notice("dry run: " + (text.empty() ? "there is nothing to do" : text));
  }
  return MakeOutput(FileRowType(), std::move(rows));
}

Result<ProcedureOutput> MakeTakenOutRows(const ProcedureContext& context,
                                         const MaintainContext& maintain, const Table& table,
                                         std::vector<FileToDelete> files, int64_t commit_count,
                                         const std::string& reason) {
  FIRN_ASSIGN(auto metadata, FindMetadataToDrop(maintain, table, files.empty() ? 0 : commit_count));
  std::vector<FileAction> actions;
  for (std::vector<FileToDelete>* some : {&files, &metadata}) {
    for (FileToDelete& file : *some)
      actions.push_back({"delete", std::move(file)});
  }
  return MakeFileActionRows(context, std::move(actions), reason);
}

FileToDelete DescribeFile(const DataFile& file) {
  return {KindOf(file), file.file_path, OwnBytes(file)};
}

std::vector<FileToDelete> DescribeInputs(const DeleteRewritePlan& plan) {
  std::vector<FileToDelete> files;
  for (const DeleteGroup& group : plan.groups) {
    for (const DeleteFilePtr& file : group.inputs)
      files.push_back(DescribeFile(file->file));
  }
  return files;
}

int64_t CountCommits(size_t group_count, bool has_partial_progress, int64_t commits_max) {
  if (!has_partial_progress || group_count == 0) return 1;
  const auto groups = static_cast<int64_t>(group_count);
  const int64_t groups_of_each = (groups + commits_max - 1) / commits_max;
  return (groups + groups_of_each - 1) / groups_of_each;
}

}  // namespace firn
