#include "firn/maintain/remove_dangling_deletes.h"

#include "firn/maintain/obsolete_deletes_internal.h"

namespace firn {
namespace {

Result<const Snapshot*> HeadOf(const Table& table, const std::string& branch) {
  const auto ref = table.metadata->refs.find(branch);
  if (ref != table.metadata->refs.end() && ref->second.type == RefType::kBranch) {
    return table.metadata->FindSnapshot(ref->second.snapshot_id);
  }
  if (branch == kMainBranch) return nullptr;
  return MakeError(ErrorCode::kNotFound, "there is no branch '{}'", branch);
}

}  // namespace

Result<std::vector<DeleteFilePtr>> FindDanglingDeletes(const MaintainContext& context,
                                                       const Table& table,
                                                       const std::string& branch) {
  FIRN_ASSIGN(const Snapshot* head, HeadOf(table, branch));
  if (head == nullptr) return std::vector<DeleteFilePtr>();
  ScanOptions scan;
  scan.snapshot_id = head->snapshot_id;
  FIRN_ASSIGN(const auto tasks, PlanAllFiles(*table.io, *table.metadata, scan,
                                             *context.commit.executor, context.commit.cancel));
  DeleteUses uses;
  uses.Add(tasks);
  return FindUnusedDeletes(context, table, *head, uses);
}

Result<RemoveDanglingDeletesResult> RemoveDanglingDeletes(const MaintainContext& context,
                                                          const Table& table,
                                                          const std::string& branch) {
  RewriteFilesRequest request;
  FIRN_ASSIGN(request.removed_delete_files, FindDanglingDeletes(context, table, branch));
  if (request.removed_delete_files.empty()) return RemoveDanglingDeletesResult();
  FIRN_ASSIGN(const Snapshot* head, HeadOf(table, branch));
  request.branch = branch;
  request.starting_snapshot_id = head->snapshot_id;
  FIRN_ASSIGN(const CommitResult committed, CommitRewriteFiles(context.commit, table, request));
  return RemoveDanglingDeletesResult{.removed_delete_files_count = committed.removed_delete_files,
                                     .snapshot_id = committed.snapshot_id};
}

}  // namespace firn
