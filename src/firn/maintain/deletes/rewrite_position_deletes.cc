#include "firn/maintain/deletes/rewrite_position_deletes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "firn/data/deletes/partition_deletes.h"
#include "firn/maintain/compaction/compaction_internal.h"
#include "firn/maintain/deletes/delete_rewrite_internal.h"

namespace firn {
namespace {

int64_t NewestDelete(const FileScanTask& task) {
  int64_t newest = 0;
  for (const DeleteFilePtr& file : task.deletes)
    newest = std::max(newest, file->sequence_number);
  return newest;
}

/// Writes the positions of one group, of as many data files at a time as memory allows.
class PositionDeleteGroup {
 public:
  PositionDeleteGroup(const MaintainContext& context, const Table& table, const DeleteGroup& group,
                      const RewritePositionDeletesOptions& options)
      : context_(context), table_(table), group_(group), options_(options) {
    result_.index = group.index;
  }

  Result<DeleteGroupResult> Run() {
    const Status status = WriteAll();
    if (status.ok()) return std::move(result_);
    // What is wrong is kept, as evidence.
    if (status.error().code() != ErrorCode::kInternal) {
      DiscardOutputs(*table_.io, FilesOf(result_.added));
    }
    return status.error();
  }

 private:
  Status WriteAll() {
    const auto concurrent = static_cast<size_t>(options_.max_concurrent_file_group_rewrites);
    auto begin = group_.tasks.begin();
    for (const size_t end : SplitByMemory(context_, group_.tasks, concurrent)) {
      const auto last = group_.tasks.begin() + static_cast<std::ptrdiff_t>(end);
      FIRN_RETURN_IF_ERROR(WriteTasks({begin, last}));
      begin = last;
    }
    return {};
  }

  Status WriteTasks(const std::vector<FileScanTask>& tasks) {
    FIRN_ASSIGN(auto positions, LoadDeletedPositions(ReadContextOf(context_, table_), tasks));
    std::vector<FileDeletes> deletes;
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (positions[i].empty()) continue;
      deletes.push_back({.data_file = tasks[i].file, .positions = std::move(positions[i])});
      numbers.push_back(NewestDelete(tasks[i]));
    }
    if (deletes.empty()) return {};
    FIRN_ASSIGN(std::vector<DeleteFile> written, Write(deletes, numbers));
    const auto first = static_cast<std::ptrdiff_t>(result_.added.size());
    result_.added.insert(result_.added.end(), written.begin(), written.end());
    return VerifyDeletes(context_, table_, deletes,
                         {result_.added.begin() + first, result_.added.end()});
  }

  Result<std::vector<DeleteFile>> Write(const std::vector<FileDeletes>& deletes,
                                        const std::vector<int64_t>& numbers) const {
    const bool is_shared = options_.is_by_partition && table_.metadata->format_version < 3;
    if (!is_shared) return WriteDeletes(context_, table_, deletes, numbers);
    const FileSizes sizes{.target_bytes = options_.target_file_size_bytes,
                          .min_bytes = options_.min_file_size_bytes,
                          .max_bytes = options_.max_file_size_bytes};
    FIRN_ASSIGN(std::vector<DataFile> files,
                WritePartitionDeletes(WriteContextOf(context_, table_), deletes,
                                      sizes.SplitBytes(group_.input_bytes)));
    // None of the data files is younger than the deletes that apply to it.
    const int64_t number = *std::max_element(numbers.begin(), numbers.end());
    std::vector<DeleteFile> written;
    for (DataFile& file : files)
      written.push_back({.file = std::move(file), .sequence_number = number});
    return written;
  }

  const MaintainContext& context_;
  const Table& table_;
  const DeleteGroup& group_;
  const RewritePositionDeletesOptions& options_;
  DeleteGroupResult result_;
};

}  // namespace

Result<DeleteRewriteResult> RewritePositionDeletes(const MaintainContext& context,
                                                   const Table& table, const std::string& branch,
                                                   const ExpressionPtr& where,
                                                   const RewritePositionDeletesOptions& options) {
  return RunDeleteRewrite(
      context, table, branch, options,
      [&](const Table& now, const DeleteFileKeys* only) {
        return PlanPositionDeletes(context, now, branch, where, options, only);
      },
      [&](const Table& now, const DeleteGroup& group) {
        return PositionDeleteGroup(context, now, group, options).Run();
      });
}

}  // namespace firn
