#include "firn/maintain/deletes/remove_dangling_deletes.h"

#include "firn/maintain/compaction/obsolete_deletes_internal.h"
#include "firn/maintain/deletes/delete_rewrite_internal.h"

namespace firn {
Result<std::vector<DeleteFilePtr>> FindDanglingDeletes(const MaintainContext& context,
                                                       const Table& table,
                                                       const std::string& branch) {
  FIRN_ASSIGN(const Snapshot* head, HeadOfBranch(*table.metadata, branch));
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
  FIRN_ASSIGN(const Snapshot* head, HeadOfBranch(*table.metadata, branch));
  request.branch = branch;
  request.starting_snapshot_id = head->snapshot_id;
  FIRN_ASSIGN(const CommitResult committed, CommitRewriteFiles(context.commit, table, request));
  return RemoveDanglingDeletesResult{.removed_delete_files_count = committed.removed_delete_files,
                                     .snapshot_id = committed.snapshot_id};
}

}  // namespace firn
