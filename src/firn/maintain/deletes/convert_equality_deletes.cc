#include "firn/maintain/deletes/convert_equality_deletes.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "firn/data/read/equality_positions.h"
#include "firn/format/puffin/delete_reference.h"
#include "firn/maintain/compaction/compaction_internal.h"
#include "firn/maintain/deletes/delete_rewrite_internal.h"

namespace firn {
namespace {

bool IsEquality(const DeleteFilePtr& file) {
  return file->file.content == FileContent::kEqualityDeletes;
}

/// Converts one group, as many data files at a time as memory has room for their positions.
class EqualityDeleteGroup {
 public:
  EqualityDeleteGroup(const MaintainContext& context, const Table& table, const DeleteGroup& group)
      : context_(context),
        table_(table),
        group_(group),
        has_vectors_(table.metadata->format_version >= 3) {
    result_.index = group.index;
  }

  Result<DeleteGroupResult> Run() {
    const Status status = ConvertAll();
    if (status.ok()) return std::move(result_);
    // What is wrong is kept, as evidence.
    if (status.error().code() != ErrorCode::kInternal) {
      DiscardOutputs(*table_.io, FilesOf(result_.added));
    }
    return status.error();
  }

 private:
  Status ConvertAll() {
    auto begin = group_.tasks.begin();
    for (const size_t end : SplitByMemory(context_, group_.tasks, 1)) {
      const auto last = group_.tasks.begin() + static_cast<std::ptrdiff_t>(end);
      FIRN_RETURN_IF_ERROR(Convert({begin, last}));
      begin = last;
    }
    return {};
  }

  Status Convert(const std::vector<FileScanTask>& tasks) {
    FIRN_ASSIGN(PositionsByFile found,
                FindEqualityDeletedRows(ReadContextOf(context_, table_), tasks));
    std::vector<FileScanTask> hit;
    for (const FileScanTask& task : tasks) {
      if (found.contains(task.file.file_path)) hit.push_back(task);
    }
    std::vector<PositionSet> before(hit.size());
    if (has_vectors_) {
      // A file has one vector, which holds all.
      FIRN_ASSIGN(before, LoadDeletedPositions(ReadContextOf(context_, table_),
                                               WithoutEqualityDeletes(hit)));
    }
    std::vector<FileDeletes> deletes;
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < hit.size(); ++i) {
      before[i].Union(found[hit[i].file.file_path]);
      deletes.push_back({.data_file = hit[i].file, .positions = std::move(before[i])});
      numbers.push_back(NumberOf(hit[i]));
      if (has_vectors_) RemoveMerged(hit[i]);
    }
    std::vector<DeleteFile> written;
    if (!deletes.empty()) {
      FIRN_ASSIGN(written, WriteDeletes(context_, table_, deletes, numbers));
    }
    result_.added.insert(result_.added.end(), written.begin(), written.end());
    FIRN_RETURN_IF_ERROR(VerifyDeletes(context_, table_, deletes, written));
    return VerifyRows(tasks, written);
  }

  // As old as the newest delete that is in it: more than the data file, and seen by everybody who
  // would have seen the equality delete.
  int64_t NumberOf(const FileScanTask& task) const {
    int64_t newest = 0;
    for (const DeleteFilePtr& file : task.deletes) {
      if (has_vectors_ || IsEquality(file)) newest = std::max(newest, file->sequence_number);
    }
    return newest;
  }

  // Delete files that are for this data file alone, and whose positions are in its new vector.
  void RemoveMerged(const FileScanTask& task) {
    for (const DeleteFilePtr& file : task.deletes) {
      if (!IsEquality(file) && ReferencedDataFile(file->file) == task.file.file_path) {
        result_.removed.push_back(file);
      }
    }
  }

  // By reading all rows twice: with the deletes as they are, and as they will be.
  Status VerifyRows(const std::vector<FileScanTask>& tasks,
                    const std::vector<DeleteFile>& written) const {
    if (context_.verification != Verification::kContent) return {};
    std::unordered_multimap<std::string_view, DeleteFilePtr> by_target;
    for (const DeleteFile& file : written) {
      auto copy = std::make_shared<const DeleteFile>(file);
      const std::string_view target = ReferencedDataFile(copy->file);
      by_target.emplace(target, std::move(copy));
    }
    std::vector<FileScanTask> converted = WithoutEqualityDeletes(tasks);
    for (FileScanTask& task : converted) {
      const auto [begin, end] = by_target.equal_range(task.file.file_path);
      if (begin == end) continue;
      if (has_vectors_) task.deletes.clear();
      for (auto at = begin; at != end; ++at)
        task.deletes.push_back(at->second);
    }
    const SchemaPtr schema = table_.metadata->current_schema();
    FIRN_ASSIGN(const RowsHash before, HashTasks(context_, table_, tasks, schema));
    FIRN_ASSIGN(const RowsHash after, HashTasks(context_, table_, converted, schema));
    if (before == after) return {};
    return MakeError(ErrorCode::kInternal,
                     "the converted deletes leave other rows than the equality deletes: {} instead "
                     "of {} rows of {} data files; nothing was committed. Please report this",
                     after.rows, before.rows, tasks.size());
  }

  const MaintainContext& context_;
  const Table& table_;
  const DeleteGroup& group_;
  const bool has_vectors_;
  DeleteGroupResult result_;
};

}  // namespace

Result<DeleteRewriteResult> ConvertEqualityDeletes(const MaintainContext& context,
                                                   const Table& table, const std::string& branch,
                                                   const ExpressionPtr& where,
                                                   const ConvertEqualityDeletesOptions& options) {
  // One group at a time: keys and decoded columns take the memory, and files are read in parallel.
  DeleteRewriteOptions one_by_one = options;
  one_by_one.max_concurrent_file_group_rewrites = 1;
  return RunDeleteRewrite(
      context, table, branch, one_by_one,
      [&](const Table& now, const DeleteFileKeys* only) {
        return PlanEqualityDeletes(context, now, branch, where, options, only);
      },
      [&](const Table& now, const DeleteGroup& group) {
        return EqualityDeleteGroup(context, now, group).Run();
      });
}

}  // namespace firn
