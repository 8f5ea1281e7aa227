#include <optional>
#include <string_view>

#include "firn/commit/snapshot_summary_internal.h"

namespace firn {
namespace {

void SetCount(Summary& summary, std::string_view key, int64_t count) {
  if (count > 0) {
    summary.Set(key, std::to_string(count));
  }
}

void SetTotal(Summary& summary, std::string_view key, const Snapshot* head, int64_t added,
              int64_t removed) {
  const std::optional<int64_t> before =
      head == nullptr ? std::optional<int64_t>(0) : head->summary.FindNumber(key);
  if (before && *before + added - removed >= 0) {
    summary.Set(key, std::to_string(*before + added - removed));
  }
}

}  // namespace

void SnapshotSummary::Count(Counts& counts, const DataFile& file) {
  switch (file.content) {
    case FileContent::kData:
      ++counts.data_files;
      counts.records += file.record_count;
      break;
    case FileContent::kPositionDeletes:
      ++(file.is_deletion_vector() ? counts.dvs : counts.position_delete_files);
      counts.position_deletes += file.record_count;
      break;
    case FileContent::kEqualityDeletes:
      ++counts.equality_delete_files;
      counts.equality_deletes += file.record_count;
      break;
  }
  counts.files_size += file.is_deletion_vector()
                           ? file.content_size_in_bytes.value_or(file.file_size_in_bytes)
                           : file.file_size_in_bytes;
}

void SnapshotSummary::Touch(const TableMetadata& metadata, const DataFile& file) {
  const PartitionSpecPtr spec = metadata.FindSpec(file.partition_spec_id);
  if (spec != nullptr) {
    TypePtr& type = partition_types_[file.partition_spec_id];
    if (type == nullptr) {
      type = PartitionType(*spec, metadata.SchemasNewestFirst());
    }
    partitions_.insert(PartitionPath(*spec, *type, file.partition));
  }
}

void SnapshotSummary::Add(const TableMetadata& metadata, const DataFile& file) {
  Count(added_, file);
  Touch(metadata, file);
}

void SnapshotSummary::Remove(const TableMetadata& metadata, const DataFile& file) {
  Count(removed_, file);
  Touch(metadata, file);
}

Summary SnapshotSummary::Build(const Snapshot* head) const {
  Summary summary;
  for (const auto& [key, value] : properties_) {
    summary.Set(key, value);
  }
  SetCount(summary, "added-data-files", added_.data_files);
  SetCount(summary, "deleted-data-files", removed_.data_files);
  SetCount(summary, "added-delete-files", added_.delete_files());
  SetCount(summary, "removed-delete-files", removed_.delete_files());
  SetCount(summary, "added-position-delete-files", added_.position_delete_files);
  SetCount(summary, "removed-position-delete-files", removed_.position_delete_files);
  SetCount(summary, "added-equality-delete-files", added_.equality_delete_files);
  SetCount(summary, "removed-equality-delete-files", removed_.equality_delete_files);
  SetCount(summary, "added-dvs", added_.dvs);
  SetCount(summary, "removed-dvs", removed_.dvs);
  SetCount(summary, "added-records", added_.records);
  SetCount(summary, "deleted-records", removed_.records);
  SetCount(summary, "added-files-size", added_.files_size);
  SetCount(summary, "removed-files-size", removed_.files_size);
  SetCount(summary, "added-position-deletes", added_.position_deletes);
  SetCount(summary, "removed-position-deletes", removed_.position_deletes);
  SetCount(summary, "added-equality-deletes", added_.equality_deletes);
  SetCount(summary, "removed-equality-deletes", removed_.equality_deletes);
  summary.Set("changed-partition-count", std::to_string(partitions_.size()));
  SetTotal(summary, "total-records", head, added_.records + corrected_records_, removed_.records);
  SetTotal(summary, "total-files-size", head, added_.files_size + corrected_bytes_,
           removed_.files_size);
  SetTotal(summary, "total-data-files", head, added_.data_files, removed_.data_files);
  SetTotal(summary, "total-delete-files", head, added_.delete_files(), removed_.delete_files());
  SetTotal(summary, "total-position-deletes", head, added_.position_deletes,
           removed_.position_deletes);
  SetTotal(summary, "total-equality-deletes", head, added_.equality_deletes,
           removed_.equality_deletes);
  return summary;
}

}  // namespace firn
