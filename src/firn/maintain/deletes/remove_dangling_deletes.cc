#include "firn/maintain/deletes/remove_dangling_deletes.h"

#include <utility>

#include <fmt/format.h>

#include "firn/maintain/compaction/obsolete_deletes_internal.h"
#include "firn/maintain/deletes/delete_rewrite_internal.h"

namespace firn {

Result<DanglingDeletes> FindDanglingDeletes(const MaintainContext& context, const Table& table,
                                            const std::string& branch) {
  FIRN_ASSIGN(const Snapshot* head, HeadOfBranch(*table.metadata, branch));
  if (head == nullptr) return DanglingDeletes{.reason = "the table has no snapshot"};
  ScanOptions scan;
  scan.snapshot_id = head->snapshot_id;
  FIRN_ASSIGN(const auto tasks, PlanAllFiles(*table.io, *table.metadata, scan,
                                             *context.commit.executor, context.commit.cancel));
  DeleteUses uses;
  uses.Add(tasks);
  DanglingDeletes found;
  FIRN_ASSIGN(found.files, FindUnusedDeletes(context, table, *head, uses));
  found.used_count = uses.file_count();
  if (!found.files.empty()) return found;
  found.reason =
      found.used_count == 0
          ? "there is no delete file"
          : fmt::format("each of {} delete files applies to some data file", found.used_count);
  return found;
}

Result<RemoveDanglingDeletesResult> RemoveDanglingDeletes(const MaintainContext& context,
                                                          const Table& table,
                                                          const std::string& branch) {
  RewriteFilesRequest request;
  FIRN_ASSIGN(DanglingDeletes found, FindDanglingDeletes(context, table, branch));
  if (found.files.empty()) return RemoveDanglingDeletesResult{.reason = std::move(found.reason)};
  request.removed_delete_files = std::move(found.files);
  FIRN_ASSIGN(const Snapshot* head, HeadOfBranch(*table.metadata, branch));
  request.branch = branch;
  request.starting_snapshot_id = head->snapshot_id;
  FIRN_ASSIGN(const CommitResult committed, CommitRewriteFiles(context.commit, table, request));
  return RemoveDanglingDeletesResult{.removed_delete_files_count = committed.removed_delete_files,
                                     .snapshot_id = committed.snapshot_id};
}

}  // namespace firn
