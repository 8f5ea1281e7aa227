#include <algorithm>
#include <unordered_map>
#include <utility>

#include "firn/format/puffin/delete_reference.h"
#include "firn/maintain/compaction/compaction_internal.h"
#include "firn/maintain/compaction/file_sizes_internal.h"
#include "firn/maintain/compaction/obsolete_deletes_internal.h"
#include "firn/maintain/compaction/rewrite_data_files.h"

namespace firn {
namespace {

FileSizes SizesOf(const RewriteDataFilesOptions& options) {
  return {.target_bytes = options.target_file_size_bytes,
          .min_bytes = options.min_file_size_bytes,
          .max_bytes = options.max_file_size_bytes};
}

bool HasManyDeletes(const FileScanTask& task, const RewriteDataFilesOptions& options) {
  if (static_cast<int64_t>(task.deletes.size()) >= options.delete_file_threshold) {
    return true;
  }
  // Only deletes that name this file alone: how many rows of it the others hit is not known.
  int64_t deleted = 0;
  for (const DeleteFilePtr& file : task.deletes) {
    if (file->file.content == FileContent::kPositionDeletes &&
        !ReferencedDataFile(file->file).empty()) {
      deleted += file->file.record_count;
    }
  }
  if (deleted == 0 || task.file.record_count <= 0) {
    return false;
  }
  const double ratio = static_cast<double>(std::min(deleted, task.file.record_count)) /
                       static_cast<double>(task.file.record_count);
  return ratio >= options.delete_ratio_threshold;
}

bool IsCandidate(const FileScanTask& task, const RewriteDataFilesOptions& options) {
  return options.rewrite_all || SizesOf(options).IsOutOfRange(task.file.file_size_in_bytes) ||
         HasManyDeletes(task, options);
}

/// Candidates that go to one place: a partition of the output spec, or everything of other specs.
struct Bucket {
  std::optional<StructValue> partition;
  std::vector<FileScanTask> tasks;
};

// Where the rows of a file go; nullopt: to several partitions, perhaps.
std::optional<StructValue> PlaceOf(const DataFile& file, const PartitionSpec& output_spec) {
  if (file.partition_spec_id == output_spec.spec_id) return file.partition;
  if (!output_spec.is_unpartitioned()) return std::nullopt;
  return StructValue{std::vector<Value>(output_spec.fields.size())};
}

std::vector<Bucket> BucketByPartition(std::vector<FileScanTask> tasks,
                                      const PartitionSpec& output_spec,
                                      const RewriteDataFilesOptions& options) {
  std::vector<Bucket> buckets;  // In the order in which partitions are first seen.
  std::unordered_multimap<uint64_t, size_t> by_hash;
  const auto find_bucket = [&](const DataFile& file) -> Bucket& {
    std::optional<StructValue> place = PlaceOf(file, output_spec);
    const Value key = place ? Value::Struct(place->fields) : Value();
    const uint64_t hash = HashValue(key);
    const auto [begin, end] = by_hash.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      Bucket& bucket = buckets[at->second];
      if (bucket.partition.has_value() == place.has_value() &&
          (!place || bucket.partition->fields == place->fields)) {
        return bucket;
      }
    }
    by_hash.emplace(hash, buckets.size());
    buckets.push_back({std::move(place), {}});
    return buckets.back();
  };
  for (FileScanTask& task : tasks) {
    if (IsCandidate(task, options)) {
      find_bucket(task.file).tasks.push_back(std::move(task));
    }
  }
  return buckets;
}

FileGroup MakeGroup(const Bucket& bucket, std::vector<FileScanTask> inputs, const FileSizes& sizes,
                    int32_t output_spec_id) {
  FileGroup group;
  group.output_spec_id = output_spec_id;
  group.partition = bucket.partition;
  group.inputs = std::move(inputs);
  for (const FileScanTask& task : group.inputs) {
    group.input_bytes += task.file.file_size_in_bytes;
  }
  group.expected_outputs = sizes.ExpectedOutputs(group.input_bytes);
  group.split_bytes = sizes.SplitBytes(group.input_bytes);
  return group;
}

std::vector<FileGroup> GroupsOf(Bucket bucket, int32_t output_spec_id,
                                const RewriteDataFilesOptions& options) {
  std::vector<FileGroup> groups;
  const auto weight = [&](size_t i) { return bucket.tasks[i].file.file_size_in_bytes; };
  auto next = bucket.tasks.begin();
  for (const size_t end :
       PackInOrder(bucket.tasks.size(), weight, options.max_file_group_size_bytes,
                   options.max_file_group_input_files)) {
    const auto last = bucket.tasks.begin() + static_cast<std::ptrdiff_t>(end);
    FileGroup group =
        MakeGroup(bucket, {std::make_move_iterator(next), std::make_move_iterator(last)},
                  SizesOf(options), output_spec_id);
    next = last;
    if (IsWorthRewriting(group, options)) {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

/// Take groups in plan order up to `files_max` inputs; the last one is cut.
void CapFiles(std::vector<FileGroup>& groups, const RewriteDataFilesOptions& options) {
  if (options.max_files_to_rewrite <= 0) {
    return;
  }
  auto left = static_cast<size_t>(options.max_files_to_rewrite);
  std::vector<FileGroup> kept;
  for (FileGroup& group : groups) {
    if (left == 0) {
      break;
    }
    if (group.inputs.size() > left) {
      group.inputs.resize(left);
      const Bucket place{group.partition, {}};
      group = MakeGroup(place, std::move(group.inputs), SizesOf(options), group.output_spec_id);
    }
    left -= group.inputs.size();
    kept.push_back(std::move(group));
  }
  groups = std::move(kept);
}

void SortGroups(std::vector<FileGroup>& groups, const std::string& job_order) {
  if (job_order == "none") {
    return;
  }
  const bool is_by_bytes = job_order.starts_with("bytes");
  const bool is_descending = job_order.ends_with("desc");
  const auto size = [&](const FileGroup& group) {
    return is_by_bytes ? group.input_bytes : static_cast<int64_t>(group.inputs.size());
  };
  std::stable_sort(groups.begin(), groups.end(), [&](const FileGroup& a, const FileGroup& b) {
    return is_descending ? size(a) > size(b) : size(a) < size(b);
  });
}

Result<PartitionSpecPtr> FindOutputSpec(const TableMetadata& metadata,
                                        const RewriteDataFilesOptions& options) {
  const PartitionSpecPtr spec =
      metadata.FindSpec(options.output_spec_id.value_or(metadata.default_spec_id));
  FIRN_CHECK(spec != nullptr);
  for (const PartitionField& field : spec->fields) {
    if (field.transform.kind == TransformKind::kUnknown) {
      return MakeError(
          ErrorCode::kUnsupported,
          "partition field '{}' has the unknown transform '{}': files can be read, but "
          "not written with partition spec {}",
          field.name, field.transform.text, spec->spec_id);
    }
  }
  return spec;
}

void NumberGroups(std::vector<FileGroup>& groups, const TableMetadata& metadata,
                  const PartitionSpec& spec) {
  const TypePtr type = PartitionType(spec, metadata.SchemasNewestFirst());
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i].index = static_cast<int64_t>(i);
    groups[i].partition_path =
        groups[i].partition ? PartitionPath(spec, *type, *groups[i].partition) : "(other specs)";
  }
}

}  // namespace

bool IsWorthRewriting(const FileGroup& group, const RewriteDataFilesOptions& options) {
  const FileSizes sizes = SizesOf(options);
  const bool has_several = group.inputs.size() > 1;
  return options.rewrite_all ||
         (has_several && static_cast<int64_t>(group.inputs.size()) >= options.min_input_files) ||
         (has_several && group.input_bytes > sizes.target_bytes) ||
         group.input_bytes > sizes.max_bytes ||
         std::any_of(group.inputs.begin(), group.inputs.end(),
                     [&](const FileScanTask& task) { return HasManyDeletes(task, options); });
}

FileGroup MakePartOfGroup(const FileGroup& group, std::vector<FileScanTask> inputs,
                          const RewriteDataFilesOptions& options) {
  FileGroup part = MakeGroup(Bucket{group.partition, {}}, std::move(inputs), SizesOf(options),
                             group.output_spec_id);
  part.partition_path = group.partition_path;
  return part;
}

void RenumberGroups(CompactionPlan& plan) {
  for (size_t i = 0; i < plan.groups.size(); ++i)
    plan.groups[i].index = static_cast<int64_t>(i);
}

Result<CompactionPlan> PlanCompaction(const MaintainContext& context, const Table& table,
                                      const std::string& branch, const ExpressionPtr& where,
                                      const RewriteDataFilesOptions& options) {
  const TableMetadata& metadata = *table.metadata;
  CompactionPlan plan;
  if (metadata.current_snapshot() == nullptr && branch == kMainBranch) {
    return plan;
  }
  FIRN_ASSIGN(const ResolvedSnapshot resolved,
              ResolveSnapshot(metadata, {.snapshot_id = {}, .as_of = {}, .ref = branch}));
  plan.starting_snapshot_id = resolved.snapshot->snapshot_id;
  plan.starting_sequence_number = resolved.snapshot->sequence_number;
  FIRN_ASSIGN(const PartitionSpecPtr output_spec, FindOutputSpec(metadata, options));
  ScanOptions scan;
  scan.snapshot_id = plan.starting_snapshot_id;
  scan.schema = metadata.current_schema();
  scan.filter = where;
  scan.with_residuals = false;
  FIRN_ASSIGN(
      std::vector<FileScanTask> tasks,
      PlanAllFiles(*table.io, metadata, scan, *context.commit.executor, context.commit.cancel));
  DeleteUses uses;
  uses.Add(tasks);
  plan.survey.files = std::ssize(tasks);
  for (Bucket& bucket : BucketByPartition(std::move(tasks), *output_spec, options)) {
    const int64_t candidates = std::ssize(bucket.tasks);
    plan.survey.candidates += candidates;
    plan.survey.most_in_partition = std::max(plan.survey.most_in_partition, candidates);
    std::vector<FileGroup> groups = GroupsOf(std::move(bucket), output_spec->spec_id, options);
    std::move(groups.begin(), groups.end(), std::back_inserter(plan.groups));
  }
  CapFiles(plan.groups, options);
  SortGroups(plan.groups, options.rewrite_job_order);
  NumberGroups(plan.groups, metadata, *output_spec);
  FIRN_ASSIGN(plan.obsolete_deletes,
              FindObsoleteDeletes(context, table, scan, plan.groups, std::move(uses)));
  return plan;
}

}  // namespace firn
