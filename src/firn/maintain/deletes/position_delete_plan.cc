#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "firn/base/format_bytes.h"
#include "firn/base/text.h"
#include "firn/format/puffin/delete_reference.h"
#include "firn/maintain/deletes/delete_rewrite_internal.h"
#include "firn/maintain/deletes/rewrite_position_deletes.h"

namespace firn {
namespace {

FileSizes SizesOf(const RewritePositionDeletesOptions& options) {
  return {.target_bytes = options.target_file_size_bytes,
          .min_bytes = options.min_file_size_bytes,
          .max_bytes = options.max_file_size_bytes};
}

bool IsWorthRewriting(const DeleteGroup& group, const RewritePositionDeletesOptions& options) {
  const FileSizes sizes = SizesOf(options);
  const bool has_several = group.inputs.size() > 1;
  return (has_several && static_cast<int64_t>(group.inputs.size()) >= options.min_input_files) ||
         (has_several && group.input_bytes > sizes.target_bytes) ||
         group.input_bytes > sizes.max_bytes;
}

/// What the planner has looked at.
struct PositionDeleteSurvey {
  int64_t files = 0;
  int64_t candidates = 0;         ///< By their size.
  int64_t most_in_partition = 0;  ///< Candidates that may go together.
  int64_t not_fewer = 0;          ///< Files of groups from which as many would come.
};

std::string DescribeNothingToDo(const PositionDeleteSurvey& survey,
                                const RewritePositionDeletesOptions& options, bool converts) {
  if (survey.files == 0) {
    return std::string(
               "there is no position delete file to look at, in the table or in what "
               "'where' leaves of it") +
           (converts ? "; deletion vectors stay as they are" : "");
  }
  if (survey.not_fewer > 0) {
    return fmt::format(
        "of {} position delete files as many would come: each data file has its own "
        "(write.delete.granularity)",
        survey.not_fewer);
  }
  const auto bytes = [](int64_t count) { return FormatBytes(static_cast<double>(count)); };
  const std::string limits =
      fmt::format("below {} (min-file-size-bytes) or above {} (max-file-size-bytes)",
                  bytes(options.min_file_size_bytes), bytes(options.max_file_size_bytes));
  std::string text;
  if (survey.candidates == 0) {
    text = fmt::format("{} position delete files were looked at: none is {}", survey.files, limits);
  } else {
    text = fmt::format(
        "{} of {} position delete files are {}, but no group in a partition has {} of them "
        "(min-input-files; the most in a partition is {}) or more of them than fill a file of {} "
        "(target-file-size-bytes)",
        survey.candidates, survey.files, limits, std::max<int64_t>(options.min_input_files, 2),
        survey.most_in_partition, bytes(options.target_file_size_bytes));
  }
  return text + "; rewrite-all=true takes every file";
}

/// Delete files of one partition of one spec.
struct Bucket {
  std::vector<DeleteFilePtr> files;
};

// In the order in which partitions are first seen.
std::vector<Bucket> BucketByPartition(std::vector<DeleteFilePtr> files) {
  std::vector<Bucket> buckets;
  std::unordered_multimap<uint64_t, size_t> by_hash;
  for (DeleteFilePtr& file : files) {
    const uint64_t hash = HashValue(Value::Struct(file->file.partition.fields));
    const auto [begin, end] = by_hash.equal_range(hash);
    auto at = begin;
    for (; at != end; ++at) {
      const DataFile& first = buckets[at->second].files.front()->file;
      if (first.partition_spec_id == file->file.partition_spec_id &&
          first.partition.fields == file->file.partition.fields) {
        break;
      }
    }
    if (at == end) {
      by_hash.emplace(hash, buckets.size());
      buckets.push_back({.files = {std::move(file)}});
    } else {
      buckets[at->second].files.push_back(std::move(file));
    }
  }
  return buckets;
}

class PositionDeletePlanner {
 public:
  PositionDeletePlanner(const MaintainContext& context, const Table& table,
                        const RewritePositionDeletesOptions& options, const DeleteFileKeys* only)
      : context_(context),
        table_(table),
        metadata_(*table.metadata),
        options_(options),
        only_(only) {}

  Result<DeleteRewritePlan> Plan(const Snapshot& head, const ExpressionPtr& where) {
    ExpressionPtr bound;
    if (where != nullptr) {
      FIRN_ASSIGN(bound, Bind(where, *metadata_.current_schema()), "filter");
    }
    FIRN_ASSIGN(auto files,
                ListDeleteFiles(context_, table_, head, FileContent::kPositionDeletes, bound));
    plan_.starting_snapshot_id = head.snapshot_id;
    survey_.files = static_cast<int64_t>(files.size());
    const auto is_left_out = [&](const DeleteFilePtr& file) { return !IsAsked(file); };
    if (only_ != nullptr && !converts()) std::erase_if(files, is_left_out);
    for (Bucket& bucket : BucketByPartition(std::move(files)))
      AddGroups(std::move(bucket));
    if (plan_.groups.empty()) return Nothing();
    FIRN_RETURN_IF_ERROR(AddTasks(head));
    for (DeleteGroup& group : plan_.groups)
      Describe(group);
    if (options_.only_fewer && !converts()) {
      std::erase_if(plan_.groups, [this](const DeleteGroup& group) {
        const auto inputs = static_cast<int64_t>(group.inputs.size());
        const bool is_as_many = group.expected_outputs >= inputs;
        if (is_as_many) survey_.not_fewer += inputs;
        return is_as_many;
      });
    }
    if (plan_.groups.empty()) return Nothing();
    OrderGroups(plan_.groups, options_.rewrite_job_order);
    return std::move(plan_);
  }

 private:
  bool converts() const { return metadata_.format_version >= 3; }

  DeleteRewritePlan Nothing() {
    plan_.reason = DescribeNothingToDo(survey_, options_, converts());
    return std::move(plan_);
  }

  bool IsAsked(const DeleteFilePtr& file) const {
    return only_ == nullptr || only_->contains(FileKey(file->file));
  }

  void AddGroups(Bucket bucket) {
    if (std::none_of(bucket.files.begin(), bucket.files.end(),
                     [this](const DeleteFilePtr& file) { return IsAsked(file); })) {
      return;
    }
    if (converts()) {
      AddGroup({bucket.files.begin(), bucket.files.end()});
      return;
    }
    const FileSizes sizes = SizesOf(options_);
    std::erase_if(bucket.files, [&](const DeleteFilePtr& file) {
      return !options_.rewrite_all && !sizes.IsOutOfRange(file->file.file_size_in_bytes);
    });
    const auto candidates = static_cast<int64_t>(bucket.files.size());
    survey_.candidates += candidates;
    survey_.most_in_partition = std::max(survey_.most_in_partition, candidates);
    const auto weight = [&](size_t i) { return bucket.files[i]->file.file_size_in_bytes; };
    auto begin = bucket.files.begin();
    for (const size_t end :
         PackInOrder(bucket.files.size(), weight, options_.max_file_group_size_bytes,
                     options_.max_file_group_input_files)) {
      const auto last = bucket.files.begin() + static_cast<std::ptrdiff_t>(end);
      AddGroup({begin, last});
      begin = last;
    }
  }

  void AddGroup(std::vector<DeleteFilePtr> inputs) {
    DeleteGroup group;
    group.inputs = std::move(inputs);
    for (const DeleteFilePtr& file : group.inputs)
      group.input_bytes += file->file.file_size_in_bytes;
    const bool is_kept = converts() || options_.rewrite_all || IsWorthRewriting(group, options_);
    if (is_kept) plan_.groups.push_back(std::move(group));
  }

  // The data files that the inputs of each group apply to, each with these inputs alone.
  Status AddTasks(const Snapshot& head) {
    std::unordered_map<std::string, size_t> groups;  // By key of the delete file.
    for (size_t i = 0; i < plan_.groups.size(); ++i) {
      for (const DeleteFilePtr& file : plan_.groups[i].inputs)
        groups.emplace(FileKey(file->file), i);
    }
    ScanOptions scan;
    scan.snapshot_id = head.snapshot_id;
    scan.with_residuals = false;
    const auto visit = [&](FileScanTask&& task) -> Status {
      std::vector<std::pair<size_t, DeleteFilePtr>> found;
      for (const DeleteFilePtr& file : task.deletes) {
        const auto group = groups.find(FileKey(file->file));
        if (group != groups.end()) found.emplace_back(group->second, file);
      }
      std::stable_sort(found.begin(), found.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t i = 0; i < found.size(); ++i) {
        std::vector<FileScanTask>& tasks = plan_.groups[found[i].first].tasks;
        if (i == 0 || found[i].first != found[i - 1].first) {
          tasks.push_back(task);
          tasks.back().deletes.clear();
        }
        tasks.back().deletes.push_back(std::move(found[i].second));
      }
      return {};
    };
    FIRN_ASSIGN([[maybe_unused]] const ScanStatistics statistics,
                PlanFiles(*table_.io, metadata_, scan, *context_.commit.executor,
                          context_.commit.cancel, visit));
    return {};
  }

  void Describe(DeleteGroup& group) const {
    std::sort(group.tasks.begin(), group.tasks.end(),
              [](const FileScanTask& a, const FileScanTask& b) {
                return a.file.file_path < b.file.file_path;
              });
    const DataFile& first = group.inputs.front()->file;
    const PartitionSpecPtr spec = metadata_.FindSpec(first.partition_spec_id);
    FIRN_CHECK(spec != nullptr);
    group.partition_path = PartitionPath(
        *spec, *PartitionType(*spec, metadata_.SchemasNewestFirst()), first.partition);
    group.expected_outputs = static_cast<int64_t>(group.tasks.size());
    if (options_.is_by_partition && !converts() && !group.tasks.empty()) {
      group.expected_outputs = SizesOf(options_).ExpectedOutputs(group.input_bytes);
    }
  }

  const MaintainContext& context_;
  const Table& table_;
  const TableMetadata& metadata_;
  const RewritePositionDeletesOptions& options_;
  const DeleteFileKeys* const only_;  // May be null.
  PositionDeleteSurvey survey_;
  DeleteRewritePlan plan_;
};

Result<bool> IsByPartition(const TableMetadata& metadata) {
  constexpr std::string_view kName = "write.delete.granularity";
  const std::string text = metadata.Property(std::string(kName), "file");
  if (EqualsIgnoreCase(text, "partition")) return true;
  if (EqualsIgnoreCase(text, "file")) return false;
  return MakeError(ErrorCode::kInvalidInput,
                   "table property '{}' is '{}', expected one of file, partition", kName, text);
}

}  // namespace

Result<RewritePositionDeletesOptions> ParseRewritePositionDeletesOptions(
    const TableMetadata& metadata, const std::map<std::string, std::string>& options) {
  RewritePositionDeletesOptions parsed;
  OptionReader reader(options);
  constexpr std::string_view kProperty = "write.delete.target-file-size-bytes";
  FIRN_ASSIGN(const int64_t target, metadata.IntProperty(kProperty, parsed.target_file_size_bytes));
  FIRN_ASSIGN(const FileSizes sizes, reader.Sizes(target, kProperty));
  parsed.target_file_size_bytes = sizes.target_bytes;
  parsed.min_file_size_bytes = sizes.min_bytes;
  parsed.max_file_size_bytes = sizes.max_bytes;
  FIRN_RETURN_IF_ERROR(reader.Integer("min-input-files", 1, parsed.min_input_files));
  FIRN_RETURN_IF_ERROR(reader.Boolean("rewrite-all", parsed.rewrite_all));
  FIRN_RETURN_IF_ERROR(
      reader.Integer("max-file-group-size-bytes", 1, parsed.max_file_group_size_bytes));
  FIRN_RETURN_IF_ERROR(
      reader.Integer("max-file-group-input-files", 1, parsed.max_file_group_input_files));
  FIRN_RETURN_IF_ERROR(ReadDeleteRewriteOptions(reader, parsed));
  FIRN_RETURN_IF_ERROR(reader.RefuseUnknown());
  FIRN_ASSIGN(parsed.is_by_partition, IsByPartition(metadata));
  return parsed;
}

Result<DeleteRewritePlan> PlanPositionDeletes(const MaintainContext& context, const Table& table,
                                              const std::string& branch, const ExpressionPtr& where,
                                              const RewritePositionDeletesOptions& options,
                                              const DeleteFileKeys* only) {
  FIRN_ASSIGN(const Snapshot* head, HeadOfBranch(*table.metadata, branch));
  if (head == nullptr) return DeleteRewritePlan{.reason = "the table has no snapshot"};
  return PositionDeletePlanner(context, table, options, only).Plan(*head, where);
}

Result<DeleteRewritePlan> PlanPositionDeleteRewrite(const MaintainContext& context,
                                                    const Table& table, const std::string& branch,
                                                    const ExpressionPtr& where,
                                                    const RewritePositionDeletesOptions& options) {
  return PlanPositionDeletes(context, table, branch, where, options, nullptr);
}

}  // namespace firn
