#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "firn/expression/expression.h"
#include "firn/format/puffin/delete_reference.h"
#include "firn/maintain/compaction/compaction_internal.h"
#include "firn/maintain/deletes/delete_commits_internal.h"
#include "firn/maintain/group_name_internal.h"

namespace firn {
namespace {

// Positions are held twice for a while: as they are read, and united.
constexpr int64_t kBudgetShare = 8;
// A set takes no more than a bit for each row, and this.
constexpr int64_t kBytesOfSet = 1024;

/// Runs groups, several at a time.
class DeleteGroupsRun {
 public:
  DeleteGroupsRun(const MaintainContext& context, const DeleteRewriteOptions& options,
                  const DeleteGroupRunner& run_group, DeleteCommits& commits)
      : context_(context), options_(options), run_group_(run_group), commits_(commits) {
    progress_.phase = "rewriting deletes";
  }

  Status Run(const std::vector<int64_t>& groups) {
    for (const int64_t group : groups) {
      progress_.files_total += static_cast<int64_t>(commits_.group(group).inputs.size());
      progress_.bytes_total += commits_.group(group).input_bytes;
    }
    Report();
    put_off_.clear();
    FIRN_RETURN_IF_ERROR(ParallelFor(
        *context_.commit.executor, groups.size(),
        [&](size_t i) { return RunGroup(commits_.group(groups[i]), true); }, context_.commit.cancel,
        static_cast<size_t>(options_.max_concurrent_file_group_rewrites)));
    for (const DeleteGroup* group : put_off_) {
      FIRN_RETURN_IF_ERROR(context_.commit.cancel.Check());
      FIRN_RETURN_IF_ERROR(RunGroup(*group, false));
    }
    return {};
  }

 private:
  Status RunGroup(const DeleteGroup& group, bool may_put_off) {
    Result<DeleteGroupResult> result = run_group_(commits_.table(), group);
    if (result.ok()) {
      FIRN_RETURN_IF_ERROR(commits_.Add(std::move(*result)));
      AddDone(group);
      return {};
    }
    Error error = result.error().Within(NameGroup(group.index, group.partition_path));
    const ErrorCode code = error.code();
    if (code == ErrorCode::kResourceExhausted && may_put_off) {
      const std::lock_guard lock(mutex_);
      put_off_.push_back(&group);
      return {};
    }
    const bool is_final = code == ErrorCode::kCancelled || code == ErrorCode::kInternal;
    if (!options_.has_partial_progress || is_final) return error;
    commits_.AddFailure(group, error);
    AddDone(group);
    return {};
  }

  void AddDone(const DeleteGroup& group) {
    const std::lock_guard lock(mutex_);
    progress_.files_done += static_cast<int64_t>(group.inputs.size());
    progress_.bytes_done += group.input_bytes;
    Report();
  }

  void Report() const {
    if (context_.progress) context_.progress(progress_);
  }

  const MaintainContext& context_;
  const DeleteRewriteOptions& options_;
  const DeleteGroupRunner& run_group_;
  DeleteCommits& commits_;
  std::mutex mutex_;
  Progress progress_;
  std::vector<const DeleteGroup*> put_off_;  // Memory was not enough.
};

bool IsEqual(const PositionSet& a, const PositionSet& b) {
  if (a.cardinality() != b.cardinality()) return false;
  PositionSet both = a;
  both.Union(b);
  return both.cardinality() == a.cardinality();
}

// The data files of `expected` with the written files that may delete in them.
std::vector<FileScanTask> TasksOf(const std::vector<FileDeletes>& expected,
                                  const std::vector<DeleteFile>& written) {
  std::vector<DeleteFilePtr> shared;
  std::unordered_multimap<std::string_view, DeleteFilePtr> by_target;
  for (const DeleteFile& file : written) {
    auto copy = std::make_shared<const DeleteFile>(file);
    const std::string_view target = ReferencedDataFile(copy->file);
    if (target.empty()) {
      shared.push_back(std::move(copy));
    } else {
      by_target.emplace(target, std::move(copy));
    }
  }
  std::vector<FileScanTask> tasks;
  for (const FileDeletes& deletes : expected) {
    FileScanTask& task = tasks.emplace_back();
    task.file = deletes.data_file;
    task.deletes = shared;
    const auto [begin, end] = by_target.equal_range(task.file.file_path);
    for (auto at = begin; at != end; ++at)
      task.deletes.push_back(at->second);
  }
  return tasks;
}

/// Of each spec, whether a partition may hold what is asked for.
class PartitionFilter {
 public:
  PartitionFilter(const TableMetadata& metadata, ExpressionPtr where)
      : metadata_(metadata), where_(std::move(where)) {}

  Result<RowMatcher> MatcherFor(const PartitionSpec& spec, const Type& type) const {
    FIRN_ASSIGN(ExpressionPtr projected, ProjectInclusive(where_, spec, type));
    return RowMatcher(std::move(projected), type);
  }

  Result<std::vector<DeleteFilePtr>> Read(FileIO& io, const ManifestFile& manifest,
                                          FileContent content) const {
    std::vector<DeleteFilePtr> files;
    const PartitionSpecPtr spec = metadata_.FindSpec(manifest.partition_spec_id);
    if (spec == nullptr) {
      return MakeError(ErrorCode::kCorrupt,
                       "manifest '{}' has partition spec {}, which the table does not know",
                       manifest.manifest_path, manifest.partition_spec_id);
    }
    const TypePtr type = PartitionType(*spec, metadata_.SchemasNewestFirst());
    std::optional<RowMatcher> matcher;
    if (where_ != nullptr) {
      FIRN_ASSIGN(matcher, MatcherFor(*spec, *type));
    }
    FIRN_RETURN_IF_ERROR(ReadManifest(
        io, manifest, *type, {.with_metrics = false, .with_deleted = false},
        [&](ManifestEntry& entry) -> Status {
          DataFile& file = entry.file;
          if (file.content != content || file.is_deletion_vector()) return {};
          if (matcher && !matcher->Matches(file.partition)) return {};
          files.push_back(std::make_shared<const DeleteFile>(DeleteFile{
              .file = std::move(file), .sequence_number = entry.sequence_number.value_or(0)}));
          return {};
        }));
    return files;
  }

 private:
  const TableMetadata& metadata_;
  const ExpressionPtr where_;
};

}  // namespace

Result<DeleteRewriteResult> RunDeleteRewrite(const MaintainContext& context, const Table& table,
                                             const std::string& branch,
                                             const DeleteRewriteOptions& options,
                                             const DeletePlanner& planner,
                                             const DeleteGroupRunner& run_group) {
  FIRN_ASSIGN(DeleteRewritePlan plan, planner(table, nullptr));
  if (plan.groups.empty()) return DeleteRewriteResult{.reason = std::move(plan.reason)};
  std::vector<int64_t> groups(plan.groups.size());
  std::iota(groups.begin(), groups.end(), int64_t{0});
  DeleteCommits commits(context, table, std::move(plan), branch, options, planner);
  DeleteGroupsRun run(context, options, run_group, commits);
  const auto run_and_commit = [&]() -> Result<std::vector<int64_t>> {
    FIRN_RETURN_IF_ERROR(run.Run(groups));
    return commits.CommitRest();
  };
  while (!groups.empty()) {
    Result<std::vector<int64_t>> again = run_and_commit();
    if (!again.ok()) {
      commits.Abandon();
      return again.error();
    }
    groups = std::move(*again);
  }
  return commits.Finish();
}

Result<const Snapshot*> HeadOfBranch(const TableMetadata& metadata, const std::string& branch) {
  const auto ref = metadata.refs.find(branch);
  if (ref != metadata.refs.end() && ref->second.type == RefType::kBranch) {
    return metadata.FindSnapshot(ref->second.snapshot_id);
  }
  if (branch == kMainBranch) return nullptr;
  return MakeError(ErrorCode::kNotFound, "there is no branch '{}'", branch);
}

Status ReadDeleteRewriteOptions(OptionReader& reader, DeleteRewriteOptions& options) {
  FIRN_RETURN_IF_ERROR(reader.Integer("max-concurrent-file-group-rewrites", 1,
                                      options.max_concurrent_file_group_rewrites));
  FIRN_RETURN_IF_ERROR(reader.Boolean("partial-progress.enabled", options.has_partial_progress));
  FIRN_RETURN_IF_ERROR(reader.Integer("partial-progress.max-commits", 1, options.max_commits));
  return reader.JobOrder(options.rewrite_job_order);
}

Result<std::vector<DeleteFilePtr>> ListDeleteFiles(const MaintainContext& context,
                                                   const Table& table, const Snapshot& snapshot,
                                                   FileContent content,
                                                   const ExpressionPtr& where) {
  FIRN_ASSIGN(std::vector<ManifestFile> manifests, ReadManifests(*table.io, snapshot));
  std::erase_if(manifests, [](const ManifestFile& manifest) {
    return manifest.content != ManifestContent::kDeletes || !manifest.has_live_files();
  });
  const PartitionFilter filter(*table.metadata, where);
  std::vector<std::vector<DeleteFilePtr>> of_manifests(manifests.size());
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *context.commit.executor, manifests.size(),
      [&](size_t i) -> Status {
        FIRN_ASSIGN(of_manifests[i], filter.Read(*table.io, manifests[i], content));
        return {};
      },
      context.commit.cancel));
  std::vector<DeleteFilePtr> all;
  for (std::vector<DeleteFilePtr>& files : of_manifests)
    std::move(files.begin(), files.end(), std::back_inserter(all));
  return all;
}

void OrderGroups(std::vector<DeleteGroup>& groups, const std::string& job_order) {
  const bool is_by_bytes = job_order.starts_with("bytes");
  const bool is_descending = job_order.ends_with("desc");
  const auto size = [&](const DeleteGroup& group) {
    return is_by_bytes ? group.input_bytes : static_cast<int64_t>(group.inputs.size());
  };
  if (job_order != "none") {
    std::stable_sort(groups.begin(), groups.end(), [&](const DeleteGroup& a, const DeleteGroup& b) {
      return is_descending ? size(a) > size(b) : size(a) < size(b);
    });
  }
  for (size_t i = 0; i < groups.size(); ++i)
    groups[i].index = static_cast<int64_t>(i);
}

std::vector<size_t> SplitByMemory(const MaintainContext& context,
                                  const std::vector<FileScanTask>& tasks, size_t concurrent) {
  const size_t at_once =
      std::max<size_t>(1, std::min(concurrent, context.commit.executor->concurrency() + 1));
  const int64_t bytes_max =
      context.budget->total_bytes() / (kBudgetShare * static_cast<int64_t>(at_once));
  const auto bytes_of = [&](size_t i) {
    return std::max<int64_t>(tasks[i].file.record_count, 0) / 8 + kBytesOfSet;
  };
  return PackInOrder(tasks.size(), bytes_of, bytes_max, std::numeric_limits<int64_t>::max());
}

Result<std::vector<DeleteFile>> WriteDeletes(const MaintainContext& context, const Table& table,
                                             const std::vector<FileDeletes>& deletes,
                                             const std::vector<int64_t>& numbers) {
  const WriteContext write = WriteContextOf(context, table);
  std::vector<DataFile> files;
  if (table.metadata->format_version >= 3) {
    FIRN_ASSIGN(files, WriteDeletionVectors(write, deletes));
  } else {
    FIRN_ASSIGN(files, WritePositionDeletes(write, deletes));
  }
  std::vector<DeleteFile> written;
  for (size_t i = 0; i < files.size(); ++i)
    written.push_back({.file = std::move(files[i]), .sequence_number = numbers[i]});
  return written;
}

Status VerifyDeletes(const MaintainContext& context, const Table& table,
                     const std::vector<FileDeletes>& expected,
                     const std::vector<DeleteFile>& written) {
  if (context.verification == Verification::kOff) return {};
  int64_t wanted = 0;
  int64_t found = 0;
  for (const FileDeletes& deletes : expected)
    wanted += deletes.positions.cardinality();
  for (const DeleteFile& file : written)
    found += file.file.record_count;
  if (wanted != found) {
    return MakeError(ErrorCode::kInternal,
                     "{} positions were to be written, the files hold {}; nothing was committed. "
                     "Please report this",
                     wanted, found);
  }
  if (context.verification == Verification::kCounts) return {};
  FIRN_ASSIGN(const auto read,
              LoadDeletedPositions(ReadContextOf(context, table), TasksOf(expected, written)));
  for (size_t i = 0; i < expected.size(); ++i) {
    if (IsEqual(read[i], expected[i].positions)) continue;
    return MakeError(ErrorCode::kInternal,
                     "the positions that were written for data file '{}' are not those that were "
                     "read; nothing was committed. Please report this",
                     expected[i].data_file.file_path);
  }
  return {};
}

}  // namespace firn
