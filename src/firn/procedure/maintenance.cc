#include <string>
#include <utility>

#include "firn/data/data.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {

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

}  // namespace firn
